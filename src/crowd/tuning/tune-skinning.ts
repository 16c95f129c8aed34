import { type Character, expectCharacter } from '../../character/character.ts';
import { expectList, refuseArgument } from '../arguments.ts';
import type { SkinTuning } from './measure-skins.ts';
import type { TuningCache } from './skin-records.ts';

export interface TuneOptions {
  /** Where measurements are kept; default: nowhere. */
  readonly cache?: TuningCache;
}

/**
 * Finds out how each mesh is skinned fastest on this device: palettes in workgroup memory or where they lie, and how many
 * characters share a workgroup. Measured by timestamp queries on the mesh itself, with 64 to 512 of it at rest; under 300 ms a mesh
 * on a GPU, besides what compiling takes, and kept in `cache` by adapter and mesh. Software adapters, and devices without
 * `timestamp-query` for what is not in the cache, measure nothing: they get the rule that goes for everyone (`source: 'rule'`).
 * Vertex providers are left out of what is measured.
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
