import {
  TREE_1D,
  TREE_DIRECT,
  TREE_DIRECTIONAL,
  TREE_FARTHEST,
  TREE_FREEFORM_CARTESIAN,
  TREE_FREEFORM_DIRECTIONAL,
} from '../tables.ts';
import { repeatedDirections, TREE_EPSILON } from '../repeated-directions.ts';
import { angleOf, wrapAngle } from '../../math/angle.ts';

/**
 * Weights of a blend tree's children, in f32. Sources of the formulas: Unity's manual (1D; 2D simple directional in
 * words), Rune Skovbo Johansen's thesis "Automated Semi-Procedural Animation for Character Locomotion", §6.3 (gradient
 * bands, freeform types).
 */

/** A child as the tree's records hold it: a threshold or position; for freeform directional trees magnitude and angle. */
export interface PlacedChild {
  readonly x: number;
  readonly y: number;
}

const f = Math.fround;
/** Heights below this are 0: rounding must not show a child that is beyond its band or threshold. */
const LEAST_HEIGHT = f(1e-5);

/**
 * @param type TREE_ of `tables.ts`.
 * @param x The tree's parameter, or the first of two.
 * @param direct The children's parameters, for a direct tree.
 */
export function treeWeights(
  type: number,
  children: readonly PlacedChild[],
  x: number,
  y: number,
  direct: readonly number[],
  normalized: boolean,
): number[] {
  if (type === TREE_DIRECT) return directWeights(direct, normalized);
  if (children.length === 1) return [1];
  if (type === TREE_1D) return thresholdWeights(children, x);
  const [px, py] = [x, y].map((value) => Math.max(-TREE_FARTHEST, Math.min(TREE_FARTHEST, value))) as [number, number];
  if (type === TREE_DIRECTIONAL) return directionalWeights(children, px, py);
  if (type === TREE_FREEFORM_DIRECTIONAL) return bandWeights(children, polarBand(children, px, py));
  if (type === TREE_FREEFORM_CARTESIAN) return bandWeights(children, cartesianBand(children, px, py));
  return children.map(() => 0);
}

/** Negative weights count as 0. Weights are divided by their sum if it is above 1, or if the tree is normalized. */
function directWeights(parameters: readonly number[], normalized: boolean): number[] {
  const weights = parameters.map((value) => Math.max(0, Math.min(TREE_FARTHEST, value)));
  const sum = weights.reduce((total, weight) => f(total + weight), 0);
  return sum > 1 || (normalized && sum > 0) ? weights.map((weight) => f(weight / sum)) : weights;
}

function thresholdWeights(children: readonly PlacedChild[], value: number): number[] {
  const weights = children.map(() => 0);
  const last = children.length - 1;
  if (value <= children[0]!.x) weights[0] = 1;
  else if (value >= children[last]!.x) weights[last] = 1;
  else {
    const i = children.findLastIndex(({ x }) => x <= value);
    const share = f(f(value - children[i]!.x) / f(children[i + 1]!.x - children[i]!.x));
    const held = share < LEAST_HEIGHT ? 0 : f(1 - share) < LEAST_HEIGHT ? 1 : share;
    weights[i] = f(1 - held);
    weights[i + 1] = held;
  }
  return weights;
}

const dot = (ax: number, ay: number, bx: number, by: number): number => f(f(ax * bx) + f(ay * by));
const cross = (ax: number, ay: number, bx: number, by: number): number => f(f(ax * by) - f(ay * bx));
const lengthOf = (x: number, y: number): number => f(Math.sqrt(dot(x, y, x, y)));
const saturate = (value: number): number => Math.min(1, Math.max(0, value));

