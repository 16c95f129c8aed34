import { TREE_CENTRE_SHIFT } from './tables.ts';

/** Length below which vectors have no direction. */
export const TREE_EPSILON: number = Math.fround(1e-6);

/**
 * A bit per child of a directional tree that lies in the direction of an earlier one: it is never shown. Computed once,
 * from positions only, so that rounding on a GPU cannot change which child counts.
 */
export function repeatedDirections(places: readonly { readonly x: number; readonly y: number }[]): number {
  let repeats = 0;
  for (const [i, { x, y }] of places.entries()) {
    const length = Math.hypot(x, y);
    if (length <= TREE_EPSILON) continue;
    for (const [j, earlier] of places.slice(0, i).entries()) {
      const earlierLength = Math.hypot(earlier.x, earlier.y);
      if (earlierLength <= TREE_EPSILON || (repeats >>> j) & 1) continue;
      const area = Math.abs(earlier.x * y - earlier.y * x);
      const isAhead = earlier.x * x + earlier.y * y > 0;
      if (isAhead && area <= TREE_EPSILON * earlierLength * length) repeats |= 1 << i;
    }
  }
  return repeats >>> 0;
}

/** The `bandRow` of a directional tree: see ControllerTree. */
export function directionsOf(places: readonly { readonly x: number; readonly y: number }[]): number {
  const centres = places.map(({ x, y }) => Math.fround(Math.hypot(x, y)) <= TREE_EPSILON);
  const isCentre = centres.reduce((bits, is, i) => bits | (Number(is) << i), 0);
  return repeatedDirections(places) | isCentre | ((1 + centres.indexOf(true)) << TREE_CENTRE_SHIFT);
}
