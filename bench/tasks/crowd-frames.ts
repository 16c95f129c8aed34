import type { Crowd } from '../../src/crowd/crowd.ts';
import type { FrameOptions } from '../../src/crowd/frame-options.ts';
import { median } from '../../src/bench/statistics.ts';
import { createHeater } from '../../src/bench/gpu/gpu-heater.ts';

export interface FrameTimes {
  /** Milliseconds that the host takes to record and submit a frame. */
  readonly host: number;
  /** Milliseconds per stage; empty where the device has no timestamps. */
  readonly stages: Readonly<Record<string, number>>;
}

export interface FrameRun {
  /** Returns the options of a frame; called before each. */
  readonly options: (frame: number) => FrameOptions;
  /** Milliseconds of frames that do not count. */
  readonly warmUp: number;
  readonly frames: number;
  /** Keeps a GPU busy between frames that the host takes longer to record than it takes to run. Default: not. */
  readonly heated?: boolean;
  /** Measures stages, which takes a pass each. Default: true. */
  readonly timed?: boolean;
}

/** Frames under way at once: a GPU that waits between frames lowers its clock. */
const IN_FLIGHT = 3;

/** Medians over frames of a crowd, recorded while earlier ones run. */
export async function measureFrames(
  device: GPUDevice,
  crowd: Crowd,
  { options, warmUp, frames, heated = false, timed = true }: FrameRun,
): Promise<FrameTimes> {
  const host: number[] = [];
  const stages = new Map<string, number[]>();
  const pending: Promise<void>[] = [];
  const heat = heated ? createHeater(device) : undefined;
  const start = performance.now();
  for (let frame = 0; host.length < frames; frame++) {
    const frameOptions = options(frame);
    const before = performance.now();
    const encoder = device.createCommandEncoder();
    heat?.(encoder);
    const encoded = crowd.encode(encoder, frameOptions);
    device.queue.submit([encoder.finish()]);
    const took = performance.now() - before;
    pending.push(encoded.submitted());
    if (pending.length >= IN_FLIGHT) await pending.shift();
    if (before - start < warmUp) continue;
    host.push(took);
    if (!timed) continue;
    for (const [name, time] of crowd.timings) stages.set(name, [...(stages.get(name) ?? []), time]);
  }
  await Promise.all(pending);
  return {
    host: median(host),
    stages: Object.fromEntries(Array.from(stages, ([name, times]) => [name, median(times)])),
  };
}
