import type { Crowd } from './crowd.ts';
import type { CrowdOptions } from './options.ts';

/**
 * Creates a crowd on a device that you own: from `requestDevice`, or any other. The CPU backend works without a device.
 *
 * Downloads the code of crowds, which is most of Maniple's, unless `requestDevice` has done so. Also downloads the twins of all
 * stages for `backend: 'cpu'`. Kernels are compiled by `crowd.ready()`, else by the first frame that needs them.
 *
 * Memory per character of capacity, allocated here: 32 bytes of transform, 32 bytes per playable clip and 144 bytes for lists
 * and slots. Memory per spawned character: its palette (48 bytes per entry), its motion list, and a slot. A slot has two copies of
 * the positions (8 bytes a vertex), the normals, and the tangents if some type has them (4 bytes each). With `skin: 'vertex'` it has
 * two copies of the palette. `maxVertexBytes` and `maxPoses` limit these. Each shared pose (`poseSharing`) takes as much as a
 * character of capacity.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_LIMIT (too many levels of detail, of one character or of all together),
 *   PROVIDER_INVALID, PROVIDER_MISSING (a provider without a twin, on the CPU backend), DEVICE_LIMIT
 * @example
 *   const { device } = await requestDevice(); // or a device of your own
 *   const crowd = await createCrowd(device, { characters: [knight], capacity: 1000 });
 *   const army = crowd.spawn(knight, { count: 500, place: (i, at) => at.position.set(i % 25, 0, Math.floor(i / 25)) });
 *   army.play('Walk');
 *   crowd.update({ dt: 1 / 60 });
 */
export async function createCrowd(device: GPUDevice | undefined, options: CrowdOptions): Promise<Crowd> {
  const taken = { ...options }; // the caller may change its object meanwhile
  const [{ Crowd }, twins] = await Promise.all([
    import('./crowd.ts'),
    taken.backend === 'cpu' ? import('../frame/cpu/backend.ts') : undefined,
  ]);
  await twins?.prepareCpuBackend();
  return new Crowd(device, taken, { createCpuBackend: twins?.createCpuBackend });
}
