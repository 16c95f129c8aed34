import { evaluatePose, restPose } from '../character/evaluate.ts';
import type { HumanBone, HumanoidMap } from '../character/humanoid.ts';
import type { CharacterModel, ClipModel } from '../character/model.ts';
import {
  add,
  aboutAxis,
  cross,
  dot,
  inverse,
  length,
  multiply,
  NO_ROTATION,
  normalized,
  type Rotation,
  rotate,
  rotationOfAxes,
  shortestRotation,
  subtract,
  times,
  type Vector3,
} from '../math/rotations.ts';
import { bindPose } from './bind-pose.ts';
import { calibrate } from './calibrate.ts';
import { type Moment, momentOf } from './moments.ts';

/**
 * A skeleton as a person: its canonical T-pose, from which rotations are counted, and its proportions. All of it is in
 * the character's own space: it faces +Z, up is +Y, left is +X. Lengths are the model's.
 */
export interface Body {
  readonly model: CharacterModel;
  readonly map: HumanoidMap;
  /** Turns directions of the model's space to the character's. */
  readonly characterFromModel: Rotation;
  /** For each joint the part of the body below which it is. */
  readonly parts: Readonly<Record<Side, Uint8Array>>;
  /** All joints from the hips to the one that carries the arms, whether they are bones or not. */
  readonly trunk: readonly number[];
  /** Rotation of every joint in the T-pose, in the character's space. */
  readonly tPose: readonly Rotation[];
  /** Length of a leg that is stretched: hip, knee, ankle. */
  readonly legLength: number;
  /** Heights over the ground when the foot is flat. */
  readonly ankleHeight: number;
  readonly ballHeight: number;
  /** From the middle between both hip joints to one of them, and from there to the knee, in the T-pose. */
  readonly hipOffset: Readonly<Record<Side, Vector3>>;
  readonly thigh: Readonly<Record<Side, Vector3>>;
  /** From the ankle to the ball of the foot, in the space of the foot's joint: rotations only. */
  readonly ballOffset: Readonly<Record<Side, Vector3>>;
  /** From the ankle to where it is below the lower leg, in the space of the lower leg's joint. */
  readonly ankleOffset: Readonly<Record<Side, Vector3>>;
  /** Height of the ground in the model's space, at rest. */
  readonly ground: number;
  /** Place of the hips between both legs at rest, on the ground. */
  readonly origin: Vector3;
  /** Height from the sole to the top of the head's joint. */
  readonly height: number;
  /** True if the T-pose was found from clips, because neither rest nor bind pose is that of an upright person. */
  readonly isCalibrated: boolean;
}

export type Side = 'left' | 'right';
export const SIDES = ['left', 'right'] as const satisfies readonly Side[];

export const UP: Vector3 = [0, 1, 0];
export const LEFT: Vector3 = [1, 0, 0];
export const FORWARD: Vector3 = [0, 0, 1];

/** From the ankle to the ball of the foot, as a share of a leg, where no toes are known. */
const BALL_FORWARD = 0.17;
/** Knees that rest with a larger bend are those of another animal's leg, and keep it. */
const DIGITIGRADE = (40 * Math.PI) / 180;

export function bone(side: Side, part: string): HumanBone {
  return `${side}${part}` as HumanBone;
}

/** The T-pose and the proportions of a model. @param clips Clips of the model, for skeletons that rest in no pose of a person. */
export function bodyOf(model: CharacterModel, map: HumanoidMap, clips: readonly ClipModel[] = model.clips): Body {
  const rest = momentOf(model, restPose(model));
  const bound = bindPose(model);
  const candidates = [rest, ...(bound ? [withFeet(model, map, momentOf(model, bound), rest)] : [])].map((moment) => ({
    moment,
    error: stanceError(map, moment),
  }));
  const best = candidates.reduce((a, b) => (b.error < a.error - 0.05 ? b : a));
  if (
    clips.length > 0 &&
    (best.error > LYING || (best.error > STANCE && bendsLimbs(map, momentsOfClips(model, clips))))
  )
    return calibrated(model, map, clips);
  return standingBody(model, map, best.moment);
}

