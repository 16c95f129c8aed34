import type { IssueList } from './issue-list.ts';

/** Joints of one skeleton, helpers included. */
export const MAX_JOINTS = 4_096;

/** Influences of one vertex: the count is 8 bits wide. */
export const MAX_INFLUENCES = 255;

/**
 * Coordinates, scales and times beyond this are treated like NaN: their squares would overflow a 32-bit float.
 * (glTF's unit is the metre; the observable universe is 1e27 across.)
 */
export const MAX_MAGNITUDE = 1e18;

/** Returns true if a number can be used in computations: neither NaN nor infinite nor absurd. */
export function isUsable(value: number): boolean {
  return Math.abs(value) <= MAX_MAGNITUDE;
}

/** The values with NaN, infinite and absurd ones replaced, counted and reported. */
export function withoutUnusable(
  values: Float32Array,
  { semantic, place, fallback }: { readonly semantic: string; readonly place: string; readonly fallback: number },
  issues: IssueList,
): Float32Array {
  let copy: Float32Array | undefined;
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    if (isUsable(values[i]!)) continue;
    copy ??= values.slice();
    copy[i] = fallback;
    count++;
  }
  if (!copy) return values;
  const message = `${count} of ${values.length} numbers of ${semantic} are NaN or out of bounds; taken as ${fallback}`;
  issues.warn('GLTF_VALUES_REPAIRED', place, message);
  return copy;
}
