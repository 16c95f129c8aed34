import { movingClips, stageParade } from '../../src/battle/parade.ts';
import { FrameLoop, type FramePace } from '../../src/bench/frames.ts';
import { median } from '../../src/bench/statistics.ts';
import { type Character, createCrowd } from '../../src/index.ts';
import { createCanvasTarget, createForwardRenderer, createVisibilityRenderer } from '../../src/render/index.ts';

/** The device, and where pictures are shown. */
export interface BenchStage {
  readonly device: GPUDevice;
  readonly isHardware: boolean;
  readonly canvas: HTMLCanvasElement;
  readonly characters: readonly Character[];
}

/** A measured frame of a parade. Times are medians in milliseconds. */
export interface MeasuredParade {
  readonly count: number;
  /** On the GPU; without timestamps from submission until the GPU has finished. */
  readonly frame: number;
  /** The CPU's part. */
  readonly host: number;
  readonly stages: Readonly<Record<string, number>>;
  /** Characters that memory did not hold. */
  readonly missing: number;
  readonly bytes: number;
}

const DT = 1 / 60;
/** Distinct performers: as many look like a crowd as all of them would. */
const VARIANTS = 64;
/** Bytes of vertices. Phones end pages that take much more. */
const VERTEX_BYTES = { desktop: 2 ** 31, phone: 2 ** 29, software: 2 ** 27 };

/** Only a hint: a wrong guess changes when memory is said to run out. */
const isPhone = () => /Mobi|Android|iPhone|iPad/.test(navigator.userAgent);

const PACES: Readonly<Record<'hardware' | 'software', FramePace>> = {
  hardware: { warmUpFrames: 16, warmUpSeconds: 0.3, frames: 24, seconds: 1 },
  software: { warmUpFrames: 2, warmUpSeconds: 0, frames: 3, seconds: 1 },
};

/** Pixels of pictures: the same on all GPUs, so that results compare. */
export function sizeOf(isHardware: boolean): { readonly width: number; readonly height: number } {
  return isHardware ? { width: 1920, height: 1080 } : { width: 320, height: 180 };
}

/**
 * Shows a parade of `count` on the canvas and measures its frames, one after the other.
 * @throws ManipleError DEVICE_LIMIT, DEVICE_LOST; GPUOutOfMemoryError
 */
export async function measureParade(stage: BenchStage, count: number): Promise<MeasuredParade> {
  const { device } = stage;
  device.pushErrorScope('out-of-memory');
  const measured = measureChecked(stage, count);
  // whatever happened, the scope has to go
  const [result, refused] = await Promise.allSettled([
    measured,
    measured.catch(() => undefined).then(() => device.popErrorScope()),
  ]);
  if (refused.status === 'fulfilled' && refused.value) throw refused.value;
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

async function measureChecked(stage: BenchStage, count: number): Promise<MeasuredParade> {
  const { device, isHardware, canvas, characters } = stage;
  const kind = isHardware ? 'hardware' : 'software';
  const size = sizeOf(isHardware);
  const target = createCanvasTarget(device, canvas);
  target.resize(size.width, size.height);
  const maxVertexBytes = VERTEX_BYTES[isHardware ? (isPhone() ? 'phone' : 'desktop') : 'software'];
  const options = { characters, capacity: count, maxClips: 1, maxVertexBytes };
  const crowd = await createCrowd(device, options);
  const owned: { destroy(): void }[] = [crowd];
  try {
    const clips = characters.map(movingClips);
    const parade = { count, variants: VARIANTS, aspect: size.width / size.height, clips };
    const { camera, bounds, lighting = {} } = stageParade(crowd, characters, parade);
    const create = isHardware ? createVisibilityRenderer : createForwardRenderer;
    const renderer = await create(device, crowd, { format: target.format, cascadeCount: 1, sampleCount: 1 });
    owned.push(renderer);
    await renderer.ready();
    const sight = { ...size, camera, bounds, lighting };
    const source = {
      crowd,
      options: () => ({ dt: DT, views: renderer.crowdViews(sight) }),
      draw: (encoder: GPUCommandEncoder) => renderer.render(encoder, { ...sight, target: target.view() }),
      timings: () => renderer.timings,
    };
    const loop = new FrameLoop(device, source);
    await loop.warmUp(PACES[kind]);
    const { frame, host, stages } = await loop.measure([], PACES[kind]);
    const { undrawn, unposed, dropped } = await crowd.readStats();
    // a microsecond is finer than browsers' clocks
    const typical = (times: readonly number[]) => Number(median(times).toFixed(3));
    return {
      count,
      frame: typical(frame),
      host: typical(host),
      stages: Object.fromEntries(Array.from(stages, ([name, times]) => [name, typical(times)])),
      missing: undrawn + unposed + dropped,
      bytes: crowd.byteLength,
    };
  } finally {
    for (const one of owned.reverse()) one.destroy();
  }
}
