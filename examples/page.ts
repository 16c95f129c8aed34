// Code shared by the example pages: a device, a renderer, a frame loop, and a message when something fails.
// examples/hello-crowd has the same written out.
import { type CharacterId, type Crowd, issuesOf, requestDevice, type RequestedDevice } from '../src/index.ts';
import {
  type Bounds,
  type Camera,
  createCanvasTarget,
  createForwardRenderer,
  type Scenery,
} from '../src/render/index.ts';

export interface Page {
  readonly device: GPUDevice;
  readonly canvas: HTMLCanvasElement;
  /** Removes the loading message. */
  ready(): void;
  /** True if the CPU draws: then pictures have one sample per pixel, and shadows are coarser. */
  readonly isSoftware: boolean;
  /** Calls `frame` in every frame, with the seconds since the last frame and since the first. */
  everyFrame(frame: (dt: number, time: number) => void): void;
}

/** A page with or without WebGPU. Without it three.js draws with WebGL 2. */
export type ThreePage = Omit<Page, 'device'> & { readonly device: GPUDevice | undefined };

/** The picture of a crowd on the page's canvas. */
export interface View {
  /** Advances the crowd by `dt` seconds and draws it. */
  draw(dt: number, camera: Camera): void;
  /** Returns the character under a pointer in the last picture. */
  pick(pointer: { readonly offsetX: number; readonly offsetY: number }): Promise<CharacterId | undefined>;
}

const message = document.querySelector('p')!;

/** Opens the GPU and runs the example. Shows errors of both on the page. */
export function run(example: (page: Page) => Promise<void>): void {
  const open = async () => {
    const requested = await requestDevice().catch((thrown: unknown) => {
      const lack = lackOf(thrown);
      throw lack ? new Error(`This example needs WebGPU. ${lack.message} ${lack.suggestion ?? ''}`) : thrown;
    });
    return { ...pageOn(requested), device: requested.device };
  };
  open().then(example).catch(say);
}

/** The same for an example of three.js that also runs without WebGPU. */
export function runInThree(example: (page: ThreePage) => Promise<void>): void {
  const open = async () => {
    const requested = await requestDevice().catch((thrown: unknown) => {
      if (!lackOf(thrown)) throw thrown;
      return undefined;
    });
    return { ...pageOn(requested), device: requested?.device };
  };
  open().then(example).catch(say);
}

/** The issue that says why there is no WebGPU. */
function lackOf(thrown: unknown) {
  return issuesOf(thrown).find(({ code }) => code === 'DEVICE_UNAVAILABLE');
}

function say(thrown: unknown): void {
  message.textContent = thrown instanceof Error ? thrown.message : String(thrown);
  document.body.append(message);
}

function pageOn(requested: RequestedDevice | undefined): Omit<Page, 'device'> {
  let isRunning = true;
  void requested?.lost.then((issue) => {
    isRunning = false;
    say(issue.message);
  });
  return {
    canvas: document.querySelector('canvas')!,
    ready: () => message.remove(),
    isSoftware: requested?.kind === 'software',
    everyFrame(frame) {
      const first = performance.now();
      let last = first;
      requestAnimationFrame(function next(now) {
        const dt = Math.min(Math.max(now - last, 0) / 1000, 0.1); // a page in the background gets no frames for a while
        last = now;
        try {
          frame(dt, (now - first) / 1000);
        } catch (thrown) {
          isRunning = false;
          say(thrown);
        }
        if (isRunning) requestAnimationFrame(next);
      });
    },
  };
}

/** Creates the renderer for a page's canvas. @param bounds Bounds of all shadow casters, metres. Smaller bounds give finer shadows. */
export async function createView(page: Page, crowd: Crowd, bounds: Bounds, scenery?: Scenery): Promise<View> {
  const { device, canvas, isSoftware } = page;
  const target = createCanvasTarget(device, canvas);
  const renderer = await createForwardRenderer(device, crowd, {
    format: target.format,
    cascadeCount: 1,
    ...(isSoftware && { sampleCount: 1, shadowResolution: 512 }),
    ...(scenery && { scenery }),
  });
  page.ready();
  let seen: Camera | undefined;
  return {
    draw(dt, camera) {
      seen = camera;
      target.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);
      const { width, height } = target;
      const encoder = device.createCommandEncoder();
      const animated = crowd.encode(encoder, { dt });
      const drawn = renderer.render(encoder, { camera, bounds, target: target.view(), width, height });
      device.queue.submit([encoder.finish()]);
      // These fail only when the device is lost, which is already reported.
      animated.submitted().catch(() => {});
      drawn.submitted().catch(() => {});
    },
    async pick({ offsetX, offsetY }) {
      if (!seen) return undefined;
      const { width, height } = target;
      const found = await renderer.pick(
        { camera: seen, width, height },
        (offsetX / canvas.clientWidth) * width,
        (offsetY / canvas.clientHeight) * height,
      );
      return found?.id;
    },
  };
}
