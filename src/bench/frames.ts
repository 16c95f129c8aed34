import type { Crowd } from '../crowd/crowd.ts';
import type { FrameOptions } from '../crowd/frame-options.ts';
import type { Submission } from '../device/submissions.ts';
import { createSpan } from './gpu/gpu-span.ts';
import { Streams } from './gpu/streams.ts';
import type { StageWork } from './stage-work.ts';

/** A crowd, and what draws it. */
export interface FrameSource {
  readonly crowd: Crowd;
  /** Called before each frame. */
  readonly options: () => FrameOptions;
  /** Records a picture after the frame's stages. */
  readonly draw?: ((encoder: GPUCommandEncoder) => Submission) | undefined;
  /** Stage times of the last picture. */
  readonly timings?: (() => ReadonlyMap<string, number>) | undefined;
}

export interface FramePace {
  /** Frames that do not count: pipelines are compiled, all are posed once, and a GPU reaches its clock. */
  readonly warmUpFrames: number;
  readonly warmUpSeconds: number;
  /** Measured frames; fewer after `seconds`, three at least. */
  readonly frames: number;
  readonly seconds: number;
}

/** Samples of a run of frames, in milliseconds. */
export interface FrameSamples {
  /** By stage. */
  readonly stages: ReadonlyMap<string, readonly number[]>;
  /** Floors of the stages, between the same frames. */
  readonly floors: ReadonlyMap<string, readonly number[]>;
  /** The whole frame on the GPU; without timestamps from submission until it is done. */
  readonly frame: readonly number[];
  /** The CPU's part: recording and submitting. */
  readonly host: readonly number[];
}

/** Records work that only keeps a GPU busy. */
export type Heat = (encoder: GPUCommandEncoder) => void;

/** Frames that are measured at least. */
const LEAST_FRAMES = 3;

/** A turn per frame, within half of the seconds. */
function* paced({ frames, seconds }: FramePace): Generator<number> {
  const start = performance.now();
  for (let n = 0; n < frames; n++) {
    if (n >= LEAST_FRAMES && performance.now() - start > 500 * seconds) return;
    yield n;
  }
}

/** Runs frames of a crowd one after the other. */
export class FrameLoop {
  readonly #device: GPUDevice;
  readonly #source: FrameSource;
  readonly #span: ReturnType<typeof createSpan> | undefined;
  readonly #heat: Heat | undefined;

  /** @param heat Records work before each frame, so that a GPU's clock stays high. */
  constructor(device: GPUDevice, source: FrameSource, heat?: Heat) {
    this.#device = device;
    this.#source = source;
    if (!device.features.has('timestamp-query')) return;
    this.#span = createSpan(device);
    this.#heat = heat;
  }

  /** Runs frames that do not count. */
  async warmUp({ warmUpFrames, warmUpSeconds }: FramePace): Promise<void> {
    const start = performance.now();
    for (let n = 0; n < warmUpFrames || performance.now() - start < 1000 * warmUpSeconds; n++) await this.#run();
  }

  /**
   * Measures whole frames, then as many with timed stages, each followed by the floors of its stages. A crowd times its stages from the
   * first question on. They have passes of their own then, which takes CPU time.
   * @param work Stages that get a floor.
   */
  async measure(work: readonly StageWork[], pace: FramePace): Promise<FrameSamples> {
    const samples = { stages: new Lists(), floors: new Lists(), frame: [] as number[], host: [] as number[] };
    const streams = this.#span && work.length > 0 ? new Streams(this.#device, work) : undefined;
    for (const _ of paced(pace)) {
      const { host, frame } = await this.#run();
      samples.host.push(host);
      samples.frame.push(frame);
    }
    this.#stageTimes();
    for (const _ of paced(pace)) {
      await this.#run(streams);
      for (const times of this.#stageTimes()) samples.stages.add(times);
      samples.floors.add(streams?.latest ?? new Map());
    }
    streams?.destroy();
    return samples;
  }

  /** Times of the last frame. The first call turns measuring on. */
  #stageTimes(): readonly ReadonlyMap<string, number>[] {
    return [this.#source.crowd.timings, this.#source.timings?.() ?? new Map()];
  }

  async #run(streams?: Streams): Promise<{ host: number; frame: number }> {
    const { crowd, options, draw } = this.#source;
    const frameOptions = options();
    const encoder = this.#device.createCommandEncoder();
    this.#heat?.(encoder);
    this.#span?.begin(encoder);
    const start = performance.now();
    const encoded = crowd.encode(encoder, frameOptions);
    const drawn = draw?.(encoder);
    this.#span?.end(encoder);
    this.#device.queue.submit([encoder.finish()]);
    const submitted = performance.now();
    const readFloors = this.#submitFloors(streams);
    // all at once: if the device is lost, each of them rejects
    const [whole] = await Promise.all([this.#span?.read(), encoded.submitted(), drawn?.submitted(), readFloors?.()]);
    if (whole === undefined) await this.#device.queue.onSubmittedWorkDone();
    return { host: submitted - start, frame: whole ?? performance.now() - submitted };
  }

  /** Commands of their own: they are not the CPU's work for the frame. */
  #submitFloors(streams: Streams | undefined) {
    if (!streams) return undefined;
    const encoder = this.#device.createCommandEncoder();
    const read = streams.record(encoder);
    this.#device.queue.submit([encoder.finish()]);
    return read;
  }
}

/** Lists of numbers by name. */
class Lists extends Map<string, number[]> {
  add(values: ReadonlyMap<string, number>): void {
    for (const [name, value] of values) {
      const list = this.get(name);
      if (list) list.push(value);
      else this.set(name, [value]);
    }
  }
}
