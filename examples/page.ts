// What the pages around the examples' subjects share: a device, a renderer, a frame again and again, and a message where
// something goes wrong. examples/hello-crowd has the same written out.
import { type CharacterId, type Crowd, requestDevice } from '../src/index.ts';
import {
  type Bounds,
  type Camera,
  createCanvasTarget,
  createForwardRenderer,
  type Statics,
} from '../src/render/index.ts';

export interface Page {
  readonly device: GPUDevice;
  readonly canvas: HTMLCanvasElement;
  /** Takes the message away that it is loading. */
  ready(): void;
  /** Whether a CPU draws: then pictures are of one sample, and shadows coarser. */
  readonly isSoftware: boolean;
  /** Calls back in every frame, with the seconds since the last one and since the first. */
  everyFrame(frame: (dt: number, time: number) => void): void;
}

/** The picture of a crowd on the page's canvas. */
export interface View {
  /** Draws a frame: the crowd `dt` seconds later, as the camera sees it. */
  draw(dt: number, camera: Camera): void;
  /** Who stands where a pointer is, in the picture that was drawn last. */
  pick(pointer: { readonly offsetX: number; readonly offsetY: number }): Promise<CharacterId | undefined>;
}

const message = document.querySelector('p')!;

/** Opens the GPU and runs the example; what either throws stands on the page. */
export function run(example: (page: Page) => Promise<void>): void {
  open().then(example).catch(say);
}

function say(thrown: unknown): void {
  message.textContent = thrown instanceof Error ? thrown.message : String(thrown);
  document.body.append(message);
}

async function open(): Promise<Page> {
  const { device, kind, lost } = await requestDevice();
  let isRunning = true;
  void lost.then((issue) => {
    isRunning = false;
    say(issue.message);
  });
  return {
    device,
    canvas: document.querySelector('canvas')!,
    ready: () => message.remove(),
    isSoftware: kind === 'software',
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

/** Makes the renderer of a page's canvas. @param bounds What casts shadows, metres: the smaller, the finer they are. */
export async function createView(page: Page, crowd: Crowd, bounds: Bounds, scenery?: Statics): Promise<View> {
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
      // These fail only when the device is lost, which has been told already.
      animated.submitted().catch(() => {});
      drawn().catch(() => {});
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
