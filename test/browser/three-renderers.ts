// Runs in the browser: renderers of three.js, and pictures of them that can be compared.
import { RenderTarget, WebGPURenderer, type Camera, type Object3D, type Scene } from 'three/webgpu';
import { WebGLRenderer, type WebGLRenderTarget } from 'three';
import { requestDevice } from '../../src/device/request-device.ts';
import { issuesOf } from '../../src/errors.ts';

/** Renderers of three.js, and how they draw. */
export type Kind = 'core' | 'compatibility' | 'nodes on WebGL' | 'WebGLRenderer';
export type Size = readonly [width: number, height: number];
export type AnyRenderer = WebGPURenderer | WebGLRenderer;

export async function rendererOf(kind: Kind, [width, height]: Size): Promise<AnyRenderer> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  if (kind === 'WebGLRenderer') return new WebGLRenderer({ canvas });
  const small = kind === 'compatibility' && (await requestDevice({ featureLevel: 'compatibility' }));
  const renderer = new WebGPURenderer({
    canvas,
    forceWebGL: kind === 'nodes on WebGL',
    ...(small && { device: small.device }),
  });
  await renderer.init();
  return renderer;
}

/** A target for every renderer: the older one looks for its own class. */
export function targetOf(size: Size): RenderTarget {
  return Object.assign(new RenderTarget(...size), { isWebGLRenderTarget: true });
}

/** Pixels of a target, or of one of its layers, with the top row first. */
export async function read(renderer: AnyRenderer, target: RenderTarget, layer = 0): Promise<number[]> {
  const { width, height } = target;
  if (renderer instanceof WebGLRenderer) {
    const pixels = new Uint8Array(4 * width * height);
    renderer.readRenderTargetPixels(target as unknown as WebGLRenderTarget, 0, 0, width, height, pixels);
    return upright([...pixels], width);
  }
  const found = await renderer.readRenderTargetPixelsAsync(target, 0, 0, width, height, 0, layer);
  const pixels = [...(found as Uint8Array)];
  return 'isWebGLBackend' in renderer.backend ? upright(pixels, width) : pixels;
}

function upright(pixels: number[], width: number): number[] {
  const rows = Array.from({ length: pixels.length / (4 * width) }, (_, y) =>
    pixels.slice(4 * width * y, 4 * width * (y + 1)),
  );
  return rows.reverse().flat();
}

/** Waits for the next frame of the page. WebGPURenderer draws shadow maps once in a frame of the page. */
export function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

export function render(renderer: AnyRenderer, scene: Scene, camera: Camera, target: RenderTarget): void {
  renderer.setRenderTarget(target as never);
  renderer.render(scene as Object3D, camera);
  renderer.setRenderTarget(null);
}

/** Names the code of an error that a call from the test throws. */
export const coded = <A extends readonly unknown[], T>(run: (...args: A) => Promise<T>) => {
  return async (...args: A): Promise<T> => {
    try {
      return await run(...args);
    } catch (thrown) {
      const [issue] = issuesOf(thrown);
      throw issue ? new Error(`${issue.code} at ${issue.path}: ${issue.message}`) : thrown;
    }
  };
};
