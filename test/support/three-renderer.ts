import { type Camera, type Object3D, type RenderTarget, WebGPURenderer } from 'three/webgpu';
import { testDevice } from './gpu.ts';

/** What three.js asks of a browser besides WebGPU. */
let pending: FrameRequestCallback | undefined;
Object.assign(globalThis, { self: globalThis });
globalThis.requestAnimationFrame = (callback) => {
  pending = callback;
  return 1;
};
globalThis.cancelAnimationFrame = () => {
  pending = undefined;
};

/** One frame of the browser's: three.js counts its own frames by them. */
export function browserFrame(): void {
  const callback = pending;
  pending = undefined;
  callback?.(performance.now());
}

/** A renderer of three.js on the tests' device, without a page. */
export async function threeRenderer(width: number, height: number): Promise<WebGPURenderer> {
  const { device } = await testDevice();
  const canvas = {
    width,
    height,
    style: {},
    addEventListener() {},
    removeEventListener() {},
    getContext: () => null,
  };
  const renderer = new WebGPURenderer({ canvas: canvas as unknown as HTMLCanvasElement, device });
  await renderer.init();
  return renderer;
}

/** Draws a scene and reads it back, top row first. */
export async function threePicture(
  renderer: WebGPURenderer,
  scene: Object3D,
  camera: Camera,
  target: RenderTarget,
): Promise<ArrayLike<number>> {
  browserFrame();
  renderer.setRenderTarget(target);
  renderer.render(scene, camera);
  renderer.setRenderTarget(null);
  return renderer.readRenderTargetPixelsAsync(target, 0, 0, target.width, target.height);
}