/** Errors of poses: from a stance in motion, with which clips are a better reference if they bend all limbs, and from a lying person. */
const STANCE = 0.15;
const LYING = 0.8;
/** The least mean sine of the bends of a limb that shows its axis. */
const LEAST_BEND = 0.15;

/** Returns true if clips bend all knees and elbows enough to show their axes. */
function bendsLimbs(map: HumanoidMap, moments: readonly Moment[]): boolean {
  return SIDES.every((side) =>
    (['Leg', 'Arm'] as const).every((limb) => {
      const [root, middle, end] = [`Upper${limb}`, `Lower${limb}`, limb === 'Leg' ? 'Foot' : 'Hand'].map(
        (part) => map[bone(side, part)],
      );
      if (root === undefined || middle === undefined || end === undefined) return false;
      const bends = moments.map(({ positions: at }) => {
        const [upper, lower] = [subtract(at[middle]!, at[root]!), subtract(at[end]!, at[middle]!)];
        return length(cross(normalized(upper), normalized(lower)));
      });
      return mean(bends) > LEAST_BEND;
    }),
  );
}

/** A bind pose with feet that are not below their legs where they are at rest, as the legs see them: skins need not bind them. */
function withFeet(model: CharacterModel, map: HumanoidMap, bound: Moment, rest: Moment): Moment {
  const positions = [...bound.positions];
  for (const side of SIDES) {
    const [leg, foot] = [map[bone(side, 'LowerLeg')]!, map[bone(side, 'Foot')]!];
    let above = foot;
    while (above > leg) above = model.joints[above]!.parentIndex;
    if (above === leg) continue;
    const offset = rotate(inverse(rest.rotations[leg]!), subtract(rest.positions[foot]!, rest.positions[leg]!));
    positions[foot] = add(positions[leg]!, rotate(bound.rotations[leg]!, offset));
  }
  return { rotations: bound.rotations, positions };
}

/** Distance of a pose from that of an upright, symmetric person: 0 for a T- or A-pose. */
function stanceError(map: HumanoidMap, { positions }: Moment): number {
  const at = (name: HumanBone): Vector3 => positions[map[name]!]!;
  const left = leftOf(map, positions);
  const top = map.neck ?? map.head!;
  let error = 1 - dot(normalized(subtract(positions[top]!, at('hips'))), UP);
  for (const side of SIDES) {
    error += 0.5 * (1 + dot(normalized(subtract(at(bone(side, 'Foot')), at(bone(side, 'UpperLeg')))), UP));
  }
  // limbs of both sides are each other's mirror images
  for (const [from, to] of [
    ['UpperArm', 'LowerArm'],
    ['UpperLeg', 'LowerLeg'],
    ['LowerLeg', 'Foot'],
  ] as const) {
    // prettier-ignore
    const [a, b] = SIDES.map((side) => normalized(subtract(at(bone(side, to)), at(bone(side, from)))));
    const mirrored = subtract(a!, times(left, 2 * dot(a!, left)));
    error += 0.2 * (1 - dot(mirrored, b!));
  }
  return error;
}

/** The direction to the left, level: across hips and shoulders. */
function leftOf(map: HumanoidMap, positions: readonly Vector3[]): Vector3 {
  const across = (part: string): Vector3 => {
    const v = subtract(positions[map[bone('left', part)]!]!, positions[map[bone('right', part)]!]!);
    return normalized([v[0], 0, v[2]], [0, 0, 0]);
  };
  return normalized(add(across('UpperLeg'), across('UpperArm')), LEFT);
}

/** A body from an upright pose. */
function standingBody(model: CharacterModel, map: HumanoidMap, reference: Moment): Body {
  const left = leftOf(map, reference.positions);
  const characterFromModel = inverse(rotationOfAxes(left, UP, cross(left, UP)));
  const rotations = reference.rotations.map((rotation) => multiply(characterFromModel, rotation));
  const positions = reference.positions.map((position) => rotate(characterFromModel, position));
  const tPose = toTPose(model, map, { rotations, positions });
  return withProportions(model, map, characterFromModel, tPose, positions, rotations, groundOf(map, positions));
}

