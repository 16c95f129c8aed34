import type { SkinnedMesh } from '../stages/skin-vertices/reference.ts';
import type { CrowdType } from './types.ts';

/** What kernels are built for, mesh by mesh, by the row of its geometry header. */
export function meshesByGeometry(types: readonly CrowdType[]): Map<number, SkinnedMesh> {
  const levels = types.flatMap((type) => type.levels);
  return new Map(
    levels.map(({ geometryRow, batchRuns, skinTraits }) => {
      const variants = batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant));
      return [geometryRow, { variants, hasParts: skinTraits.parts }];
    }),
  );
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
