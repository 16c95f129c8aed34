/** What three.js asks of a browser besides WebGPU, in Node. Import it ahead of making a renderer. */
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

/** Stands where a renderer wants a canvas; nothing can be drawn to it. */
export function canvasOf(width: number, height: number): HTMLCanvasElement {
  const canvas = {
    width,
    height,
    style: {},
    addEventListener() {},
    removeEventListener() {},
    getContext: () => null,
  };
  return canvas as unknown as HTMLCanvasElement;
}
