import type { ChildModel, MotionModel, TreeModel } from '../../src/controller/model.ts';

/** A clip that a motion plays, and its share. */
export interface TrueLeaf {
  readonly clip: string;
  readonly weight: number;
}

/** What a motion plays: its clips that have weight, in the order of the file, and its length in seconds. */
export interface TrueMotionLeaves {
  readonly leaves: readonly TrueLeaf[];
  readonly length: number;
}

/**
 * Weights and length of a motion in doubles, from the formulas of docs/controllers.md and of the sources that it names:
 * nothing here is shared with the twin.
 *
 * @param valueOf Value of a parameter.
 * @param lengthOf Seconds of a clip.
 */
export function trueLeaves(
  motion: MotionModel,
  valueOf: (parameter: string) => number,
  lengthOf: (clip: string) => number = () => 1,
): TrueMotionLeaves {
  const { leaves, length } = evaluate(motion, 1);
  return { leaves: leaves.filter(({ weight }) => weight > 0), length };

  function evaluate(node: MotionModel, path: number): TrueMotionLeaves {
    if (typeof node === 'string') return { leaves: [{ clip: node, weight: path }], length: lengthOf(node) || 1 };
    const children = [...(node.children as readonly Placed[])].filter(hasClips);
    if (node.blend === '1d') children.sort((a, b) => (a.at as number) - (b.at as number));
    const weights = childWeights(node, children, valueOf);
    let [sum, seconds] = [0, 0];
    const leaves = children.flatMap((child, c) => {
      const inner = evaluate(child.motion!, path * weights[c]!);
      const scale = Math.abs(child.timeScale ?? 1);
      if (scale > 0) {
        sum += weights[c]!;
        seconds += (weights[c]! * inner.length) / scale;
      }
      return inner.leaves;
    });
    return { leaves, length: sum > 0 ? seconds / sum : 1 };
  }
}

type Placed = ChildModel & { readonly at?: number | readonly [number, number]; readonly weightParameter?: string };

function hasClips({ motion }: ChildModel): boolean {
  if (motion === undefined || typeof motion === 'string') return motion !== undefined;
  return (motion.children as readonly ChildModel[]).some(hasClips);
}

function childWeights(tree: TreeModel, children: readonly Placed[], valueOf: (name: string) => number): number[] {
  if (tree.blend === 'direct') {
    const raw = children.map(({ weightParameter }) => Math.max(0, valueOf(weightParameter!)));
    const sum = total(raw);
    return sum > 1 || (tree.normalized && sum > 0) ? raw.map((weight) => weight / sum) : raw;
  }
  if (children.length === 1) return [1];
  if (tree.blend === '1d') return thresholdWeights(children.map(({ at }) => at as number), valueOf(tree.parameter)); // prettier-ignore
  const places = children.map(({ at }) => at as Vector);
  const p = tree.parameters.map(valueOf) as unknown as Vector;
  if (tree.blend === 'directional') return directionWeights(places, p);
  const heights = tree.blend === 'freeformCartesian' ? cartesianHeights(places, p) : polarHeights(places, p);
  const sum = total(heights);
  return heights.map((height) => (sum < 1e-6 ? 1 / heights.length : height / sum));
}

type Vector = readonly [number, number];

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1];
const cross = (a: Vector, b: Vector): number => a[0] * b[1] - a[1] * b[0];
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1]];
const clamped = (value: number): number => Math.min(1, Math.max(0, value));

function thresholdWeights(thresholds: readonly number[], value: number): number[] {
  const last = thresholds.length - 1;
  const below = value <= thresholds[0]! ? 0 : thresholds.findLastIndex((at) => at <= value);
  if (below === last || value <= thresholds[0]!) return thresholds.map((_, i) => Number(i === below));
  const share = (value - thresholds[below]!) / (thresholds[below + 1]! - thresholds[below]!);
  return thresholds.map((_, i) => (i === below ? 1 - share : i === below + 1 ? share : 0));
}

/** The nearest child on either side of the direction; what they leave goes to the centre, or to all. */
function directionWeights(places: readonly Vector[], p: Vector): number[] {
  const count = places.length;
  const centre = places.findIndex((place) => dot(place, place) === 0);
  const rest = (share: number) => places.map((_, i) => (centre < 0 ? share / count : i === centre ? share : 0));
  if (dot(p, p) === 0) return rest(1);
  const turns = places.map((place) => {
    const angle = Math.atan2(cross(p, place), dot(p, place));
    return dot(place, place) === 0 ? NaN : angle < 0 ? angle + 2 * Math.PI : angle;
  });
  const others = turns.flatMap((turn, i) => (Number.isNaN(turn) ? [] : [i]));
  const left = others.reduce((best, i) => (turns[i]! < turns[best]! ? i : best));
  const right = others.reduce((best, i) => (turns[i]! > turns[best]! ? i : best));
  const shares = places.map(() => 0);
  const [A, B] = [places[left]!, places[right]!];
  const area = cross(B, A);
  if (left !== right && area > 0) {
    shares[left] = Math.max(0, cross(B, p) / area);
    shares[right] = Math.max(0, cross(p, A) / area);
  } else for (const i of new Set([left, right])) shares[i] = clamped(dot(p, places[i]!) / dot(places[i]!, places[i]!));
  const sum = total(shares);
  const spare = rest(Math.max(0, 1 - sum));
  return shares.map((share, i) => share / Math.max(1, sum) + spare[i]!);
}

function cartesianHeights(places: readonly Vector[], p: Vector): number[] {
  return places.map((from, i) =>
    places.reduce((height, to, j) => {
      const way = minus(to, from);
      if (i === j || dot(way, way) === 0) return height;
      return Math.min(height, clamped(1 - dot(minus(p, from), way) / dot(way, way)));
    }, 1),
  );
}

/** Gradient bands of magnitude and angle, angles counted twice. */
function polarHeights(places: readonly Vector[], p: Vector): number[] {
  const size = (v: Vector) => Math.hypot(...v);
  const angle = (a: Vector, b: Vector) => (size(a) * size(b) === 0 ? 0 : Math.atan2(cross(a, b), dot(a, b)));
  return places.map((from, i) =>
    places.reduce((height, to, j) => {
      const average = (size(from) + size(to)) / 2;
      if (i === j || average === 0) return height;
      let [turn, turned] = [Math.abs(angle(p, to)), 0];
      if (size(from) > 0 && size(to) === 0) turn = turned = Math.abs(angle(from, p));
      else if (size(from) > 0) {
        const way = angle(from, to);
        const own = Math.abs(way) > 0.99 * Math.PI ? Math.abs(angle(from, p)) : Math.sign(way) * angle(from, p);
        turn = 2 * Math.abs(way);
        turned = turn === 0 ? 0 : size(p) === 0 ? turn : 2 * own;
      }
      const band: Vector = [(size(to) - size(from)) / average, turn];
      const gone: Vector = [(size(p) - size(from)) / average, turned];
      if (dot(band, band) === 0) return height;
      return Math.min(height, clamped(1 - dot(gone, band) / dot(band, band)));
    }, 1),
  );
}
