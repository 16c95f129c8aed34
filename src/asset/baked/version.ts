import { View } from '../../layout/index.ts';
import type { CharacterMesh } from '../character.ts';
import { GEOMETRY_NAMED, GeometryHeader, LOADER_MORPH, LOADER_VARIABLE } from '../geometry-layout.ts';
import { takesSecondTexcoords, type MaterialModel } from '../model.ts';

/** The newest version that `readBaked` reads. `writeBaked` writes the oldest that can say what it has to. */
export const BAKED_VERSION = 3;

/** Version 2 brought channel tables, and the loader bits that go with them. */
const TABLES_SINCE = 2;
/** Version 3 brought named channels, and textures that are looked up by one of them. */
const NAMED_SINCE = 3;

/** The version that a character takes, with meshes of all levels. */
export function versionFor(
  meshes: readonly Pick<CharacterMesh, 'geometry' | 'batchRuns'>[],
  materials: readonly MaterialModel[],
): number {
  return Math.max(...meshes.map(versionOfMesh), ...materials.map(versionOfMaterial));
}

/** The version that a mesh takes. */
export function versionOfMesh({ geometry, batchRuns }: Pick<CharacterMesh, 'geometry' | 'batchRuns'>): number {
  if (geometry.byteLength < GeometryHeader.size) return 1;
  const header = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1);
  if (header.get(0, 'flags') & GEOMETRY_NAMED) return NAMED_SINCE;
  const tables = header.get(0, 'channelRow') !== 0;
  const loaders = batchRuns.some(({ variant }) => variant > (LOADER_VARIABLE | LOADER_MORPH));
  return tables || loaders ? TABLES_SINCE : 1;
}

/** The version that a material takes. */
export function versionOfMaterial(material: MaterialModel): number {
  return takesSecondTexcoords(material) ? NAMED_SINCE : 1;
}
