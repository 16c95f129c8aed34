import { expectObject } from '../crowd/arguments.ts';
import { expectCrowd } from '../crowd/internals.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { RebuildOptions, RebuiltCrowd } from './rebuild-lost.ts';

/**
 * Rebuilds a crowd on another device after its own was lost. Ids, clock, characters, parameters, clips and the joints
 * that the application sets stay the same. With `snapshots` (an option of `createCrowd`) states do, too, and the
 * vertices are as if nothing had happened. Listeners move to the new crowd and receive each event once. Groups,
 * attachments and renderers belong to one crowd: create them again with `crowd.group(ids)`, `crowd.attachmentsOf(id)`
 * and `createForwardRenderer`. The lost crowd is destroyed.
 *
 * Takes as long as creating a crowd, and the frames since the last snapshot. Only the last nine make poses, unless
 * something is attached or a vertex provider updates its rows.
 *
 * @param device Undefined for a crowd on the CPU that has none.
 * @throws ManipleError CROWD_DESTROYED, PROVIDER_RESOURCE (resources that are not given), DEVICE_LIMIT, DEVICE_LOST
 *   (the new one, too)
 */
export async function rebuildCrowd(
  lost: Crowd,
  device: GPUDevice | undefined,
  options: RebuildOptions = {},
): Promise<RebuiltCrowd> {
  expectCrowd(lost);
  expectObject('options', options);
  const { rebuildLost } = await import('./rebuild-lost.ts');
  return rebuildLost(lost, device, options);
}
