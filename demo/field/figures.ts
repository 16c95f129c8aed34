import type { Crowd } from '../../src/index.ts';
import type { Figures, StageTimes } from '../protocol.ts';
import type { Stand } from './stand.ts';

/** Milliseconds between two reports, and most frames in one report. */
const [PERIOD, KEPT] = [250, 240];

interface Measured {
  readonly crowds: readonly Crowd[];
  readonly stand: Stand;
  /** Undefined with WebGL 2, where three.js has it. */
  readonly scenery: { readonly byteLength: number } | undefined;
  readonly picture: { readonly width: number; readonly height: number };
}

/** Collects counts and times of frames, and reports them a few times a second. */
export class FigureKeeper {
  readonly #tell: (figures: Figures) => void;
  #times: StageTimes[] = [];
  #last = '';
  #begin = performance.now();
  #drawn = 0;
  #frames = 0;
  #hostTime = 0;
  #isReading = false;
  #isNew = true;

  constructor(tell: (figures: Figures) => void) {
    this.#tell = tell;
  }

  /** Restarts the counts, for a new battle. */
  restart(): void {
    [this.#begin, this.#drawn, this.#hostTime] = [performance.now(), 0, 0];
    this.#isNew = true;
  }

  /** Counts a drawn frame. @param hostTime Milliseconds on the CPU. */
  frame(hostTime: number): void {
    this.#frames++;
    // the first frame compiles pipelines
    if (this.#isNew) [this.#begin, this.#isNew] = [performance.now(), false];
    else {
      this.#drawn++;
      this.#hostTime += hostTime;
    }
  }

  /** Collects new measurements, and sends a report when one is due. */
  look(measured: Measured): void {
    const { crowds, stand } = measured;
    const stages = [crowds[0]!, stand].flatMap(({ timings }) => [...timings]);
    const text = JSON.stringify(stages);
    if (stages.length > 0 && text !== this.#last) {
      this.#last = text;
      this.#times.push({ at: performance.now(), stages });
      if (this.#times.length > KEPT) this.#times.shift();
    }
    if (performance.now() - this.#begin < PERIOD || this.#isReading) return;
    this.#isReading = true;
    this.#report(measured)
      .catch(() => undefined) // the crowd was destroyed or the device lost, which is reported elsewhere
      .finally(() => (this.#isReading = false));
  }

  async #report({ crowds, stand, scenery, picture }: Measured): Promise<void> {
    const crowd = crowds[0]!;
    const elapsed = performance.now() - this.#begin;
    const [drawn, hostTime, times] = [this.#drawn, this.#hostTime, this.#times];
    [this.#begin, this.#drawn, this.#hostTime, this.#times] = [performance.now(), 0, 0, []];
    const [stats, triangles, difference] = await Promise.all([
      crowd.readStats(),
      stand.readTriangles(),
      stand.readDifference(),
    ]);
    this.#tell({
      frameRate: (1000 * drawn) / elapsed,
      hostTime: drawn > 0 ? hostTime / drawn : 0,
      frames: this.#frames,
      time: crowd.time,
      characters: crowd.count,
      visible: stats.listed,
      posed: stats.posed,
      undrawn: stats.undrawn,
      triangles,
      bytes: {
        crowd: crowds.reduce((sum, { byteLength }) => sum + byteLength, 0),
        renderer: stand.byteLength,
        scenery: scenery?.byteLength ?? 0,
      },
      width: picture.width,
      height: picture.height,
      times,
      difference,
    });
  }
}
