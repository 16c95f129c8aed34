import { wrapAngle } from '../../shaders/angle.ts';
import type { Rows } from './rows.ts';
import { BandPair } from './tables.ts';

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
const NO_BAND = { x: 0, ahead: 0, behind: 0, still: 0 };

type Pair = { readonly [K in keyof typeof BandPair.fields]: number };

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

function cartesianPair(from: PlacedChild, to: PlacedChild): Pair {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const squared = x * x + y * y;
  if (squared < LEAST) return NO_BAND;
  return { x: x / squared, ahead: y / squared, behind: y / squared, still: 0 };
}

/** The band from or to the centre depends on where the parameters stand: kernels work it out. */
function polarPair(from: PlacedChild, to: PlacedChild): Pair {
  if (from.x === 0 || to.x === 0) return NO_BAND;
  const average = (from.x + to.x) / 2;
  const across = (to.x - from.x) / average;
  const way = wrapAngle(Math.fround(to.y - from.y));
  const along = 2 * Math.abs(way);
  const squared = across * across + along * along;
  if (squared < LEAST) return NO_BAND;
  const turn = (2 * along) / squared;
  const opposite = Math.abs(way) > NEARLY_OPPOSITE;
  return {
    x: across / average / squared,
    ahead: opposite || way >= 0 ? turn : -turn,
    behind: opposite || way < 0 ? -turn : turn,
    still: (along * along) / squared,
  };
}