/** The largest height of the lowest joint of feet that are on the ground, in legs: of toes, and of ankles where toes are missing. */
const ON_GROUND = { toes: 0.12, ankle: 0.3 } as const;

/** The ground below an upright pose: y = 0 if the feet are on it, else below the lowest joint of the feet. */
function groundOf(map: HumanoidMap, positions: readonly Vector3[]): number {
  const toes = SIDES.map((side) => map[bone(side, 'Toes')]).filter((at) => at !== undefined);
  const feet = [...toes, ...SIDES.map((side) => map[bone(side, 'Foot')]!)];
  const lowest = Math.min(...feet.map((at) => positions[at]![1]));
  const leg = positions[map.leftUpperLeg!]![1] - lowest;
  const most = toes.length > 0 ? ON_GROUND.toes : ON_GROUND.ankle;
  return lowest > -0.02 * leg && lowest < most * leg ? 0 : lowest - 0.02 * leg;
}

function withProportions(
  model: CharacterModel,
  map: HumanoidMap,
  characterFromModel: Rotation,
  tPose: readonly Rotation[],
  positions: readonly Vector3[],
  rotations: readonly Rotation[],
  ground: number,
): Body {
  const at = (name: HumanBone): Vector3 => positions[map[name]!]!;
  const legLength = mean(SIDES.map((side) => {
    const [hip, knee, ankle] = ['UpperLeg', 'LowerLeg', 'Foot'].map((part) => at(bone(side, part)));
    return length(subtract(knee!, hip!)) + length(subtract(ankle!, knee!));
  })); // prettier-ignore
  // a reference may have one foot in the air
  const ankleHeight = Math.min(...SIDES.map((side) => at(bone(side, 'Foot'))[1] - ground));
  const balls = SIDES.map((side): Vector3 => {
    const foot = map[bone(side, 'Foot')]!;
    const toes = map[bone(side, 'Toes')];
    if (toes !== undefined) return rotate(inverse(rotations[foot]!), subtract(positions[toes]!, positions[foot]!));
    return rotate(inverse(tPose[foot]!), [0, -0.8 * ankleHeight, BALL_FORWARD * legLength]);
  });
  const ankles = SIDES.map((side): Vector3 => {
    const leg = map[bone(side, 'LowerLeg')]!;
    return rotate(inverse(rotations[leg]!), subtract(at(bone(side, 'Foot')), positions[leg]!));
  });
  const ballHeight = ankleHeight + mean(SIDES.map((side, s) => rotate(tPose[map[bone(side, 'Foot')]!]!, balls[s]!)[1]));
  const middle = times(add(at('leftUpperLeg'), at('rightUpperLeg')), 0.5);
  const inTPose = (joint: number, v: Vector3): Vector3 =>
    rotate(multiply(tPose[joint]!, inverse(rotations[joint]!)), v);
  const hips = SIDES.map((side) => inTPose(map.hips!, subtract(at(bone(side, 'UpperLeg')), middle)));
  const thighs = SIDES.map((side) => {
    const hip = map[bone(side, 'UpperLeg')]!;
    return inTPose(hip, subtract(at(bone(side, 'LowerLeg')), positions[hip]!));
  });
  return {
    model,
    map,
    characterFromModel,
    parts: { left: partsOf(model, map, 'left'), right: partsOf(model, map, 'right') },
    trunk: trunkOf(model, map),
    tPose,
    legLength,
    ankleHeight,
    ballHeight,
    hipOffset: { left: hips[0]!, right: hips[1]! },
    thigh: { left: thighs[0]!, right: thighs[1]! },
    ballOffset: { left: balls[0]!, right: balls[1]! },
    ankleOffset: { left: ankles[0]!, right: ankles[1]! },
    ground,
    origin: [middle[0], ground, middle[2]],
    height: at('head')[1] - ground,
    isCalibrated: false,
  };
}

