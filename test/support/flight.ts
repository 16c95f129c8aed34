import { expect } from 'vitest';
import type { Character, CharacterId, Crowd, CrowdOptions } from '../../src/index.ts';
import { createCrowd } from './create-crowd.ts';
import type { CrowdView } from '../../src/frame/tables/crowd-view.ts';
import { readRanges } from '../../src/device/read-back.ts';
import { placeOf } from '../../src/frame/tables/cull-results.ts';
import { unpackVertices } from '../../src/frame/tables/unpack-vertices.ts';
import { View } from '../../src/layout/index.ts';
import { clipFromWorld, multiply, orthographic, viewFromWorld } from '../../src/render/camera.ts';
import { VISIBLE_POSED, VisibleCharacter } from '../../src/stages/layout.ts';
import { largeActor, smallActor } from './crowd-truth.ts';
import { Random } from './random.ts';
import { withFewerJoints } from './random-rigs.ts';
import { updateAndWait } from './update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** What a frame shows of one character, wherever its vertices stand. */
export interface Shown {
  readonly views: number;
  readonly level: number;
  /** Binary logarithm of the frames per pose. */
  readonly rate: number;
  readonly posed: boolean;
  /** x, y, z of this frame's vertices and of last frame's. */
  readonly current: Float32Array;
  readonly previous: Float32Array;
}

/** All that the last frame listed, by row of the crowd's columns. */
export async function shownBy(device: GPUDevice, crowd: Crowd, rows: readonly number[]): Promise<Map<number, Shown>> {
  const { types } = internalsOf(crowd).host.tables;
  const shown = new Map<number, Shown>();
  if (internalsOf(crowd).host.backend.kind === 'cpu') {
    for (const row of rows) {
      const read = await internalsOf(crowd).host.backend.read(row);
      if (read && read.row.get(0, 'views') !== 0)
        shown.set(row, describe(read.row, 0, positions(read.vertices), positions(read.previousVertices)));
    }
    return shown;
  }
  const { listed } = await crowd.readStats();
  if (listed === 0) return shown;
  const { crowd: columns, page } = internalsOf(crowd).host.backend.memory!;
  const [bytes] = await readRanges(device, [[columns.visible, 0, listed * VisibleCharacter.size]]);
  const visible = new View(VisibleCharacter, bytes!);
  const pages = new Map<number, Uint32Array<ArrayBuffer>>();
  for (let i = 0; i < listed; i++) {
    if (visible.get(i, 'views') === 0) continue; // posed for others
    const { type, level, pageIndex } = placeOf(types, visible, i);
    expect(type.skin, 'slots hold vertices, not palettes').toBe('compute');
    if (!pages.has(pageIndex)) {
      const { vertices } = page(pageIndex);
      const [all] = await readRanges(device, [[vertices, 0, vertices.size]]);
      pages.set(pageIndex, new Uint32Array(all!));
    }
    const at = (key: 'currentVertexOffset' | 'previousVertexOffset') => {
      const first = 2 * visible.get(i, key);
      return positions(unpackVertices(pages.get(pageIndex)!.slice(first, first + 2 * level.vertexCount)));
    };
    shown.set(visible.get(i, 'character'), describe(visible, i, at('currentVertexOffset'), at('previousVertexOffset')));
  }
  return shown;
}

function describe(
  row: View<(typeof VisibleCharacter)['fields']>,
  index: number,
  current: Float32Array,
  previous: Float32Array,
): Shown {
  const detail = row.get(index, 'detail');
  const [level, rate, posed] = [detail & 0xff, (detail >> 8) & 0xff, (detail & VISIBLE_POSED) !== 0];
  return { views: row.get(index, 'views'), level, rate, posed, current, previous };
}

function positions(words: Uint32Array): Float32Array {
  const floats = new Float32Array(words.slice().buffer);
  return floats.filter((_, i) => i % 4 !== 3);
}

/** A camera that flies through a crowd and looks around, and a sun's view: frame `f` of `count`. */
export function flightViews(f: number, count: number): CrowdView[] {
  const turn = (2 * Math.PI * f) / count;
  const eye = [60 * Math.cos(turn), 2 + 20 * Math.sin(3 * turn) ** 2, 60 * Math.sin(2 * turn)] as const;
  const target = [30 * Math.sin(5 * turn), 0, 30 * Math.cos(turn)] as const;
  const sun = multiply(
    orthographic({ left: -6, right: 6, bottom: -6, top: 6, near: 0, far: 40 }),
    viewFromWorld({ eye: [8, 20, 5], target: [0, 0, 0] }),
  );
  return [
    { clipFromWorld: clipFromWorld({ eye, target, fovY: 0.5 }, 16 / 9), height: 360 },
    { clipFromWorld: sun, height: 256, detail: 0.5 },
  ];
}

/** Characters that come, go, move, jump, hide parts and show each other's poses: the same for the same random numbers. */
export class Company {
  readonly crowd: Crowd;
  readonly #characters: readonly Character[];
  #ids: CharacterId[] = [];

