import { wrapAngle } from '../math/angle.ts';
import type { Rows } from './rows.ts';
import { ControllerBandChild, ControllerBands, TREE_FARTHEST } from './tables.ts';

/**
 * The part of a tree's gradient bands that depends on pairs of children but not on parameters, so that a band takes two
 * products at run time (formulas: `controller/eval/tree-weights.ts`). A 1D tree works the same: each child has bands toward
 * its neighbours, and its weight is what both leave.
 */

interface PlacedChild {
  readonly x: number;
  readonly y: number;
}

interface BandChild extends PlacedChild {
  readonly lengthScale: number;
}

/**
 * Smallest squared distance of two children: 32-bit floats lose their precision below it, so such children share one
 * position.
 */
const LEAST = 2 ** -126;
const NEARLY_OPPOSITE = Math.fround(0.99 * Math.PI);
const NO_BAND = { x: 0, ahead: 0, behind: 0, still: 0 };

/** How bands of a tree are built: of a 1D tree from thresholds, of freeform trees from the positions of children. */
export type BandKind = 'thresholds' | 'polar' | 'cartesian';

type Band = { readonly [K in keyof typeof ControllerBands.fields]: number };

/**
 * Returns true if thresholds, in their order, can form bands. They cannot if two are equal, because weights jump there.
 */
export function areBands(thresholds: readonly number[]): boolean {
  return thresholds.every(
    (at, i) =>
      Math.abs(at) <= TREE_FARTHEST && (i === 0 || Math.fround(1 / Math.fround(at - thresholds[i - 1]!)) < Infinity),
  );
}

/**
 * Writes the children of a tree with their bands.
 *
 * @param children Positions in f32: thresholds in their order, as x; of a polar tree magnitude and angle.
 */
export function writeBands(rows: Rows, children: readonly BandChild[], kind: BandKind): number {
  const records = Math.ceil(children.length / 4);
  const hasCentre = kind === 'polar' && children.some(({ x }) => x === 0);
  const childRows = ControllerBandChild.size / 16;
  const stride = childRows + records * (ControllerBands.size / 16);
  const row = rows.reserve(stride * children.length);
  children.forEach((from, i) => {
    const { x, y, lengthScale } = from;
    const toCentre = hasCentre && x !== 0 ? -4 / x : 0;
    rows.put(ControllerBandChild, row + stride * i, 0, { x, y, lengthScale, toCentre });
    const bands = children.map((to, k) => {
      if (kind === 'thresholds') return Math.abs(i - k) === 1 ? { ...NO_BAND, x: 1 / (to.x - from.x) } : NO_BAND;
      return kind === 'polar' ? polarBand(from, to) : cartesianBand(from, to);
    });
    for (let record = 0; record < records; record++) {
      const four = bands.slice(4 * record, 4 * record + 4);
      const values = Object.fromEntries(
        Object.keys(ControllerBands.fields).map((key) => [key, four.map((band) => band[key as keyof Band])]),
      );
      rows.put(ControllerBands, row + stride * i + childRows, record, values);
    }
  });
  return row;
}

function cartesianBand(from: PlacedChild, to: PlacedChild): Band {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const squared = x * x + y * y;
  if (squared < LEAST) return NO_BAND;
  return { x: x / squared, ahead: y / squared, behind: y / squared, still: 0 };
}

/**
 * Band between two children of a polar tree. The length of a band from or to the centre depends on the parameters:
 * kernels compute it.
 */
function polarBand(from: PlacedChild, to: PlacedChild): Band {
  if (to.x === 0) return NO_BAND;
  if (from.x === 0) return { ...NO_BAND, x: 4 / to.x, ahead: to.y };
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
