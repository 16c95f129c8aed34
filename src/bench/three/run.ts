import { WebGPURenderer } from 'three/webgpu';
import { browserFrame, canvasOf } from './page.ts';
import type { Heat } from '../frames.ts';
import { createHeater } from '../gpu/gpu-heater.ts';
import { median } from '../statistics.ts';
import { type Picture, pictureOf } from './pictures.ts';
import type { Plan } from './plan.ts';
import type { Soldier } from './soldier.ts';
import { type PictureSize, type Stage, stageOf } from './stage.ts';
import type { MakeSubject, Subject } from './subject.ts';

const DT = 1 / 60;
/** Frames under way at once, as browsers have them. */
const IN_FLIGHT = 2;
const LEAST_FRAMES = 4;
/** Frames after which a crowd has detected its views, and freed what only its first frame needed. */
const SETTLED_FRAMES = 100;

export interface Setting {
  readonly device: GPUDevice;
  readonly isHardware: boolean;
  readonly soldier: Soldier;
  readonly size: PictureSize;
  readonly shadowTexels: number | undefined;
  /** Work before each frame. Default on a GPU: a heater for a large one. */
  readonly heat?: Heat | undefined;
}

export interface Budget {
  /** Frames of each kind of measurement. */
  readonly frames: number;
  /** Seconds after which fewer of them will do, four at least. */
  readonly seconds: number;
}

/** Milliseconds of one frame, by `typicalOf`, and bytes. */
export interface Measured {
  /** CPU work before `render`: mixers, skeletons, `update`. */
  readonly step: number;
  readonly render: number;
  /** All passes, by their timestamps. */
  readonly gpu: number;
  /** Median interval between frames, with two in flight. */
  readonly frame: number;
  /** Longest interval between frames: mostly the garbage collector of the process. */
  readonly pause: number;
  /** GPU memory, as far as known, with the picture and the ground, which all subjects have. */
  readonly bytes: number;
  /** Seconds until the first frame was drawn. */
  readonly setUp: number;
}

/** Returns the median; on a software adapter the minimum, because other work on the machine adds to the times. */
export function typicalOf({ isHardware }: Setting, times: readonly number[]): number {
  return isHardware ? median(times) : Math.min(...times);
}

/**
 * Builds a subject in a renderer of its own, measures it, and takes it down.
 * @param onFrame Called with the CPU's and the GPU's milliseconds of each measured frame.
 * @throws DoesNotFit
 */
export async function measureSubject(
  make: MakeSubject,
  plan: Plan,
  setting: Setting,
  { frames, seconds }: Budget,
  onFrame?: (host: number, gpu: number) => void,
): Promise<Measured> {
  const { device, isHardware } = setting;
  const before = performance.now();
  const show = await open(make, plan, setting);
  show.step();
  show.render();
  await device.queue.onSubmittedWorkDone();
  const setUp = (performance.now() - before) / 1000;
  const heat = setting.heat ?? (isHardware ? createHeater(device) : undefined);

  const [step, render, gpu]: number[][] = [[], [], []];
  const measureFrame = async (withOwnPasses: boolean) => {
    if (heat) {
      const encoder = device.createCommandEncoder();
      heat(encoder);
      device.queue.submit([encoder.finish()]);
    }
    const begin = performance.now();
    show.step();
    const stepped = performance.now();
    show.render();
    const rendered = performance.now();
    return [stepped - begin, rendered - stepped, await show.gpuTime(withOwnPasses)] as const;
  };
  for (const _ of upTo(isHardware ? frames : 2, seconds)) await measureFrame(false); // compilers warm up, and a crowd detects its views
  for (const _ of upTo(frames, seconds)) {
    const [stepped, rendered] = await measureFrame(false);
    step!.push(stepped);
    render!.push(rendered);
  }
  // last: a crowd measures its stages from the first question on, which takes CPU time
  for (const i of upTo(step!.length, seconds)) {
    const [, , drawn] = await measureFrame(true);
    gpu!.push(drawn);
    onFrame?.(step![i]! + render![i]!, drawn);
  }
  const intervals = await frameIntervals(show, device, upTo(frames + IN_FLIGHT, seconds));
  const [typicalStep, typicalRender, typicalGpu] = [step, render, gpu].map((times) => typicalOf(setting, times!));
  const { own, three } = show.memory();
  const measured = {
    step: typicalStep!,
    render: typicalRender!,
    gpu: typicalGpu!,
    frame: median(intervals),
    pause: Math.max(...intervals),
    bytes: own + three,
    setUp,
  };
  await show.close();
  return measured;
}

