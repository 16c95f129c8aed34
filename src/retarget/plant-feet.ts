import {
  add,
  cross,
  dot,
  inverse,
  length,
  multiply,
  rotate,
  subtract,
  times,
  type Vector3,
} from '../math/rotations.ts';
import { type Body, bone, LEFT, mean, PART, SIDES, type Side } from './body.ts';
import { type Contact, contactsOf, type FootPath, treadmillVelocity } from './contacts.ts';
import { ballOf, type SourceFrame } from './frames.ts';
import { REACH, smooth, solveLimb } from './solve-leg.ts';
import type { TargetPose } from './target-skeleton.ts';

/** Slide of planted feet over the ground, as shares of the body's height. */
export interface FeetResult {
  readonly median: number;
  readonly worst: number;
  /** The 95th percentile. */
  readonly high: number;
  /** The same without holding the feet. */
  readonly freeMedian: number;
  readonly freeHigh: number;
  readonly samples: number;
  readonly contacts: Readonly<Record<Side, readonly Contact[]>>;
  /** Distances of planted feet from their places, per sample, as shares of the height. */
  readonly slides: readonly number[];
  /** The same by foot over time, NaN where the foot is not planted. `free`: before the feet were held. */
  readonly traces: Readonly<Record<Side, { readonly held: Float64Array; readonly free: Float64Array }>>;
  /** Velocity of the ground of a clip that walks in place, metres of the target per second. */
  readonly ground: Vector3;
}

export interface FeetInput {
  /** The source's frames, after a mirror. */
  readonly frames: readonly SourceFrame[];
  readonly poses: readonly TargetPose[];
  readonly source: Body;
  readonly target: Body;
  readonly ratio: number;
  /** Between samples. */
  readonly seconds: number;
  readonly loops: boolean;
  readonly isHeld: boolean;
}

/** Seconds over which a foot is caught before it is planted, and released afterwards. */
const RELEASE = 0.15;
/** Height of the ball, in legs, up to which the height of the source is kept. */
const NEAR_GROUND = 0.25;

/**
 * Holds planted feet of the target in place, at the height that they have in the source. Where a foot is out of reach, the
 * pelvis sinks, smoothly. Knees that bend the wrong way are bent the right way, also where feet are not held.
 */
export function plantFeet(input: FeetInput): { poses: readonly TargetPose[]; result: FeetResult } {
  const { source, target, ratio, seconds, isHeld, poses } = input;
  const inLegs = SIDES.map((side): FootPath => ({
    ball: input.frames.map(({ balls }) => times(balls[side], 1 / source.legLength)),
  }));
  const ground = seconds > 0 ? treadmillVelocity(inLegs, seconds) : ([0, 0, 0] as const);
  const contacts = inLegs.map((path) => (seconds > 0 ? contactsOf(path, seconds, ground) : []));
  const moving = times(ground, source.legLength * ratio);
  const free = SIDES.map((side) => poses.map((pose) => ballOf(target, pose, side)));
  const goals = SIDES.map((_, s) => ballGoals(input, free[s]!, inLegs[s]!, contacts[s]!, moving));
  const held = hold(input, isHeld ? goals : free);
  const measure = (list: readonly TargetPose[], side: Side): Float64Array =>
    slidesOf(
      list.map((pose) => ballOf(target, pose, side)),
      contacts[SIDES.indexOf(side)]!,
      moving,
      seconds,
      target.height,
    );
  const trace = (side: Side) => ({ held: measure(held, side), free: measure(poses, side) });
  const traces = { left: trace('left'), right: trace('right') };
  const planted = (kind: 'held' | 'free'): number[] =>
    SIDES.flatMap((side) => Array.from(traces[side][kind])).filter((slide) => !Number.isNaN(slide));
  const slides = planted('held');
  const freely = planted('free');
  const result: FeetResult = {
    median: percentile(slides, 0.5),
    high: percentile(slides, 0.95),
    worst: percentile(slides, 1),
    freeMedian: percentile(freely, 0.5),
    freeHigh: percentile(freely, 0.95),
    samples: slides.length,
    contacts: { left: contacts[0]!, right: contacts[1]! },
    slides,
    traces,
    ground: moving,
  };
  return { poses: held, result };
}