function directionalWeights(children: readonly PlacedChild[], px: number, py: number): number[] {
  const count = children.length;
  const lengths = children.map(({ x, y }) => lengthOf(x, y));
  const centre = lengths.findIndex((length) => length <= TREE_EPSILON);
  const weights = children.map(() => 0);
  const length = lengthOf(px, py);
  if (length <= TREE_EPSILON) {
    if (centre >= 0) weights[centre] = 1;
    else weights.fill(f(1 / count));
    return weights;
  }
  const repeats = repeatedDirections(children);
  const turns = children.map(({ x, y }, i) =>
    lengths[i]! <= TREE_EPSILON || (repeats >>> i) & 1 ? Infinity : turnOf(dot(px, py, x, y), cross(px, py, x, y)),
  );
  const a = lowest(turns);
  const b = lowest(turns.map((turn, i) => (turn === Infinity || turn <= 0 || i === a ? Infinity : -turn)));
  const shareOf = (i: number): number => {
    if (i < 0) return 0;
    const { x, y } = children[i]!;
    return saturate(f(dot(px, py, x, y) / dot(x, y, x, y)));
  };
  let [shareA, shareB] = [shareOf(a), shareOf(b)];
  if (a >= 0 && b >= 0) {
    const [A, B] = [children[a]!, children[b]!];
    const area = cross(B.x, B.y, A.x, A.y);
    if (area > f(TREE_EPSILON * f(lengths[a]! * lengths[b]!))) {
      shareA = Math.max(0, f(cross(B.x, B.y, px, py) / area));
      shareB = Math.max(0, f(cross(px, py, A.x, A.y) / area));
    }
  }
  const sum = f(shareA + shareB);
  if (sum > 1) [shareA, shareB] = [f(shareA / sum), f(shareB / sum)];
  const rest = sum > 1 ? 0 : f(1 - sum);
  if (a >= 0) weights[a] = f(weights[a]! + shareA);
  if (b >= 0) weights[b] = f(weights[b]! + shareB);
  if (centre >= 0) weights[centre] = f(weights[centre]! + rest);
  else for (let i = 0; i < count; i++) weights[i] = f(weights[i]! + f(rest / count));
  return weights;
}

/**
 * How far a child is turned from the point, counter-clockwise: 0 … 4 instead of 0 … 2π. Rises with the angle, and is as
 * precise near 0. A turn within rounding errors counts as 0, on either side.
 */
function turnOf(along: number, side: number): number {
  if (along > 0 && side >= -f(TREE_EPSILON * along)) return f(Math.max(0, side) / f(along + Math.max(0, side)));
  const share = f(Math.abs(along) / f(Math.abs(along) + Math.abs(side)));
  if (side >= 0) return f(1 + share);
  return along < 0 ? f(3 - share) : f(3 + share);
}

/** Index of the lowest value, the first of equal ones; −1 if all are infinite. */
function lowest(values: readonly number[]): number {
  let best = -1;
  values.forEach((value, i) => {
    if (value !== Infinity && (best < 0 || value < values[best]!)) best = i;
  });
  return best;
}

/** How far the point has gone from child i to child j, 0 … 1 between them; undefined if the pair has no band. */
type Band = (i: number, j: number) => number | undefined;

function bandWeights(children: readonly PlacedChild[], band: Band): number[] {
  const heights = children.map((_, i) => {
    let height = 1;
    for (let j = 0; j < children.length; j++) {
      const gone = i === j ? undefined : band(i, j);
      if (gone !== undefined) height = Math.min(height, saturate(f(1 - gone)));
    }
    return height < LEAST_HEIGHT ? 0 : height;
  });
  const sum = heights.reduce((total, height) => f(total + height), 0);
  return heights.map((height) => (sum < TREE_EPSILON ? f(1 / children.length) : f(height / sum)));
}

function cartesianBand(children: readonly PlacedChild[], px: number, py: number): Band {
  return (i, j) => {
    const [from, to] = [children[i]!, children[j]!];
    const [dx, dy] = [f(to.x - from.x), f(to.y - from.y)];
    const squared = dot(dx, dy, dx, dy);
    return squared === 0 ? undefined : f(dot(f(px - from.x), f(py - from.y), dx, dy) / squared);
  };
}

const NEARLY_OPPOSITE = f(0.99 * Math.PI);

function polarBand(children: readonly PlacedChild[], px: number, py: number): Band {
  const magnitude = lengthOf(px, py);
  const angle = angleOf(px, py);
  return (i, j) => {
    const [{ x: mi, y: ai }, { x: mj, y: aj }] = [children[i]!, children[j]!];
    const average = f(f(mi + mj) * 0.5);
    if (average === 0) return undefined;
    let [turn, turned] = [0, 0];
    if (mi === 0) turn = magnitude === 0 ? 0 : Math.abs(wrapAngle(f(aj - angle)));
    else if (mj === 0) turned = turn = magnitude === 0 ? 0 : Math.abs(wrapAngle(f(angle - ai)));
    else {
      const signed = wrapAngle(f(aj - ai));
      const own = magnitude === 0 ? 0 : wrapAngle(f(angle - ai));
      turn = f(2 * Math.abs(signed));
      if (turn === 0) turned = 0;
      else if (magnitude === 0) turned = turn;
      else turned = f(2 * (Math.abs(signed) > NEARLY_OPPOSITE ? Math.abs(own) : signed < 0 ? -own : own));
    }
    const [bandX, bandY] = [f(f(mj - mi) / average), turn];
    const squared = dot(bandX, bandY, bandX, bandY);
    return squared === 0 ? undefined : f(dot(f(f(magnitude - mi) / average), turned, bandX, bandY) / squared);
  };
}
