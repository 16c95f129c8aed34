/** Functions of browsers that three.js calls, for Node. Import this file before a renderer is made. */
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

/** A canvas for renderers that draw to targets of their own; nothing can be drawn to it. */
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
