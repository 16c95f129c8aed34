// Runs in the browser: what crowd.browser.test.ts asks of it.
import { issuesOf } from '../../src/errors.ts';
import { requestDevice, type RequestedDevice } from '../../src/index.ts';
import { createCanvasTarget, type CanvasTarget } from '../../src/render/index.ts';
import { createScene, type Scene, type SceneOptions } from './crowd.scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

interface Shown {
  readonly requested: RequestedDevice;
  readonly target: CanvasTarget;
  readonly scene: Scene;
}

/** What the page has come to. */
export interface PageState {
  readonly kind: string;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly time: number;
  readonly frame: number;
  /** Whether the device measures times, and what it measured. */
  readonly measures: boolean;
  readonly timings: Readonly<Record<string, number>>;
}

let shown: Shown | undefined;
/** What WebGPU reported to the device and nobody caught. */
const gpuErrors: string[] = [];

/** Puts a scene on the page's canvas, at so many layout pixels, without drawing it yet. */
async function open(options: SceneOptions, width: number, height: number): Promise<PageState> {
  const requested = await requestDevice();
  const { device } = requested;
  device.addEventListener('uncapturederror', ({ error }) => gpuErrors.push(error.message));
  const target = createCanvasTarget(device, document.querySelector('canvas'));
  target.resize(width, height, devicePixelRatio);
  shown = { requested, target, scene: await createScene(device, target, options) };
  return state();
}

/** Draws frames, one per animation frame of the browser. */
async function play(frames: number, dt: number): Promise<PageState> {
  for (let i = 0; i < frames; i++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await shown!.scene.frame(dt);
  }
  return state();
}

function resize(width: number, height: number): boolean {
  return shown!.target.resize(width, height, devicePixelRatio);
}

function state(): PageState {
  const { requested, target, scene } = shown!;
  return {
    kind: requested.kind,
    format: target.format,
    width: target.width,
    height: target.height,
    time: scene.crowd.time,
    frame: scene.crowd.frame,
    measures: requested.features.includes('timestamp-query'),
    timings: Object.fromEntries(scene.timings()),
  };
}

/** Lets everything go; returns the codes of what comes of using it afterwards. */
async function close(): Promise<{ update: string; view: string; lost: string }> {
  const { requested, target, scene } = shown!;
  shown = undefined;
  scene.destroy();
  const codeOf = (thrown: unknown) => issuesOf(thrown)[0]!.code;
  const update = await updateAndWait(scene.crowd, { dt: 0 }).then(() => 'nothing', codeOf);
  target.destroy();
  let view = 'nothing';
  try {
    target.view();
  } catch (thrown) {
    view = codeOf(thrown);
  }
  await requested.device.queue.onSubmittedWorkDone();
  requested.device.destroy();
  const { code, severity } = await requested.lost;
  return { update, view, lost: `${severity} ${code}` };
}

/** Clears a canvas that is on no page to linear light and returns the codes that come out. */
async function clearOffscreen(linear: number): Promise<number[]> {
  const { device } = await requestDevice();
  device.addEventListener('uncapturederror', ({ error }) => gpuErrors.push(error.message));
  const canvas = new OffscreenCanvas(300, 150);
  const target = createCanvasTarget(device, canvas);
  target.resize(20, 10, 1.5);
  const encoder = device.createCommandEncoder();
  const clearValue = [linear, linear, linear, 1];
  const colorAttachments = [{ view: target.view(), clearValue, loadOp: 'clear', storeOp: 'store' } as const];
  encoder.beginRenderPass({ colorAttachments }).end();
  device.queue.submit([encoder.finish()]);
  const context = new OffscreenCanvas(target.width, target.height).getContext('2d')!;
  context.drawImage(canvas, 0, 0);
  const { width, height, data } = context.getImageData(0, 0, target.width, target.height);
  device.destroy();
  return [width, height, ...data.subarray(0, 4)];
}

/** The code with which a canvas is refused that something else draws on. */
async function takeUsedCanvas(): Promise<string> {
  const { device } = await requestDevice();
  const canvas = document.createElement('canvas');
  canvas.getContext('2d');
  try {
    createCanvasTarget(device, canvas);
    return 'nothing';
  } catch (thrown) {
    return issuesOf(thrown)[0]!.code;
  } finally {
    device.destroy();
  }
}

const crowdTest = { open, play, resize, close, clearOffscreen, takeUsedCanvas, gpuErrors: () => gpuErrors };

declare global {
  interface Window {
    crowdTest: typeof crowdTest;
  }
}
window.crowdTest = crowdTest;
