import type { StageTimes } from '../protocol.ts';

/** Seconds that are kept, and most frames. */
const [SPAN, MOST] = [12, 720];

/** Stages in the order of a frame. Stages that are not listed come last. */
const ORDER: readonly string[] = [
  'shift-transforms',
  'step-controllers',
  'ground-characters',
  'cull-characters',
  'gather-motions',
  'pose-joints',
  'place-sockets',
  'update-characters',
  'keep-palettes',
  'skin-vertices',
  'filter-triangles',
  'raster-triangles',
  'draw-shadows',
  'draw-contact',
  'shade-pixels',
  'draw-forward',
  'temporal',
  'three.js',
];

/** Times of the last seconds' frames by stage. */
export class Timeline {
  #frames: StageTimes[] = [];

  add(frames: readonly StageTimes[]): void {
    const last = frames.at(-1)?.at;
    if (last === undefined) return;
    this.#frames = [...this.#frames, ...frames].filter(({ at }) => at > last - 1000 * SPAN).slice(-MOST);
  }

  clear(): void {
    this.#frames = [];
  }

  get frames(): readonly StageTimes[] {
    return this.#frames;
  }

  /** Stages that were measured, in their order. */
  get stages(): readonly string[] {
    const known = new Set(this.#frames.flatMap(({ stages }) => stages.map(([name]) => name)));
    const place = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
    return [...known].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
  }

  /** Median milliseconds of the last frames by stage. One slow frame does not change it. */
  get typical(): ReadonlyMap<string, number> {
    const recent = this.#frames.slice(-31);
    const now = new Set(this.#frames.at(-1)?.stages.map(([name]) => name));
    const names = this.stages.filter((name) => now.has(name));
    return new Map(
      names.flatMap((name): [string, number][] => {
        const times = recent.flatMap(({ stages }) =>
          stages.filter(([stage]) => stage === name).map(([, time]) => time),
        );
        const middle = times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
        return middle === undefined ? [] : [[name, middle]];
      }),
    );
  }
}