/** Goals for the ball of a foot: free where it moves, fixed where it is planted, with smooth changes. */
function ballGoals(
  { target, seconds, loops, poses }: FeetInput,
  free: readonly Vector3[],
  { ball }: FootPath,
  contacts: readonly Contact[],
  moving: Vector3,
): Vector3[] {
  const drift = (i: number): Vector3 => times(moving, i * seconds);
  const count = poses.length;
  // over a loop that moves, the last planted foot is the first one, moved by the loop
  const first = contacts[0];
  const last = contacts.at(-1);
  const wraps = loops && contacts.length > 1 && first!.first === 0 && last!.last === count - 1;
  const places = contacts.map(({ first: from, last: to }) => {
    const own = free.slice(from, to + 1).map((at, i) => subtract(at, drift(from + i)));
    return [mean(own.map(([x]) => x)), 0, mean(own.map(([, , z]) => z))] as const;
  });
  if (wraps) {
    const step = subtract(subtract(free[count - 1]!, free[0]!), drift(count - 1));
    const [a, b] = [places[0]!, subtract(places.at(-1)!, step)];
    const share = (last!.last - last!.first) / (last!.last - last!.first + first!.last + 1);
    const common: Vector3 = [a[0] * (1 - share) + b[0] * share, 0, a[2] * (1 - share) + b[2] * share];
    places[0] = [common[0], 0, common[2]];
    places[places.length - 1] = [common[0] + step[0], 0, common[2] + step[2]];
  }
  const change = (i: number, c: number): Vector3 => subtract(add(places[c]!, drift(i)), free[i]!);
  return free.map((at, i): Vector3 => {
    const height = target.ground + target.ballHeight + Math.max(0, ball[i]![1]) * target.legLength;
    const nearness = 1 - smooth(ball[i]![1] / NEAR_GROUND);
    const y = at[1] + (height - at[1]) * nearness;
    const inside = contacts.findIndex(({ first: from, last: to }) => i >= from && i <= to);
    if (inside >= 0) {
      const [dx, , dz] = change(i, inside);
      return [at[0] + dx, y, at[2] + dz];
    }
    let [dx, dz] = [0, 0];
    contacts.forEach(({ first: from, last: to }, c) => {
      const edge = i < from ? from : to;
      const weight = smooth(1 - (Math.abs(i - edge) * seconds) / RELEASE);
      if (weight === 0) return;
      const [x, , z] = change(edge, c);
      dx += weight * x;
      dz += weight * z;
    });
    return [at[0] + dx, y, at[2] + dz];
  });
}

/** Moves legs so that the balls of the feet reach their goals. */
function hold(input: FeetInput, goals: readonly (readonly Vector3[])[]): TargetPose[] {
  const { target, poses, seconds } = input;
  const ankles = SIDES.map((side, s) =>
    poses.map((pose, i) => {
      const foot = target.map[bone(side, 'Foot')]!;
      return subtract(goals[s]![i]!, rotate(pose.rotations[foot]!, target.ballOffset[side]));
    }),
  );
  const sinks = smoothSinks(
    poses.map((pose, i) =>
      sinkOf(
        target,
        pose,
        SIDES.map((_, s) => ankles[s]![i]!),
      ),
    ),
    seconds,
  );
  return poses.map((pose, i) => {
    const rotations = [...pose.rotations];
    const positions = pose.positions.map((at): Vector3 => [at[0], at[1] - sinks[i]!, at[2]]);
    SIDES.forEach((side, s) => bendLeg(target, { rotations, positions }, side, ankles[s]![i]!));
    return { rotations, positions };
  });
}

