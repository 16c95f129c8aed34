import type { SkinnedMesh } from '../stages/skin-vertices/reference.ts';
import { variantsOf, type CrowdType } from './types.ts';

/** What kernels are built for, mesh by mesh, by the row of its geometry header: of types that kernels skin. */
export function meshesByGeometry(types: readonly CrowdType[]): Map<number, SkinnedMesh> {
  const levels = types.flatMap(({ skin, levels: own }) => (skin === 'vertex' ? [] : own));
  return new Map(
    levels.map(({ geometryRow, batchRuns, skinTraits }) => [
      geometryRow,
      { variants: variantsOf(batchRuns), hasParts: skinTraits.parts },
    ]),
  );
}

/** Rows that are kept of palettes, by the row of a level's geometry header: of types that draws skin. */
export function keptByGeometry(types: readonly CrowdType[]): Map<number, number> {
  const kept = types.filter(({ skin }) => skin === 'vertex');
  return new Map(kept.flatMap(({ levels, keptRows }) => levels.map(({ geometryRow }) => [geometryRow, keptRows])));
}

/** Rows of a table, one after the other. */
export function rowsOf<T extends Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>>(
  table: T,
  rowBytes: number,
  indices: readonly number[],
): T {
  const words = rowBytes / 4;
  const rows = table.slice(0, 0).constructor as new (length: number) => T;
  const out = new rows(words * indices.length);
  indices.forEach((row, i) => out.set(table.subarray(row * words, (row + 1) * words), i * words));
  return out;
}
