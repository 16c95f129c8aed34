import type { Character } from '../../../character/character.ts';
import { DEFAULT_BUDGET_SHARE } from '../../../character/pack/index.ts';
import { LAST_PHASE, type PackedPoses } from '../../../character/packed-poses.ts';
import { blendVertex, type VertexSample } from '../../../character/packed-vertices.ts';

/** Morph weights closer than this are the same. */
const WEIGHT_TOLERANCE = 0.001;
/** Seconds. */
const FRAME = 1 / 30;
/** Vertices × clips that are looked at. */
const MOST_VERTICES = 4_000_000;

/**
 * The motion of each clip from its first pose to its last, in metres; morph targets left out. Cost: in proportion to joints × clips, and
 * vertices × clips up to four million.
 */
export function measureClips(character: Character, poses: PackedPoses, sample: VertexSample) {
  const carrier = carrierOf(character, poses);
  const step = Math.max(1, Math.ceil((sample.primitives.length * character.clips.length) / MOST_VERTICES));
  return character.clips.map(({ duration, maxError }, clip) => {
    const [first, last] = [
      { clip, phase: 0 },
      { clip, phase: LAST_PHASE },
    ];
    const [begin, end] = [poses.joints(first), poses.joints(last)];
    const root = rootFacts(character, poses, carrier, clip, duration);
    const [from, to] = [begin, end].map((joints) => joints.subarray(12 * carrier, 12 * carrier + 12));
    const gap = (a: Float64Array, b: Float64Array) => largestGap(sample, step, poses.palette(a), poses.palette(b));
    const seamInPlace = gap(begin, brought(end, from!, to!, root.turn));
    const frameEarlier = duration > FRAME ? Math.round((1 - FRAME / duration) * 2 ** 32) : 0;
    const [before, after] = [poses.morphWeights(first), poses.morphWeights(last)];
    // both poses may stray by the error of packing
    const tolerance = character.size * DEFAULT_BUDGET_SHARE + 2 * maxError;
    const isSameShape = before.every((weight, w) => Math.abs(weight - after[w]!) <= WEIGHT_TOLERANCE);
    const lastStep = gap(poses.joints({ clip, phase: frameEarlier }), end);
    return {
      /** Between both poses, at the vertex that is farthest from its place. */
      seam: gap(begin, end),
      /** The same with the motion of the root taken out. */
      seamInPlace,
      /** Motion of the fastest vertex in the last 1/30 s: exporters often leave out the frame that closes a clip. */
      lastStep,
      /** True if `seamInPlace` is within the error budget and morph weights return. The clip can then repeat without a jump. */
      closes: seamInPlace <= tolerance && isSameShape,
      root,
    };
  });
}

/**
 * The joint that carries the body, searched from the root down to where the tree divides. It is the first there that a
 * clip moves in its parent's space; else the first that moves vertices, or the last.
 */
function carrierOf(character: Character, poses: PackedPoses): number {
  const { joints, clips, size } = character;
  const moves = joints.map(() => false);
  poses.entryJoints().forEach((joint) => (moves[joint] = true));
  const counts = moves.map(Number);
  for (let j = joints.length - 1; j >= 0; j--) {
    const { parentIndex } = joints[j]!;
    if (parentIndex >= 0) counts[parentIndex]! += counts[j]!;
  }
  const below = (parent: number) =>
    joints.flatMap(({ parentIndex }, j) => (parentIndex === parent && counts[j]! > 0 ? [j] : []));
  const trunk = [below(-1).reduce((most, j) => (counts[j]! > counts[most]! ? j : most), 0)];
  for (let next = below(trunk[0]!); next.length === 1; next = below(next[0]!)) trunk.push(next[0]!);
  const isMoved = (joint: number) =>
    clips.some((_, clip) => {
      const [first, ...others] = LOOKS.map((phase) => poses.translation(joint, { clip, phase }));
      return others.some((place) => Math.hypot(...place.map((value, c) => value - first![c]!)) > LEAST_SHARE * size);
    });
  return trunk.find(isMoved) ?? trunk.find((joint) => moves[joint]) ?? trunk.at(-1)!;
}

/** Phases at which a joint's place is compared. */
const LOOKS = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * LAST_PHASE));
/** Share of the character's size. Less does not count as motion of the whole. */
const LEAST_SHARE = 0.001;

/** Motion of the joint that carries the body, over the ground and in a straight line from begin to end. Metres, radians, seconds. */
function rootFacts({ joints }: Character, poses: PackedPoses, carrier: number, clip: number, duration: number) {
  // a root turns by less than half a circle between two of them
  const steps = Math.min(256, Math.max(2, Math.ceil(16 * duration)));
  const at = Array.from({ length: steps + 1 }, (_, s) =>
    poses.joint(carrier, { clip, phase: Math.min(LAST_PHASE, Math.round((s / steps) * 2 ** 32)) }),
  );
  const [first, last] = [at[0]!, at.at(-1)!];
  const [x, y, z] = [3, 7, 11].map((c) => last[c]! - first[c]!) as [number, number, number];
  const distance = Math.hypot(x, z);
  const speed = duration > 0 ? distance / duration : 0;
  const direction = [x, z] as const;
  /** About Y, whole turns included; to the left is positive. */
  const turn = at.slice(1).reduce((sum, matrix, s) => sum + yawBetween(at[s]!, matrix), 0);
  return { joint: joints[carrier]!.name, distance, direction, speed, rise: y, turn };
}

/** The turn about Y that is nearest to what turns one matrix into another: both may be scaled. */
function yawBetween(from: Float64Array, to: Float64Array): number {
  const dot = (a: number, b: number) => to[a]! * from[b]! + to[a + 1]! * from[b + 1]! + to[a + 2]! * from[b + 2]!;
  return Math.atan2(dot(0, 8) - dot(8, 0), dot(0, 0) + dot(8, 8));
}

/** Transforms of all joints, with the root's way over the ground and its turn taken back. */
function brought(joints: Float64Array, from: Float64Array, to: Float64Array, turn: number): Float64Array {
  const [sin, cos] = [Math.sin(turn), Math.cos(turn)];
  const out = joints.slice();
  for (let at = 0; at < out.length; at += 12) {
    for (let c = 0; c < 4; c++) {
      const [x, z] = [joints[at + c]! - (c === 3 ? to[3]! : 0), joints[at + 8 + c]! - (c === 3 ? to[11]! : 0)];
      out[at + c] = cos * x - sin * z + (c === 3 ? from[3]! : 0);
      out[at + 8 + c] = sin * x + cos * z + (c === 3 ? from[11]! : 0);
    }
  }
  return out;
}

/** Distance of the two places of the vertex that is farthest from itself, of every `step`-th one. */
function largestGap(sample: VertexSample, step: number, a: Float64Array, b: Float64Array): number {
  const difference = a.map((value, i) => value - b[i]!);
  const gap = [0, 0, 0];
  let largest = 0;
  for (let s = 0; s < sample.primitives.length; s += step) {
    if (sample.offsets[s] === sample.offsets[s + 1]) continue; // nothing moves it
    blendVertex(sample, s, difference, gap);
    largest = Math.max(largest, Math.hypot(gap[0]!, gap[1]!, gap[2]!));
  }
  return largest;
}
