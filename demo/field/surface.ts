import { type CanvasTarget, createCanvasTarget } from '../../src/render/index.ts';
import type { CanvasSize } from '../protocol.ts';

/** The canvas of a field. One renderer at a time draws on it. */
export class Surface {
  readonly #device: GPUDevice | undefined;
  readonly canvas: HTMLCanvasElement | OffscreenCanvas;
  #target: CanvasTarget | undefined;

  /** @param device Undefined with WebGL 2: then only three.js draws. @throws ManipleError DEVICE_UNAVAILABLE, RENDER_FAILED */
  constructor(device: GPUDevice | undefined, canvas: HTMLCanvasElement | OffscreenCanvas) {
    this.#device = device;
    this.canvas = canvas;
    this.#target = device && createCanvasTarget(device, canvas);
  }

  /** Target for Maniple's own renderers. */
  get target(): CanvasTarget {
    return (this.#target ??= createCanvasTarget(this.#device!, this.canvas));
  }

  /** Lends the canvas to a renderer that configures it. */
  lend(): HTMLCanvasElement | OffscreenCanvas {
    this.#target = undefined;
    return this.canvas;
  }

  /** Frees the canvas's context of WebGL, of which browsers have few. */
  releaseWebgl(): void {
    const gl = this.canvas.getContext('webgl2') as WebGL2RenderingContext | null;
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
  }

  get width(): number {
    return this.canvas.width;
  }

  get height(): number {
    return this.canvas.height;
  }

  /** Sets the size. Returns true if it has changed. */
  resize({ width, height, pixelRatio }: CanvasSize, resolution: number): boolean {
    const limit = this.#device?.limits.maxTextureDimension2D ?? 4096;
    const scale = Math.min(pixelRatio * resolution, limit / Math.max(width, height, 1));
    const pixels = (length: number) => Math.max(1, Math.round(length * scale));
    const size = { width: pixels(width), height: pixels(height) };
    if (size.width === this.width && size.height === this.height) return false;
    Object.assign(this.canvas, size);
    return true;
  }
}
