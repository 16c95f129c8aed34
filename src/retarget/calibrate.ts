import type { HumanBone, HumanoidMap } from '../character/humanoid.ts';
import type { CharacterModel } from '../character/model.ts';
import {
  add,
  cross,
  dot,
  inverse,
  length,
  multiply,
  normalized,
  type Rotation,
  rotate,
  rotationOfAxes,
  subtract,
  times,
  type Vector3,
} from '../math/rotations.ts';
import type { Moment } from './moments.ts';

/** Where a bone of the T-pose points, and the axis about which the next one bends, in a character's space. */
interface Frame {
  readonly along: Vector3;
  readonly axis: Vector3;
}

const LEFT: Vector3 = [1, 0, 0];
const UP: Vector3 = [0, 1, 0];
const DOWN: Vector3 = [0, -1, 0];
const ARMS = { left: { along: LEFT, axis: DOWN }, right: { along: [-1, 0, 0], axis: UP } } as const;

/**
 * Finds the T-pose of a skeleton from poses of a person, for files that rest in no such pose (motion capture, with the
 * axes of a device). Each bone points along a fixed direction of its joint. About that direction it is turned so that
 * elbows and knees bend about their axes, and so that trunk, head, hands and feet have no twist on average.
 *
 * @returns The rotation of every joint in the T-pose; joints without a bone follow their parents.
 */
export function calibrate(model: CharacterModel, map: HumanoidMap, moments: readonly Moment[]): Rotation[] {
  const found = new Map<number, Rotation>();
  const joint = (name: HumanBone): number | undefined => map[name];
  const place = (name: HumanBone, frame: Frame, to: Vector3, axis: Vector3): void => {
    // rotation that takes (to, axis) in the joint's space to the frame
    const own = basis(to, axis);
    found.set(map[name]!, multiply(basis(frame.along, frame.axis), inverse(own)));
  };
  const local = (at: number, of: (moment: Moment) => Vector3): Vector3 =>
    moments.reduce<Vector3>((sum, moment) => add(sum, rotate(inverse(moment.rotations[at]!), of(moment))), [0, 0, 0]);
  const toward =
    (from: number, to: number) =>
    (moment: Moment): Vector3 =>
      normalized(subtract(moment.positions[to]!, moment.positions[from]!));
  const pelvisAxis = (moment: Moment): Vector3 => toward(map.rightUpperLeg!, map.leftUpperLeg!)(moment);
  const chestAxis = (moment: Moment): Vector3 => toward(map.rightUpperArm!, map.leftUpperArm!)(moment);
  const trunkAxis = (moment: Moment): Vector3 => normalized(add(pelvisAxis(moment), chestAxis(moment)));

  const trunk = (['hips', 'spine', 'chest', 'upperChest', 'neck', 'head'] as const).filter(
    (name) => joint(name) !== undefined,
  );
  trunk.forEach((name, i) => {
    const at = map[name]!;
    const next = trunk[i + 1] === undefined ? undefined : map[trunk[i + 1]!];
    const axis =
      i === 0 ? pelvisAxis : name === 'neck' || name === 'head' || trunk[i + 1] === 'neck' ? chestAxis : trunkAxis;
    const along = next === undefined ? (moment: Moment) => toward(map.hips!, map.neck ?? at)(moment) : toward(at, next);
    place(name, { along: UP, axis: LEFT }, local(at, along), local(at, axis));
  });
  for (const side of ['left', 'right'] as const) {
    const name = (part: string): HumanBone => `${side}${part}` as HumanBone;
    const limb = (parts: readonly [string, string, string], frame: Frame): void => {
      const [a, b, c] = parts.map((part) => joint(name(part)));
      if (a === undefined || b === undefined) return;
      const upper = toward(a, b);
      const end = c === undefined ? upper : toward(b, c);
      // straight limbs have no axis, and weigh nothing
      const hinge = (moment: Moment): Vector3 => cross(upper(moment), end(moment));
      place(name(parts[0]), frame, local(a, upper), local(a, hinge));
      place(name(parts[1]), frame, local(b, end), local(b, hinge));
    };
    limb(['UpperArm', 'LowerArm', 'Hand'], ARMS[side]);
    limb(['UpperLeg', 'LowerLeg', 'Foot'], { along: DOWN, axis: LEFT });
    placeFoot(side);
  }
  return fillIn(model, map, moments, found);

  function placeFoot(side: 'left' | 'right'): void {
    const [foot, toes, leg] = (['Foot', 'Toes', 'LowerLeg'] as const).map((part) => joint(`${side}${part}`));
    if (foot === undefined || toes === undefined || leg === undefined) return;
    // how steep the foot is where it is lowest
    const low = moments
      .toSorted((a, b) => a.positions[toes]![1] - b.positions[toes]![1])
      .slice(0, Math.ceil(moments.length / 5));
    const pitches = low.map((moment) => toward(foot, toes)(moment)[1]).toSorted((a, b) => a - b);
    const pitch = Math.max(-0.8, Math.min(0, pitches[pitches.length >> 1]!));
    const along: Vector3 = [0, pitch, Math.sqrt(1 - pitch * pitch)];
    const legAxis = rotate(inverse(found.get(leg)!), LEFT);
    place(
      `${side}Foot`,
      { along, axis: LEFT },
      local(foot, toward(foot, toes)),
      local(foot, (moment) => rotate(moment.rotations[leg]!, legAxis)),
    );
  }
}

/** Joints without a T-pose of their own: bones keep the mean of their turn to the parent's bone, others follow. */
function fillIn(
  model: CharacterModel,
  map: HumanoidMap,
  moments: readonly Moment[],
  found: ReadonlyMap<number, Rotation>,
): Rotation[] {
  const bones = new Set(Object.values(map));
  const out: Rotation[] = [];
  model.joints.forEach(({ parentIndex: parent, rotation }, joint) => {
    const own = found.get(joint);
    if (own) return void out.push(own);
    if (parent < 0) return void out.push(rotation);
    const turns = moments.map(({ rotations }) => multiply(inverse(rotations[parent]!), rotations[joint]!));
    out.push(multiply(out[parent]!, bones.has(joint) ? meanRotation(turns) : rotation));
  });
  return out;
}

/** Mean of rotations that are near each other: the normalised sum, with equal signs. */
function meanRotation(rotations: readonly Rotation[]): Rotation {
  const first = rotations[0]!;
  const sum = [0, 0, 0, 0];
  for (const q of rotations) {
    const sign = q.reduce((total, value, c) => total + value * first[c]!, 0) < 0 ? -1 : 1;
    for (let c = 0; c < 4; c++) sum[c]! += sign * q[c]!;
  }
  const size = Math.hypot(...sum) || 1;
  return [sum[0]! / size, sum[1]! / size, sum[2]! / size, sum[3]! / size];
}

/** The rotation that takes +Y to a direction and +X near an axis across it. */
function basis(along: Vector3, axis: Vector3): Rotation {
  const y = normalized(along);
  const flat = subtract(axis, times(y, dot(y, axis)));
  const x = normalized(length(flat) < 1e-9 ? cross(y, Math.abs(y[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]) : flat);
  return rotationOfAxes(x, y, cross(x, y));
}
