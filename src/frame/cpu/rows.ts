import type { KeptLevel } from '../../stages/keep-palettes/reference.ts';
import type { SkinnedMesh } from '../../stages/skin-vertices/reference.ts';
import { variantsOf, type CrowdType } from '../tables/crowd-types.ts';

/** Tables for twins, by the row of a level's geometry header. Kernels get the same data per range instead. */
export function byGeometry(types: readonly CrowdType[]) {
  /** Mesh properties that skin-vertices is specialized for, of types that it skins. */
  const meshes = new Map<number, SkinnedMesh>();
  const skeletons = new Map<number, number>();
  /** Rows that keep-palettes keeps, of types that draws skin. */
  const keptLevels = new Map<number, KeptLevel>();
  for (const { skin, keptRows, keptProviderRows, levels } of types) {
    const kept = { rowCount: keptRows - keptProviderRows, provided: keptProviderRows > 0 };
    for (const { geometryRow, skeletonRow, batchRuns, skinTraits } of levels) {
      skeletons.set(geometryRow, skeletonRow);
      if (skin === 'vertex') keptLevels.set(geometryRow, kept);
      else meshes.set(geometryRow, { variants: variantsOf(batchRuns), hasParts: skinTraits.parts });
    }
  }
  return { meshes, skeletons, keptLevels };
}

/** Copies the rows with these indices, one after the other. */
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
