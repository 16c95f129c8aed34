import {
  TREE_1D,
  TREE_DIRECT,
  TREE_DIRECTIONAL,
  TREE_FARTHEST,
  TREE_FREEFORM_CARTESIAN,
  TREE_FREEFORM_DIRECTIONAL,
  TREE_NORMALIZED,
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

/** A tree, as far as weights depend on it. */
export interface PlacedTree {
  /** TREE_ of `tables.ts`. */
  readonly type: number;
  readonly flags: number;
  readonly children: readonly PlacedChild[];
  /** See `repeatedDirections`. */
  readonly repeats: number;
}

const f = Math.fround;
/** Heights below this are 0: rounding must not show a child that is beyond its band or threshold. */
const LEAST_HEIGHT = f(1e-5);

/**
 * Writes the weights of a tree's children to out[at…]. Children of a direct tree have their parameters there before.
 *
 * @param x The tree's parameter, or the first of two.
 */
export function writeTreeWeights(tree: PlacedTree, x: number, y: number, out: Float64Array, at: number): void {
  const { type, flags, children, repeats } = tree;
  const count = children.length;
  if (type === TREE_DIRECT) return directWeights(out, at, count, (flags & TREE_NORMALIZED) !== 0);
  out.fill(0, at, at + count);
  if (count === 1) out[at] = 1;
  else if (type === TREE_1D) thresholdWeights(children, x, out, at);
  else {
    const px = Math.max(-TREE_FARTHEST, Math.min(TREE_FARTHEST, x));
    const py = Math.max(-TREE_FARTHEST, Math.min(TREE_FARTHEST, y));
    if (type === TREE_DIRECTIONAL) directionalWeights(children, repeats, px, py, out, at);
    else if (type === TREE_FREEFORM_DIRECTIONAL || type === TREE_FREEFORM_CARTESIAN) {
      bandWeights(children, type === TREE_FREEFORM_DIRECTIONAL, px, py, out, at);
    }
  }
}

/** The same as a list. @param direct The children's parameters, for a direct tree. */
export function treeWeights(
  type: number,
  children: readonly PlacedChild[],
  x: number,
  y: number,
  direct: readonly number[],
  normalized: boolean,
): number[] {
  const out = new Float64Array(children.length);
  out.set(direct);
  const tree = { type, flags: normalized ? TREE_NORMALIZED : 0, children, repeats: repeatedDirections(children) };
  writeTreeWeights(tree, x, y, out, 0);
  return [...out];
}

/** Negative weights count as 0. Weights are divided by their sum if it is above 1, or if the tree is normalized. */
function directWeights(out: Float64Array, at: number, count: number, normalized: boolean): void {
  let sum = 0;
  for (let c = at; c < at + count; c++) {
    out[c] = Math.max(0, Math.min(TREE_FARTHEST, out[c]!));
    sum = f(sum + out[c]!);
  }
  if (!(sum > 1 || (normalized && sum > 0))) return;
  for (let c = at; c < at + count; c++) out[c] = f(out[c]! / sum);
}

function thresholdWeights(children: readonly PlacedChild[], value: number, out: Float64Array, at: number): void {
  const last = children.length - 1;
  if (value <= children[0]!.x) out[at] = 1;
  else if (value >= children[last]!.x) out[at + last] = 1;
  else {
    let i = last;
    while (children[i]!.x > value) i--;
    const share = f(f(value - children[i]!.x) / f(children[i + 1]!.x - children[i]!.x));
    const held = share < LEAST_HEIGHT ? 0 : f(1 - share) < LEAST_HEIGHT ? 1 : share;
    out[at + i] = f(1 - held);
    out[at + i + 1] = held;
  }
}

const dot = (ax: number, ay: number, bx: number, by: number): number => f(f(ax * bx) + f(ay * by));
const cross = (ax: number, ay: number, bx: number, by: number): number => f(f(ax * by) - f(ay * bx));
const lengthOf = (x: number, y: number): number => f(Math.sqrt(dot(x, y, x, y)));
const saturate = (value: number): number => Math.min(1, Math.max(0, value));

function directionalWeights(
  children: readonly PlacedChild[],
  repeats: number,
  px: number,
  py: number,
  out: Float64Array,
  at: number,
): void {
  const count = children.length;
  const centre = centreOf(children);
  if (lengthOf(px, py) <= TREE_EPSILON) {
    if (centre >= 0) out[at + centre] = 1;
    else out.fill(f(1 / count), at, at + count);
    return;
  }
  const a = nearestTurn(children, repeats, px, py, -1);
  const b = nearestTurn(children, repeats, px, py, a);
  let shareA = shareToward(children[a], px, py);
  let shareB = shareToward(children[b], px, py);
  if (a >= 0 && b >= 0) {
    const A = children[a]!;
    const B = children[b]!;
    const area = cross(B.x, B.y, A.x, A.y);
    if (area > f(TREE_EPSILON * f(lengthOf(A.x, A.y) * lengthOf(B.x, B.y)))) {
      shareA = Math.max(0, f(cross(B.x, B.y, px, py) / area));
      shareB = Math.max(0, f(cross(px, py, A.x, A.y) / area));
    }
  }
  const sum = f(shareA + shareB);
  if (sum > 1) {
    shareA = f(shareA / sum);
    shareB = f(shareB / sum);
  }
  const rest = sum > 1 ? 0 : f(1 - sum);
  if (a >= 0) out[at + a] = f(out[at + a]! + shareA);
  if (b >= 0) out[at + b] = f(out[at + b]! + shareB);
  if (centre >= 0) out[at + centre] = f(out[at + centre]! + rest);
  else for (let i = at; i < at + count; i++) out[i] = f(out[i]! + f(rest / count));
}

/** The first child at the centre, or −1. */
function centreOf(children: readonly PlacedChild[]): number {
  for (let i = 0; i < children.length; i++) if (lengthOf(children[i]!.x, children[i]!.y) <= TREE_EPSILON) return i;
  return -1;
}

/**
 * The child that is nearest counter-clockwise; −1 if no child has a direction.
 * @param first Such a child, to find the nearest one clockwise instead: it, and children in the direction of the point, do not count.
 */
function nearestTurn(children: readonly PlacedChild[], repeats: number, px: number, py: number, first: number): number {
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < children.length; i++) {
    const { x, y } = children[i]!;
    if (lengthOf(x, y) <= TREE_EPSILON || (repeats >>> i) & 1) continue;
    const turn = turnOf(dot(px, py, x, y), cross(px, py, x, y));
    if (first >= 0 && (turn <= 0 || i === first)) continue;
    const rank = first >= 0 ? -turn : turn;
    if (best >= 0 && !(rank < least)) continue;
    best = i;
    least = rank;
  }
  return best;
}