/** How far the pelvis has to sink so that both ankles are in reach. */
function sinkOf(target: Body, { positions }: TargetPose, ankles: readonly Vector3[]): number {
  let sink = 0;
  SIDES.forEach((side, s) => {
    const [hip, knee, ankle] = ['UpperLeg', 'LowerLeg', 'Foot'].map(
      (part) => positions[target.map[bone(side, part)]!]!,
    );
    const reach = (length(subtract(knee!, hip!)) + length(subtract(ankle!, knee!))) * REACH;
    const [dx, dy, dz] = subtract(ankles[s]!, hip!);
    const level = Math.hypot(dx, dz);
    if (level >= reach) return;
    sink = Math.max(sink, -dy - Math.sqrt(reach * reach - level * level));
  });
  return Math.min(sink, 0.1 * target.legLength);
}

/** The smallest smooth curve that is nowhere below the sinks: the largest of a window, then its mean. */
function smoothSinks(sinks: readonly number[], seconds: number): number[] {
  if (seconds <= 0) return [...sinks];
  const width = Math.max(1, Math.round(0.1 / seconds));
  const around = (list: readonly number[], i: number): readonly number[] =>
    list.slice(Math.max(0, i - width), i + width + 1);
  const largest = sinks.map((_, i) => Math.max(...around(sinks, i)));
  return largest.map((_, i) => mean(around(largest, i)));
}

/** Turns one leg so that its end reaches the goal. The foot keeps its direction. */
function bendLeg(target: Body, pose: TargetPose, side: Side, goal: Vector3): void {
  const joint = (part: string): number => target.map[bone(side, part)]!;
  const [hip, knee, foot] = [joint('UpperLeg'), joint('LowerLeg'), joint('Foot')];
  const { rotations, positions } = pose;
  const [root, middle, ankle] = [positions[hip]!, positions[knee]!, positions[foot]!];
  const axis = rotate(multiply(rotations[hip]!, inverse(target.tPose[hip]!)), LEFT);
  const bend = cross(subtract(middle, root), subtract(ankle, middle));
  // legs that are right stay as they are, to the last bit
  if (dot(bend, axis) >= 0 && length(subtract(goal, ankle)) < 1e-7 * target.legLength) return;
  const { upper, lower } = solveLimb({ root, middle, end: ankle, axis }, goal);
  const newMiddle = add(root, rotate(upper, subtract(middle, root)));
  const newAnkle = add(newMiddle, rotate(lower, subtract(ankle, middle)));
  const parts = target.parts[side];
  for (let at = Math.min(hip, foot); at < positions.length; at++) {
    if (parts[at] === PART.foot) positions[at] = add(positions[at]!, subtract(newAnkle, ankle));
    else if (parts[at] === PART.shin) {
      positions[at] = add(newMiddle, rotate(lower, subtract(positions[at]!, middle)));
      rotations[at] = multiply(lower, rotations[at]!);
    } else if (parts[at] === PART.thigh) {
      positions[at] = add(root, rotate(upper, subtract(positions[at]!, root)));
      rotations[at] = multiply(upper, rotations[at]!);
    }
  }
}

/** Distance of a foot from its mean place over the ground while it is planted, as a share of the body's height; else NaN. */
function slidesOf(
  ball: readonly Vector3[],
  contacts: readonly Contact[],
  moving: Vector3,
  seconds: number,
  height: number,
): Float64Array {
  const slides = new Float64Array(ball.length).fill(NaN);
  for (const { first, last } of contacts) {
    const places = ball.slice(first, last + 1).map((at, i) => subtract(at, times(moving, (first + i) * seconds)));
    const [x, z] = [mean(places.map((at) => at[0])), mean(places.map((at) => at[2]))];
    places.forEach((at, i) => (slides[first + i] = Math.hypot(at[0] - x, at[2] - z) / height));
  }
  return slides;
}

/** A value below which that share of a list lies; 0 for an empty one. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0;
}
