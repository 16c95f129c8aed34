import type { RequestedDevice } from '../device/request-device.ts';
import { fail } from '../errors.ts';
import { nodeDevice } from '../node/node-gpu.ts';

/** Milliseconds between two polls. Timers are not finer. */
const PAUSE = 1;

const isNative = (callback: unknown): boolean =>
  typeof callback === 'function' && Function.prototype.toString.call(callback).includes('[native code]');

let isCalm = false;

/**
 * Makes Dawn's Node binding poll the GPU once a millisecond. By default it polls continuously (one `setImmediate` after the
 * other), which keeps a core busy while anything is awaited. A software adapter needs that core for its computations.
 *
 * For programs that own their process, such as the command line: it changes the global `setImmediate` for callbacks of
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

/**
 * The device for a subcommand that needs results. The null device gives none, and would pass zeros off as a pose.
 *
 * @throws ManipleError DEVICE_UNAVAILABLE, also for the null device; else as `nodeDevice`
 */
export async function openDevice(): Promise<RequestedDevice> {
  pollCalmly();
  const opened = await nodeDevice();
  if (opened.kind !== 'null') return opened;
  opened.device.destroy();
  const suggestion = 'Unset MANIPLE_GPU, or set it to auto.';
  return fail('DEVICE_UNAVAILABLE', 'MANIPLE_GPU', 'MANIPLE_GPU is null: that device runs nothing.', suggestion);
}