  constructor(device: GPUDevice | undefined, options: CrowdOptions) {
    this.crowd = createCrowd(device, options);
    this.#characters = options.characters;
  }

  get rows(): number[] {
    return this.#ids.map((id) => id % 2 ** 24);
  }

  /** Things that happen before a frame. */
  act(random: Random, most: number): void {
    const { crowd } = this;
    while (this.#ids.length < most * 0.6 || (this.#ids.length < most && random.chance(0.3))) {
      const character = random.pick(this.#characters);
      const group = crowd.spawn(character, {
        place: (_, at) => {
          at.position.set(random.range(-80, 80), 0, random.range(-80, 80));
          at.rotation.set(0, Math.sin(random.range(0, 3)), 0, 1);
        },
      });
      group.play(random.integer(0, character.clips.length - 1), { speed: random.range(0.2, 2), phase: random.next() });
      this.#ids.push(group.id(0));
    }
    if (random.chance(0.1)) this.#leave(random.integer(0, this.#ids.length - 1));
    const id = random.pick(this.#ids);
    const there = [random.range(-80, 80), random.range(-80, 80)] as const;
    const what = random.integer(0, 5);
    if (what === 0) crowd.setTransform(id, (at) => at.position.set(there[0], 0, there[1]));
    if (what === 1) crowd.teleport(id, (at) => at.position.set(there[0], 0, there[1]));
    if (what === 2) crowd.play(id, 0, { fade: 0.2 });
    if (what === 3) this.#follow(id, random);
    if (what === 4) crowd.setPoseSource(id, undefined);
  }

  #leave(index: number): void {
    const [id] = this.#ids.splice(index, 1);
    this.crowd.despawn(id!);
  }

  /** Another one of its type, if chance finds one. */
  #follow(id: CharacterId, random: Random): void {
    const leader = random.pick(this.#ids);
    try {
      this.crowd.setPoseSource(id, leader);
    } catch {
      // of another type
    }
  }
}

const MOST = 24;
/** Metres; the characters are some 2 m large. */
const CLOSE = 1e-4;

function farthest(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Infinity;
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
}

/** Flies a camera through a crowd on both backends, compares all that is shown in every frame, and counts it. */
export async function fly(device: GPUDevice, frames: number, options: Partial<CrowdOptions>) {
  // levels of the same vertices, whose joints fewer and fewer move; errors that change levels at some 120 and 60 pixels
  const joints = new Random(4);
  const characters = [smallActor(), largeActor()].map(({ character }) =>
    [0.02, 0.04].reduce((finer, error) => withFewerJoints(joints, finer, error), character),
  );
  const shape = {
    characters,
    capacity: 32,
    skin: 'compute' as const,
    updateRates: { halfBelowPx: 150, quarterBelowPx: 80, eighthBelowPx: 40 },
    ...options,
  };
  const [gpu, cpu] = [new Company(device, shape), new Company(undefined, { ...shape, backend: 'cpu' })];
  const [forGpu, forCpu] = [new Random(11), new Random(11)];
  const met = { shown: 0, posed: 0, coarse: 0, kept: 0, unseen: 0, moved: 0, undrawn: 0, worst: 0 };
  for (let frame = 0; frame < frames; frame++) {
    gpu.act(forGpu, MOST);
    cpu.act(forCpu, MOST);
    const views = flightViews(frame, frames);
    await Promise.all([gpu, cpu].map(({ crowd }) => updateAndWait(crowd, { dt: 1 / 30, views })));
    const [actual, expected] = [
      await shownBy(device, gpu.crowd, gpu.rows),
      await shownBy(device, cpu.crowd, cpu.rows),
    ] as [Map<number, Shown>, Map<number, Shown>];
    const rowsOf = (shown: ReadonlyMap<number, Shown>) => [...shown.keys()].sort((a, b) => a - b);
    expect(rowsOf(actual), `frame ${frame}`).toEqual(rowsOf(expected));
    expect(await gpu.crowd.readStats(), `frame ${frame}`).toEqual(await cpu.crowd.readStats());
    met.undrawn += (await gpu.crowd.readStats()).undrawn;
    met.unseen += gpu.rows.length - actual.size;
    for (const [row, { current, previous, ...decided }] of actual) {
      const twin = expected.get(row)!;
      const label = `frame ${frame}, character ${row}`;
      const { views: seen, level, rate, posed } = twin;
      expect(decided, label).toEqual({ views: seen, level, rate, posed });
      if (seen !== 0) {
        const off = Math.max(farthest(current, twin.current), farthest(previous, twin.previous));
        expect(off, label).toBeLessThan(CLOSE);
        met.worst = Math.max(met.worst, off);
      }
      met.shown++;
      met[posed ? 'posed' : 'kept']++;
      if (level > 0 && posed) met.coarse++;
      if (farthest(current, previous) > 1e-6) met.moved++;
    }
  }
  gpu.crowd.destroy();
  cpu.crowd.destroy();
  return met;
}
