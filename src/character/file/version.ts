import { View } from '../../layout/index.ts';
import type { CharacterMesh } from '../character.ts';
import { GEOMETRY_NAMED, GeometryHeader, LOADER_MORPH, LOADER_VARIABLE } from '../format/geometry-layout.ts';
import { takesSecondTexcoords, type MaterialModel } from '../model.ts';
import type { ClipStats } from '../pack/pack-clip.ts';

/** The newest version that `readBaked` reads. `writeBaked` writes the oldest version that can hold the character. */
export const BAKED_VERSION = 5;

/** Version 2 added channel tables, and the loader bits for them. */
const TABLES_SINCE = 2;
/** Version 3 added named channels, and textures that are looked up by one of them. */
const NAMED_SINCE = 3;
/** Version 4 added clips in sampled form. */
const SAMPLED_SINCE = 4;
/** Version 5 added clips in sections of their own. */
export const STREAMED_SINCE = 5;

/** The oldest version that can hold a character with meshes of all levels. */
export function versionFor(
  meshes: readonly Pick<CharacterMesh, 'geometry' | 'batchRuns'>[],
  materials: readonly MaterialModel[],
  clips: readonly Pick<ClipStats, 'form'>[],
): number {
  return Math.max(...meshes.map(versionOfMesh), ...materials.map(versionOfMaterial), ...clips.map(versionOfClip));
}

export function versionOfMesh({ geometry, batchRuns }: Pick<CharacterMesh, 'geometry' | 'batchRuns'>): number {
  if (geometry.byteLength < GeometryHeader.size) return 1;
  const header = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1);
  if (header.get(0, 'flags') & GEOMETRY_NAMED) return NAMED_SINCE;
  const tables = header.get(0, 'channelRow') !== 0;
  const loaders = batchRuns.some(({ variant }) => variant > (LOADER_VARIABLE | LOADER_MORPH));
  return tables || loaders ? TABLES_SINCE : 1;
}

export function versionOfMaterial(material: MaterialModel): number {
  return takesSecondTexcoords(material) ? NAMED_SINCE : 1;
}

export function versionOfClip({ form }: Pick<ClipStats, 'form'>): number {
  return form === 'sampled' ? SAMPLED_SINCE : 1;
}