/** Parts of one side: joints below the hip joint, the knee and the ankle; others below the hips; the rest. */
export const PART = { none: 0, hips: 1, thigh: 2, shin: 3, foot: 4 } as const;

function partsOf({ joints }: CharacterModel, map: HumanoidMap, side: Side): Uint8Array {
  const tops = new Map([
    [map.hips!, PART.hips],
    [map[bone(side, 'UpperLeg')]!, PART.thigh],
    [map[bone(side, 'LowerLeg')]!, PART.shin],
    [map[bone(side, 'Foot')]!, PART.foot],
  ]);
  const parts = new Uint8Array(joints.length);
  joints.forEach(({ parentIndex }, joint) => {
    parts[joint] = tops.get(joint) ?? (parentIndex < 0 ? PART.none : parts[parentIndex]!);
  });
  return parts;
}

/** Returns true if a foot does not hang below its leg. */
export function isDetached({ model, map, parts }: Pick<Body, 'model' | 'map' | 'parts'>, side: Side): boolean {
  const parent = model.joints[map[bone(side, 'Foot')]!]!.parentIndex;
  return parent < 0 || parts[side][parent]! < PART.thigh;
}

function trunkOf({ joints }: CharacterModel, map: HumanoidMap): number[] {
  const trunk: number[] = [];
  for (let at = map.upperChest ?? map.chest ?? map.spine!; at > map.hips!; at = joints[at]!.parentIndex)
    trunk.unshift(at);
  return [map.hips!, ...trunk];
}

/** Turns limbs of an upright pose to the T-pose: arms sideways, legs down, feet forward. The trunk stays as it is. */
function toTPose(model: CharacterModel, map: HumanoidMap, { rotations, positions }: Moment): Rotation[] {
  // turn of each joint from the reference, inherited from its parent
  const turns: Rotation[] = [];
  const bones = new Map(Object.entries(map).map(([name, joint]) => [joint, name as HumanBone]));
  const direction = (from: number, to: number): Vector3 => normalized(subtract(positions[to]!, positions[from]!));
  const knees = SIDES.map((side) => {
    const [hip, knee, ankle] = ['UpperLeg', 'LowerLeg', 'Foot'].map((part) => map[bone(side, part)]!);
    return Math.acos(Math.max(-1, Math.min(1, dot(direction(hip!, knee!), direction(knee!, ankle!)))));
  });
  const keepsKnees = Math.max(...knees) > DIGITIGRADE || hasRigidFeet(model, map);
  model.joints.forEach(({ parentIndex }, joint) => {
    const inherited = parentIndex < 0 ? NO_ROTATION : turns[parentIndex]!;
    const name = bones.get(joint);
    const [, side, part] = /^(left|right)(.*)$/.exec(name ?? '') ?? [];
    if (part === undefined) turns.push(inherited);
    else turns.push(limbTurn(side as Side, part, joint, inherited));
  });
  return rotations.map((rotation, joint) => multiply(turns[joint]!, rotation));

  function limbTurn(side: Side, part: string, joint: number, inherited: Rotation): Rotation {
    const aim = (to: number | undefined, wanted: Vector3): Rotation => {
      if (to === undefined) return inherited;
      return multiply(shortestRotation(rotate(inherited, direction(joint, to)), wanted, FORWARD), inherited);
    };
    const outward: Vector3 = side === 'left' ? [1, 0, 0] : [-1, 0, 0];
    const next = (following: string): number | undefined => map[bone(side, following)];
    const down: Vector3 = [0, -1, 0];
    if (part === 'UpperArm') return aim(next('LowerArm'), outward);
    if (part === 'LowerArm') return aim(next('Hand'), outward);
    if (part === 'Hand') return handTurn(side, aim(next('MiddleProximal') ?? next('IndexProximal'), outward));
    if (part === 'UpperLeg') return aim(next(keepsKnees ? 'Foot' : 'LowerLeg'), down);
    if (part === 'LowerLeg') return keepsKnees ? inherited : aim(next('Foot'), down);
    // a foot is flat in the reference; only its heading changes
    if (part === 'Foot') {
      const toes = next('Toes');
      if (toes === undefined) return NO_ROTATION;
      const [x, , z] = direction(joint, toes);
      return Math.hypot(x, z) < 0.3 ? NO_ROTATION : aboutAxis(UP, -Math.atan2(x, z));
    }
    const finger = /^(Index|Middle|Ring|Little)(Proximal|Intermediate|Distal)$/.exec(part);
    if (!finger) return inherited;
    return aim(
      finger[2] === 'Proximal'
        ? next(`${finger[1]}Intermediate`)
        : finger[2] === 'Intermediate'
          ? next(`${finger[1]}Distal`)
          : undefined,
      outward,
    );
  }

  /** Turns palms down, as far as the line across the fingers shows how they are. */
  function handTurn(side: Side, turn: Rotation): Rotation {
    const [near, far] = [
      map[bone(side, 'IndexProximal')],
      map[bone(side, 'LittleProximal')] ?? map[bone(side, 'RingProximal')],
    ];
    if (near === undefined || far === undefined) return turn;
    const [, y, z] = rotate(turn, direction(far, near));
    const roll = Math.atan2(y, z);
    if (Math.abs(roll) > Math.PI / 3 || Math.hypot(y, z) < 0.5) return turn;
    return multiply(aboutAxis(LEFT, roll), turn);
  }
}

