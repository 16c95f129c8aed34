/** Milliseconds between two looks. Timers are not finer. */
const PAUSE = 1;

const isNative = (callback: unknown): boolean =>
  typeof callback === 'function' && Function.prototype.toString.call(callback).includes('[native code]');

let isCalm = false;

/**
 * Has Dawn's Node binding look once a millisecond whether the GPU is done. By itself it looks again as soon as it has looked
 * (a `setImmediate` after the other), which keeps a core busy as long as anything is awaited: with a software adapter, a core
 * that the adapter would compute on.
 *
 * For programs that own their process, such as the command: it changes the global `setImmediate`, for callbacks of
 * native code. Costs up to a millisecond per wait.
 */
export function pollCalmly(): void {
  if (isCalm) return;
  isCalm = true;
  const immediate = globalThis.setImmediate;
  const calm = (callback: (...args: unknown[]) => void, ...args: unknown[]): unknown =>
    isNative(callback) ? setTimeout(callback, PAUSE, ...args) : immediate(callback, ...args);
  globalThis.setImmediate = Object.assign(calm, immediate) as typeof immediate;
}
