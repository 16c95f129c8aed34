import type * as crowds from '../crowd/crowd.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CrowdOptions } from '../crowd/options.ts';
import { fail } from '../errors.ts';
import * as twins from '../frame/twins.ts';

let runtime: typeof crowds | undefined;

/**
 * Loads the runtime: crowds and their kernels, which are most of Maniple's code. `requestDevice`, `nodeDevice` and `loadTwins`
 * load it too. Call it only if the device is from elsewhere, such as three.js, and await it once before `createCrowd`.
 * Later calls cost nothing.
 */
export async function loadRuntime(): Promise<void> {
  runtime ??= await import('../crowd/crowd.ts');
}

/**
 * Loads the runtime, and the twins of all stages, which `backend: 'cpu'` runs. A page that uses the GPU backend need not
 * download the twins. Await it once, before `createCrowd(…, { backend: 'cpu' })`. Later calls cost nothing.
 */
export async function loadTwins(): Promise<void> {
  await Promise.all([twins.loadTwins(), loadRuntime()]);
}

/**
 * Creates a crowd on a device that you own: from `requestDevice`, or any other after `await loadRuntime()`. The CPU backend
 * works without a device. Before using it, call `await loadTwins()`.
 *
 * Memory per character of capacity, allocated here: 32 bytes of transform, 32 bytes per playable clip and 144 bytes for lists
 * and slots. Memory per spawned character: two copies of its vertices (20 bytes each; of its palette's rows with
 * `skin: 'vertex'`), its palette (48 bytes per entry) and its motion list. `vertexMemory` and `poses` limit these. Each shared
 * pose (`sharing`) takes as much as a character of capacity.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT (too many levels of detail, of one character or of all together),
 *   PROVIDER_INVALID, PROVIDER_MISSING (a provider without a twin, on the CPU backend),
 *   RUNTIME_NOT_LOADED, DEVICE_LIMIT. With `from` also SNAPSHOT_MISMATCH,
 *   SNAPSHOT_INVALID, CROWD_FULL
 * @example
 *   const { device } = await requestDevice(); // or a device of your own, and await loadRuntime()
 *   const crowd = createCrowd(device, { characters: [knight], capacity: 1000 });
 *   const army = crowd.spawn(knight, { count: 500, place: (i, at) => at.position.set(i % 25, 0, Math.floor(i / 25)) });
 *   army.play('Walk');
 *   await crowd.update({ dt: 1 / 60 });
 */
export function createCrowd(device: GPUDevice | undefined, options: CrowdOptions): Crowd {
  if (runtime) return runtime.createCrowd(device, options);
  const suggestion = 'await loadRuntime() first; requestDevice() and loadTwins() do so themselves.';
  return fail('RUNTIME_NOT_LOADED', 'createCrowd', 'is called before the runtime is loaded.', suggestion);
}