/** Returns true if feet are parts of the lower legs: skins bind these, and no joint of a foot. */
function hasRigidFeet({ joints, bindings }: CharacterModel, map: HumanoidMap): boolean {
  const bound = new Set(bindings.map(({ jointIndex }) => jointIndex));
  const isBoundBelow = (top: number): boolean =>
    joints.some((_, joint) => {
      let at = bound.has(joint) ? joint : -1;
      while (at > top) at = joints[at]!.parentIndex;
      return at === top;
    });
  return SIDES.every((side) => bound.has(map[bone(side, 'LowerLeg')]!) && !isBoundBelow(map[bone(side, 'Foot')]!));
}

/** Some 200 moments of all clips. */
function momentsOfClips(model: CharacterModel, clips: readonly ClipModel[]): Moment[] {
  const count = Math.max(2, Math.ceil(200 / clips.length));
  return clips.flatMap((clip) =>
    Array.from({ length: count }, (_, i) =>
      momentOf(model, evaluatePose(model, clip, (clip.duration * i) / (count - 1))),
    ),
  );
}

/** The body of a skeleton that rests in no pose of a person, from the poses of its clips. */
function calibrated(model: CharacterModel, map: HumanoidMap, clips: readonly ClipModel[]): Body {
  const moments = momentsOfClips(model, clips);
  const tPose = calibrate(model, map, moments);
  // any moment has the lengths; the lowest ones have the ground
  const lowest = moments.map(({ positions }) =>
    Math.min(...SIDES.map((side) => positions[map[bone(side, 'Foot')]!]![1])),
  );
  const order = lowest.toSorted((a, b) => a - b);
  const low = order[Math.floor(order.length / 20)]!;
  const { positions, rotations } = moments[lowest.indexOf(order[Math.floor(order.length / 20)]!)]!;
  const body = withProportions(model, map, NO_ROTATION, tPose, positions, rotations, low);
  const drops = SIDES.map((side) => -rotate(tPose[map[bone(side, 'Foot')]!]!, body.ballOffset[side])[1]);
  const ankleHeight = mean(drops) + 0.02 * body.legLength;
  const ground = low - ankleHeight;
  const top = map.upperChest ?? map.chest ?? map.spine!;
  const trunk =
    length(subtract(positions[top]!, positions[map.hips!]!)) + length(subtract(positions[map.head!]!, positions[top]!));
  return {
    ...body,
    ground,
    origin: [0, ground, 0],
    ankleHeight,
    ballHeight: ankleHeight - mean(drops),
    height: body.legLength + ankleHeight + trunk,
    isCalibrated: true,
  };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
