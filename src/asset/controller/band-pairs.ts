import { wrapAngle } from '../../shaders/angle.ts';
import type { Rows } from './rows.ts';
import { BandPair, PAIR_FROM_CENTRE, PAIR_OPPOSITE, PAIR_PLAIN, PAIR_TO_CENTRE } from './tables.ts';

/**
 * What a freeform tree's gradient bands need of each pair of children whatever the parameters are, so that the band
 * itself is two products (formulas: `animator/tree-weights.ts`).
 */

interface PlacedChild {
  readonly x: number;
  readonly y: number;
}

/** Below it 32-bit floats lose their precision: such children stand in one place. */
const LEAST = 2 ** -126;
const NEARLY_OPPOSITE = Math.fround(0.99 * Math.PI);
const NO_BAND = { x: 0, y: 0, still: 0, kind: PAIR_PLAIN };

/**
 * Writes a record for each pair of children, those of the first child first.
 *
 * @param children Positions in f32; of a polar tree as magnitude and angle.
 */
export function writeBandPairs(rows: Rows, children: readonly PlacedChild[], polar: boolean): number {
  const row = rows.reserveFor(BandPair, children.length ** 2);
  children.forEach((from, i) => {
    children.forEach((to, j) => {
      rows.put(BandPair, row, i * children.length + j, polar ? polarPair(from, to) : cartesianPair(from, to));
    });
  });
  return row;
}

type Pair = { readonly [K in keyof typeof BandPair.fields]: number };

function cartesianPair(from: PlacedChild, to: PlacedChild): Pair {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const squared = x * x + y * y;
  return squared < LEAST ? NO_BAND : { ...NO_BAND, x: x / squared, y: y / squared };
}

function polarPair(from: PlacedChild, to: PlacedChild): Pair {
  const average = (from.x + to.x) / 2;
  if (average === 0) return NO_BAND;
  const across = (to.x - from.x) / average;
  if (from.x === 0) return { x: across / average, y: to.y, still: 0, kind: PAIR_FROM_CENTRE };
  if (to.x === 0) return { x: across / average, y: 0, still: 0, kind: PAIR_TO_CENTRE };
  const way = wrapAngle(Math.fround(to.y - from.y));
  const along = 2 * Math.abs(way);
  const squared = across * across + along * along;
  if (squared < LEAST) return NO_BAND;
  const opposite = Math.abs(way) > NEARLY_OPPOSITE;
  return {
    x: across / average / squared,
    y: ((opposite || way >= 0 ? 2 : -2) * along) / squared,
    still: (along * along) / squared,
    kind: opposite ? PAIR_OPPOSITE : PAIR_PLAIN,
  };
}
