import { deviceTier } from '../device/tier.ts';
import { fail, reasonOf } from '../errors.ts';

/** A canvas to draw on. */
export interface CanvasTarget {
  /** Format of the views: create the renderer with it. An sRGB one, except at the compatibility level. */
  readonly format: GPUTextureFormat;
  /** Pixels of the picture. A screen with several device pixels per layout pixel has fewer layout pixels. */
  readonly width: number;
  readonly height: number;
  /**
   * Returns the view for this frame's picture. Call it once a frame and submit within the same task. After that the
   * browser shows the picture, and the view is invalid.
   *
   * @throws ManipleError RENDER_FAILED: the canvas has no pixels, more than the device can draw, or was released
   */
  view(): GPUTextureView;
  /**
   * Gives the canvas `width` × `height` × `devicePixelRatio`² pixels and returns whether that was a change. Cheap to
   * call every frame. It has at least one pixel each way. Sizes that the device cannot draw (`maxTextureDimension2D`)
   * are scaled down in proportion. CSS decides how large the canvas appears on a page.
   *
   * @param width Layout (CSS) pixels, as `canvas.clientWidth` has them; so is `height`.
   * @param devicePixelRatio Pixels to draw per layout pixel, such as `window.devicePixelRatio`; default 1. Explicit,
   *   since workers cannot know it, and since a smaller one is the simplest way to a faster picture.
   * @throws ManipleError RENDER_FAILED: a number is negative or not finite, or the canvas was transferred elsewhere
   */
  resize(width: number, height: number, devicePixelRatio?: number): boolean;
  /** Releases the canvas: it turns blank, and another target can use it. */
  destroy(): void;
}

/**
 * Takes a canvas of a page, or an OffscreenCanvas in a worker, to draw on. Its pixels are opaque sRGB; renderers write
 * linear colours and the view converts them. The canvas keeps its size until `resize`.
 *
 * A canvas has one target at a time: a second one replaces the first. When the device is lost (see
 * `requestDevice(…).lost`), drawing does nothing. A new device needs a new target.
 *
 * @throws ManipleError
 *  - DEVICE_UNAVAILABLE: not a browser with WebGPU
 *  - RENDER_FAILED: not a canvas, or one that other code draws on, or not a device of this browser
 * @example
 *   const target = createCanvasTarget(device, document.querySelector('canvas'));
 *   const renderer = await createForwardRenderer(device, crowd, { format: target.format });
 *   // each frame
 *   target.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);
 *   renderer.render(encoder, { camera, bounds, target: target.view(), width: target.width, height: target.height });
 */
export function createCanvasTarget(
  device: GPUDevice,
  canvas: HTMLCanvasElement | OffscreenCanvas | null | undefined,
): CanvasTarget {
  const gpu: GPU | undefined = globalThis.navigator?.gpu;
  if (!gpu) {
    const suggestion = 'Where there is no canvas to show, draw to createReadableTarget().';
    fail('DEVICE_UNAVAILABLE', 'canvas', 'This browser has no WebGPU.', suggestion);
  }
  if (typeof canvas?.getContext !== 'function') {
    const suggestion =
      'Pass an HTMLCanvasElement or an OffscreenCanvas; a script may have run before its page was read.';
    fail('RENDER_FAILED', 'canvas', `Got ${canvas === null ? 'null' : typeof canvas}; expected a canvas.`, suggestion);
  }
  const context = openContext(canvas);
  // canvases cannot have sRGB formats, but views of their textures can; at the compatibility level renderers encode
  const stored = gpu.getPreferredCanvasFormat();
  const isCore = deviceTier(device) === 'core';
  const format = isCore ? (`${stored}-srgb` as GPUTextureFormat) : stored;
  try {
    context.configure({ device, format: stored, viewFormats: isCore ? [format] : [], alphaMode: 'opaque' });
  } catch (reason) {
    const suggestion = "Pass a GPUDevice of this page's own, such as requestDevice() returns.";
    fail('RENDER_FAILED', 'canvas', `The canvas refuses the device: ${reasonOf(reason)}.`, suggestion);
  }
  const limit = device.limits.maxTextureDimension2D;

  return {
    format,
    get width() {
      return canvas.width;
    },
    get height() {
      return canvas.height;
    },
    view() {
      checkPixels(canvas, limit);
      try {
        return context.getCurrentTexture().createView({ label: 'canvas', format });
      } catch (reason) {
        const suggestion = 'destroy() or other code has released it: create a new target.';
        return fail('RENDER_FAILED', 'canvas', `The canvas has no texture: ${reasonOf(reason)}.`, suggestion);
      }
    },
    resize(width, height, devicePixelRatio = 1) {
      const size = fittingSize(width, height, devicePixelRatio, limit);
      if (size.width === canvas.width && size.height === canvas.height) return false; // setting it would blank the canvas
      try {
        Object.assign(canvas, size);
      } catch (reason) {
        const suggestion = 'Resize it in the worker that it was transferred to.';
        fail('RENDER_FAILED', 'canvas', `The canvas cannot be resized: ${reasonOf(reason)}.`, suggestion);
      }
      return true;
    },
    destroy: () => context.unconfigure(),
  };
}

function openContext(canvas: HTMLCanvasElement | OffscreenCanvas): GPUCanvasContext {
  const suggestion = 'Give Maniple a canvas of its own, on which nothing has called getContext().';
  try {
    const context = (canvas as OffscreenCanvas).getContext('webgpu');
    if (context) return context;
  } catch (reason) {
    fail('RENDER_FAILED', 'canvas', `The canvas has no WebGPU context: ${reasonOf(reason)}.`, suggestion);
  }
  return fail('RENDER_FAILED', 'canvas', 'The canvas already has a context of another kind.', suggestion);
}

/** WebGPU would report these to the device, far from here, and show nothing. */
function checkPixels({ width, height }: { width: number; height: number }, limit: number): void {
  if (Math.min(width, height) >= 1 && Math.max(width, height) <= limit) return;
  const message = `Got ${width} × ${height} pixels; the device draws 1 to ${limit} each way.`;
  fail('RENDER_FAILED', 'canvas', message, 'Call resize(), which keeps to that.');
}

function fittingSize(width: number, height: number, ratio: number, limit: number) {
  const usable = (value: number) => Number.isFinite(value) && value >= 0;
  if (![width, height, ratio].every(usable) || ratio === 0) {
    const message = `Got ${width} × ${height} layout pixels of ${ratio} pixels each way.`;
    fail('RENDER_FAILED', 'canvas', message, 'Pass clientWidth, clientHeight and devicePixelRatio.');
  }
  const scale = Math.min(ratio, limit / Math.max(width, height, 1));
  const pixels = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: pixels(width), height: pixels(height) };
}