/** How far the point has gone toward a child, 0 … 1. */
function shareToward(child: PlacedChild | undefined, px: number, py: number): number {
  if (!child) return 0;
  const { x, y } = child;
  return saturate(f(dot(px, py, x, y) / dot(x, y, x, y)));
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

/** Weights of freeform trees: how far the point is from leaving each child's bands toward the others. */
function bandWeights(
  children: readonly PlacedChild[],
  isPolar: boolean,
  px: number,
  py: number,
  out: Float64Array,
  at: number,
): void {
  const count = children.length;
  const u = isPolar ? lengthOf(px, py) : px;
  const v = isPolar ? angleOf(px, py) : py;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    let height = 1;
    // nothing is lower than 0
    for (let j = 0; j < count && height > 0; j++) {
      if (i === j) continue;
      const gone = isPolar
        ? polarBand(children[i]!, children[j]!, u, v)
        : cartesianBand(children[i]!, children[j]!, u, v);
      if (gone !== NO_BAND) height = Math.min(height, saturate(f(1 - gone)));
    }
    out[at + i] = height < LEAST_HEIGHT ? 0 : height;
    sum = f(sum + out[at + i]!);
  }
  for (let i = at; i < at + count; i++) out[i] = sum < TREE_EPSILON ? f(1 / count) : f(out[i]! / sum);
}

/** The answer for a pair of children that has no band. */
const NO_BAND = -Infinity;

/** How far the point has gone from one child to another, 0 … 1 between them. */
function cartesianBand(from: PlacedChild, to: PlacedChild, px: number, py: number): number {
  const dx = f(to.x - from.x);
  const dy = f(to.y - from.y);
  const squared = dot(dx, dy, dx, dy);
  return squared === 0 ? NO_BAND : f(dot(f(px - from.x), f(py - from.y), dx, dy) / squared);
}

const NEARLY_OPPOSITE = f(0.99 * Math.PI);

/** The same for children and a point that are a magnitude and an angle. */
function polarBand(from: PlacedChild, to: PlacedChild, magnitude: number, angle: number): number {
  const mi = from.x;
  const mj = to.x;
  const average = f(f(mi + mj) * 0.5);
  if (average === 0) return NO_BAND;
  let turn = 0;
  let turned = 0;
  if (mi === 0) turn = magnitude === 0 ? 0 : Math.abs(wrapAngle(f(to.y - angle)));
  else if (mj === 0) turned = turn = magnitude === 0 ? 0 : Math.abs(wrapAngle(f(angle - from.y)));
  else {
    const signed = wrapAngle(f(to.y - from.y));
    const own = magnitude === 0 ? 0 : wrapAngle(f(angle - from.y));
    turn = f(2 * Math.abs(signed));
    if (turn === 0) turned = 0;
    else if (magnitude === 0) turned = turn;
    else turned = f(2 * (Math.abs(signed) > NEARLY_OPPOSITE ? Math.abs(own) : signed < 0 ? -own : own));
  }
  const bandX = f(f(mj - mi) / average);
  const squared = dot(bandX, turn, bandX, turn);
  return squared === 0 ? NO_BAND : f(dot(f(f(magnitude - mi) / average), turned, bandX, turn) / squared);
}
