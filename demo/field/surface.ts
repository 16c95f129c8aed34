import { type CanvasTarget, createCanvasTarget } from '../../src/render/index.ts';
import type { CanvasSize } from '../protocol.ts';

/** The canvas of a field. One renderer at a time draws on it. */
export class Surface {
  readonly #device: GPUDevice;
  readonly canvas: HTMLCanvasElement | OffscreenCanvas;
  #target: CanvasTarget | undefined;

  /** @throws ManipleError DEVICE_UNAVAILABLE, RENDER_FAILED */
  constructor(device: GPUDevice, canvas: HTMLCanvasElement | OffscreenCanvas) {
    this.#device = device;
    this.canvas = canvas;
    this.#target = createCanvasTarget(device, canvas);
  }

  /** Target for Maniple's own renderers. */
  get target(): CanvasTarget {
    return (this.#target ??= createCanvasTarget(this.#device, this.canvas));
  }

  /** Lends the canvas to a renderer that configures it. */
  lend(): HTMLCanvasElement | OffscreenCanvas {
    this.#target = undefined;
    return this.canvas;
  }

  get width(): number {
    return this.canvas.width;
  }

  get height(): number {
    return this.canvas.height;
  }

  /** Sets the size. Returns true if it has changed. */
  resize({ width, height, pixelRatio }: CanvasSize, resolution: number): boolean {
    const limit = this.#device.limits.maxTextureDimension2D;
    const scale = Math.min(pixelRatio * resolution, limit / Math.max(width, height, 1));
    const pixels = (length: number) => Math.max(1, Math.round(length * scale));
    const size = { width: pixels(width), height: pixels(height) };
    if (size.width === this.width && size.height === this.height) return false;
    Object.assign(this.canvas, size);
    return true;
  }
}
