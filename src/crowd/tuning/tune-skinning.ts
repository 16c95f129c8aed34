import { type Character, expectCharacter } from '../../character/character.ts';
import { expectList, refuseArgument } from '../arguments.ts';
import type { SkinTuning } from './measure-skins.ts';
import type { TuningCache } from './skin-records.ts';

export interface TuneOptions {
  /** Where measurements are kept; default: nowhere. */
  readonly cache?: TuningCache;
}

/**
 * Finds the fastest way to skin each mesh on this device: palettes in workgroup memory or in storage, and the number of
 * characters per workgroup. It measures 64 to 512 copies of the mesh at rest by timestamp queries. This takes under 300 ms a mesh on
 * a GPU, without compilation. Results are kept in `cache` by adapter and mesh. Software adapters measure nothing, and neither do
 * devices without `timestamp-query` for meshes outside the cache: they use the general rule (`source: 'rule'`). Vertex providers
 * are not measured.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT, DEVICE_LOST
 * @example
 *   const cache: TuningCache = {
 *     get: (key) => localStorage.getItem(key),
 *     set: (key, text) => localStorage.setItem(key, text),
 *   };
 *   const skinning = await tuneSkinning(device, [knight], { cache });
 *   const crowd = await createCrowd(device, { characters: [knight], capacity: 5000, kernels: { skinning } });
 */
export async function tuneSkinning(
  device: GPUDevice,
  characters: readonly Character[],
  { cache }: TuneOptions = {},
): Promise<SkinTuning> {
  if (typeof device?.createBuffer !== 'function') refuseArgument('device', device, 'a GPUDevice');
  expectList('characters', characters);
  for (const character of characters) expectCharacter(character);
  const { measureSkins } = await import('./measure-skins.ts');
  return measureSkins(device, characters, cache);
}
