import { View } from '../../layout/index.ts';
import type { CharacterMesh } from '../character.ts';
import { GeometryHeader, LOADER_MORPH, LOADER_VARIABLE } from '../geometry-layout.ts';

/** The newest version that `readBaked` reads. `writeBaked` writes the oldest that can say what it has to. */
export const BAKED_VERSION = 2;

/** Version 2 brought channel tables, and the loader bits that go with them. */
const TABLES_SINCE = 2;

/** The version that meshes of all levels take. */
export function versionFor(meshes: readonly Pick<CharacterMesh, 'geometry' | 'batchRuns'>[]): number {
  return Math.max(...meshes.map(versionOfMesh));
}

function versionOfMesh({ geometry, batchRuns }: Pick<CharacterMesh, 'geometry' | 'batchRuns'>): number {
  if (geometry.byteLength < GeometryHeader.size) return 1;
  const tables = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1).get(0, 'channelRow') !== 0;
  const loaders = batchRuns.some(({ variant }) => variant > (LOADER_VARIABLE | LOADER_MORPH));
  return tables || loaders ? TABLES_SINCE : 1;
}