/** Milliseconds from one finished frame to the next, with IN_FLIGHT frames in flight. */
async function frameIntervals(show: Show, device: GPUDevice, frames: Iterable<number>): Promise<number[]> {
  const pending: Promise<unknown>[] = [];
  const finished: number[] = [];
  const finish = async () => {
    await pending.shift();
    finished.push(performance.now());
  };
  for (const _ of frames) {
    show.step();
    show.render();
    pending.push(device.queue.onSubmittedWorkDone());
    if (pending.length > IN_FLIGHT) await finish();
  }
  // their intervals are those of a queue that runs dry
  await Promise.all(pending);
  return finished.slice(1).map((time, i) => time - finished[i]!);
}

/** How a subject looks after some frames, and `later` seconds. */
export async function pictureOfSubject(make: MakeSubject, plan: Plan, setting: Setting, later = 0): Promise<Picture> {
  const show = await open(make, plan, setting);
  // a crowd detects its views from the second frame on
  for (let frame = 0; frame < 8; frame++) {
    show.step(frame === 0 ? later + DT : DT);
    show.render();
    await setting.device.queue.onSubmittedWorkDone();
  }
  const picture = await pictureOf(show.renderer, show.stage.target);
  await show.close();
  return picture;
}

/** Bytes of a subject's own memory, and of what three.js counts, once all its characters have been drawn. */
export async function memoryOfSubject(
  make: MakeSubject,
  plan: Plan,
  setting: Setting,
): Promise<{ readonly own: number; readonly three: number }> {
  const show = await open(make, plan, setting);
  for (let frame = 0; frame < SETTLED_FRAMES; frame++) {
    show.step();
    show.render();
    await setting.device.queue.onSubmittedWorkDone();
  }
  const memory = show.memory();
  await show.close();
  return memory;
}

interface Show {
  readonly renderer: WebGPURenderer;
  readonly stage: Stage;
  step(dt?: number): void;
  render(): void;
  /** GPU milliseconds of the last frame. @param withOwnPasses Includes passes outside of three's. */
  gpuTime(withOwnPasses: boolean): Promise<number>;
  memory(): { readonly own: number; readonly three: number };
  close(): Promise<void>;
}

async function open(make: MakeSubject, plan: Plan, { device, soldier, size, shadowTexels }: Setting): Promise<Show> {
  const canvas = canvasOf(size.width, size.height);
  const renderer = new WebGPURenderer({ canvas, device, trackTimestamp: true });
  await renderer.init();
  renderer.shadowMap.enabled = shadowTexels !== undefined;
  const subject: Subject = await make({ renderer, device, soldier, plan });
  const stage = stageOf(subject.object, plan, size, shadowTexels);
  renderer.setRenderTarget(stage.target);
  return {
    renderer,
    stage,
    step(dt = DT) {
      browserFrame();
      subject.step(dt);
    },
    render: () => renderer.render(stage.scene, stage.camera),
    async gpuTime(withOwnPasses) {
      const render = (await renderer.resolveTimestampsAsync('render')) ?? 0;
      const compute = (await renderer.resolveTimestampsAsync('compute')) ?? 0;
      await device.queue.onSubmittedWorkDone();
      return render + compute + ((withOwnPasses && subject.ownPasses?.()) || 0);
    },
    memory: () => ({
      own: subject.ownBytes?.() ?? 0,
      three: (renderer.info.memory as { total?: number }).total!,
    }),
    async close() {
      subject.dispose();
      stage.target.dispose();
      await renderer.dispose();
      await device.queue.onSubmittedWorkDone();
    },
  };
}

/** Frames until there are enough, or some when time is up. */
function* upTo(frames: number, seconds: number): Generator<number> {
  const begin = performance.now();
  for (let frame = 0; frame < frames; frame++) {
    if (frame >= LEAST_FRAMES && performance.now() - begin > 1000 * seconds) return;
    yield frame;
  }
}
