import { View } from '../layout/index.ts';
import type { CharacterMesh } from './character.ts';
import { GeometryHeader, LOADER_VARIABLE, SkinBatch } from './format/geometry-layout.ts';

/**
 * Reads the influences on the vertices of a packed mesh, as `geometry-layout.ts` defines the format.
 *
 * @param visit Receives a vertex, a palette entry and its weight above 0. Vertices come in rising order, the influences
 * of each in the order of the mesh.
 */
export function eachInfluence(
  { geometry, batchRuns }: Pick<CharacterMesh, 'geometry' | 'batchRuns'>,
  visit: (vertex: number, entry: number, weight: number) => void,
): void {
  const floats = new Float32Array(geometry.buffer, geometry.byteOffset, geometry.length);
  const header = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1);
  const firstPair = header.get(0, 'influencePairWord');
  const variants = batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant));
  const at = geometry.byteOffset + 16 * header.get(0, 'batchRow');
  const batches = new View(SkinBatch, geometry.buffer, at, variants.length);
  variants.forEach((variant, b) => {
    const firstVertex = batches.get(b, 'firstVertex');
    const influence = batches.get(b, 'influence');
    for (let i = 0; i < batches.get(b, 'vertexCount'); i++) {
      if (variant & LOADER_VARIABLE) {
        const head = geometry[influence + i]!;
        for (let k = 0; k < head >>> 24; k++) {
          const pair = firstPair + 2 * ((head & 0xffffff) + k);
          if (floats[pair + 1]! > 0) visit(firstVertex + i, geometry[pair]!, floats[pair + 1]!);
        }
        continue;
      }
      // four entries, then four weights, of 16 bits each
      const word = 4 * (influence + i);
      for (let k = 0; k < 4; k++) {
        const shift = 16 * (k & 1);
        const code = (geometry[word + 2 + (k >> 1)]! >>> shift) & 0xffff;
        if (code > 0) visit(firstVertex + i, (geometry[word + (k >> 1)]! >>> shift) & 0xffff, code / 65535);
      }
    }
  });
}
