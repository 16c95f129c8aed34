import type * as crowds from '../crowd/crowd.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CrowdOptions } from '../crowd/options.ts';
import { fail } from '../errors.ts';
import * as twins from '../frame/twins.ts';

let runtime: typeof crowds | undefined;

/**
 * Loads the runtime: crowds and their kernels, most of what Maniple is. `requestDevice` and `nodeDevice` do so while the device
 * comes, and `loadTwins` does. Await it once, before `createCrowd`, where the device comes from elsewhere: from three.js, say.
 * Later calls cost nothing.
 */
export async function loadRuntime(): Promise<void> {
  runtime ??= await import('../crowd/crowd.ts');
}

/**
 * Loads the twins of all stages, which `backend: 'cpu'` runs, and the runtime: a page which draws on its GPU need not download the
 * twins. Await it once, before `createCrowd(…, { backend: 'cpu' })`; later calls cost nothing.
 */
export async function loadTwins(): Promise<void> {
  await Promise.all([twins.loadTwins(), loadRuntime()]);
}

/**
 * Creates a crowd on a device that you own: `requestDevice`'s, or any other after `await loadRuntime()`. The CPU backend does
 * without, and takes `await loadTwins()` ahead of it.
 *
 * Memory: 32 bytes of transform, 32 bytes per playable clip and 144 bytes for lists and slots per character of capacity, all
 * allocated here; per spawned character two copies of its vertices (20 bytes each; of its palette's rows with `skin: 'vertex'`), its
 * palette (48 bytes per entry) and its motion list, as far as `vertexMemory` and `poses` allow. Each pose that `sharing` provides
 * takes as much as a character of capacity.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT (more levels of detail, of one character or of all, than can be told
 *   apart), PROVIDER_INVALID, PROVIDER_MISSING (no twin, on the CPU),
 *   RUNTIME_NOT_LOADED, DEVICE_LIMIT; with `from` also SNAPSHOT_MISMATCH,
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
