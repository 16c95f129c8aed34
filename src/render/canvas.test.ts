import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ManipleError } from '../errors.ts';
import { createCanvasTarget } from './canvas.ts';

const LIMIT = 8192;
const device = { limits: { maxTextureDimension2D: LIMIT } } as GPUDevice;

/** A canvas that counts how often its size is set, which blanks a real one even where nothing changes. */
class FakeCanvas {
  configuration: GPUCanvasConfiguration | undefined;
  sets = 0;
  #size = { width: 300, height: 150 };
  readonly context = {
    configure: (configuration: GPUCanvasConfiguration) => (this.configuration = configuration),
    unconfigure: () => (this.configuration = undefined),
    getCurrentTexture: () => {
      if (!this.configuration) throw new Error('context is not configured.');
      return { createView: (descriptor: GPUTextureViewDescriptor) => ({ ...descriptor, size: { ...this.#size } }) };
    },
  };

  getContext(kind: string): unknown {
    return kind === 'webgpu' ? this.context : null;
  }
  get width(): number {
    return this.#size.width;
  }
  set width(width: number) {
    this.sets++;
    this.#size.width = width;
  }
  get height(): number {
    return this.#size.height;
  }
  set height(height: number) {
    this.sets++;
    this.#size.height = height;
  }
  get canvas(): OffscreenCanvas {
    return this as unknown as OffscreenCanvas;
  }
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof ManipleError) return `${thrown.code}: ${thrown.message}`;
    throw thrown;
  }
  return 'nothing';
}

describe('createCanvasTarget', () => {
  beforeEach(() => void vi.stubGlobal('navigator', { gpu: { getPreferredCanvasFormat: () => 'bgra8unorm' } }));
  afterEach(() => void vi.unstubAllGlobals());

  test('shows sRGB through a view of the preferred format', () => {
    const fake = new FakeCanvas();
    const target = createCanvasTarget(device, fake.canvas);
    expect(fake.configuration).toEqual({
      device,
      format: 'bgra8unorm',
      viewFormats: ['bgra8unorm-srgb'],
      alphaMode: 'opaque',
    });
    expect(target.format).toBe('bgra8unorm-srgb');
    expect(target.view()).toMatchObject({ format: 'bgra8unorm-srgb', size: { width: 300, height: 150 } });
  });

  test('has the canvas’s size, and sets it only where it changes', () => {
    const fake = new FakeCanvas();
    const target = createCanvasTarget(device, fake.canvas);
    expect([target.width, target.height]).toEqual([300, 150]);
    expect(target.resize(300, 150)).toBe(false);
    expect(target.resize(200, 100, 1.5)).toBe(false);
    expect(fake.sets).toBe(0);
    expect(target.resize(333.4, 100.2, 1.5)).toBe(true);
    expect([target.width, target.height]).toEqual([500, 150]);
    expect(target.resize(0, 0)).toBe(true); // a canvas that is not displayed
    expect([target.width, target.height]).toEqual([1, 1]);
  });

  test('draws no more pixels than the device can, in proportion', () => {
    const target = createCanvasTarget(device, new FakeCanvas().canvas);
    target.resize(6000, 3000, 2);
    expect([target.width, target.height]).toEqual([LIMIT, LIMIT / 2]);
    target.resize(20_000, 1);
    expect([target.width, target.height]).toEqual([LIMIT, 1]);
  });

  test.each([
    [-1, 10, 1],
    [Number.NaN, 10, 1],
    [10, Infinity, 1],
    [10, 10, 0],
    [10, 10, Number.NaN],
  ])('refuses to resize to %f × %f at %f', (width, height, ratio) => {
    const target = createCanvasTarget(device, new FakeCanvas().canvas);
    expect(codeOf(() => target.resize(width, height, ratio))).toMatch(/^RENDER_FAILED.*devicePixelRatio/);
    expect([target.width, target.height]).toEqual([300, 150]);
  });

  test('says so when there are no pixels, or too many', () => {
    const fake = new FakeCanvas();
    const target = createCanvasTarget(device, fake.canvas);
    fake.width = 0;
    expect(codeOf(() => target.view())).toMatch(/^RENDER_FAILED.*0 × 150.*resize\(\)/);
    fake.width = LIMIT + 1;
    expect(codeOf(() => target.view())).toMatch(/^RENDER_FAILED.*8193 × 150.*resize\(\)/);
  });

  test('has nothing to draw on once it is let go', () => {
    const fake = new FakeCanvas();
    const target = createCanvasTarget(device, fake.canvas);
    target.destroy();
    expect(fake.configuration).toBeUndefined();
    expect(codeOf(() => target.view())).toMatch(/^RENDER_FAILED.*not configured\. .*new target/);
  });

  test('refuses a value that is not a canvas, has another context, was transferred, or refuses the device', () => {
    expect(codeOf(() => createCanvasTarget(device, null))).toMatch(/^RENDER_FAILED.*Got null/);
    expect(codeOf(() => createCanvasTarget(device, {} as OffscreenCanvas))).toMatch(/^RENDER_FAILED.*Got object/);
    const used = Object.assign(new FakeCanvas(), { getContext: () => null });
    expect(codeOf(() => createCanvasTarget(device, used.canvas))).toMatch(/^RENDER_FAILED.*another kind/);
    const transferred = Object.assign(new FakeCanvas(), {
      getContext: () => {
        throw new Error('control was transferred.');
      },
    });
    expect(codeOf(() => createCanvasTarget(device, transferred.canvas))).toMatch(/^RENDER_FAILED.*was transferred\./);
    const fake = new FakeCanvas();
    fake.context.configure = () => {
      throw new TypeError('not a GPUDevice.');
    };
    expect(codeOf(() => createCanvasTarget(device, fake.canvas))).toMatch(/^RENDER_FAILED.*not a GPUDevice\./);
  });

  test('refuses where there is no browser with WebGPU', () => {
    vi.stubGlobal('navigator', {});
    expect(codeOf(() => createCanvasTarget(device, new FakeCanvas().canvas))).toMatch(
      /^DEVICE_UNAVAILABLE.*createReadableTarget/,
    );
  });
});
