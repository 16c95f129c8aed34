import { type Camera, type Object3D, type RenderTarget, WebGPURenderer } from 'three/webgpu';
import { testDevice } from './gpu.ts';
import { browserFrame, canvasOf } from './three-page.ts';

export { browserFrame };

/** A renderer of three.js on the tests' device, without a page. */
export async function threeRenderer(width: number, height: number): Promise<WebGPURenderer> {
  const { device } = await testDevice();
  const renderer = new WebGPURenderer({ canvas: canvasOf(width, height), device });
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
