import {
  type Camera,
  FloatType,
  NearestFilter,
  type Object3D,
  OrthographicCamera,
  RenderTarget,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import { testDevice, type TestLimits } from './gpu.ts';
import { browserFrame, canvasOf } from '../../src/bench/three/page.ts';

export { browserFrame };

/** A renderer of three.js on the tests' device, without a page. */
export async function threeRenderer(width: number, height: number, limits?: TestLimits): Promise<WebGPURenderer> {
  const { device } = await testDevice(limits && { limits });
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

/** A target of exact numbers. With names it has a texture for each output of an `mrt`. */
export function floatTarget(width: number, height: number, names: readonly string[] = []): RenderTarget {
  const target = new RenderTarget(width, height, {
    count: Math.max(names.length, 1),
    type: FloatType,
    minFilter: NearestFilter,
    magFilter: NearestFilter,
  });
  names.forEach((name, i) => (target.textures[i]!.name = name));
  return target;
}

/** Draws objects from the front, without perspective, as a square of floats, top row first. */
export async function frontPicture(
  renderer: WebGPURenderer,
  subjects: readonly Object3D[],
  { left, right, top, bottom }: Record<'left' | 'right' | 'top' | 'bottom', number>,
  size: number,
): Promise<Float32Array> {
  const target = floatTarget(size, size);
  const camera = new OrthographicCamera(left, right, top, bottom, 0.1, 9);
  camera.position.z = 4;
  camera.updateMatrixWorld();
  const picture = Float32Array.from(await threePicture(renderer, new Scene().add(...subjects), camera, target));
  target.dispose();
  return picture;
}
