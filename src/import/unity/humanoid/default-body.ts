import { HUMAN_BONES, type HumanBone, type HumanoidMap } from '../../../character/humanoid.ts';
import type { JointModel } from '../../../character/model.ts';
import {
  add,
  cross,
  inverse,
  mix,
  multiply,
  normalized,
  type Rotation,
  rotate,
  rotationOfAxes,
  subtract,
  times,
  type Vector3,
} from '../../../math/rotations.ts';

/** A bone of the default body, in the T-pose: facing +Z, up +Y, left +X. */
interface BodyBone {
  readonly parent: HumanBone | undefined;
  /** Share of the body's height: of bones on both sides the left one. */
  readonly at: Vector3;
  /** Share of the body's mass, in 82.5ths. */
  readonly mass: number;
  /** The bone at its other end; for ends, where that is. */
  readonly next: HumanBone | Vector3;
}

/**
 * Unity's default avatar is not published. Heights and lengths are the shares of a person's height of Drillis and Contini (1966), as in D.
 * A. Winter, Biomechanics and Motor Control of Human Movement. Masses are those that avatars contain (`m_HumanBoneMass`).
 */
const TRUNK: Readonly<Partial<Record<HumanBone, BodyBone>>> = {
  hips: { parent: undefined, at: [0, 0.54, 0], mass: 12, next: 'spine' },
  spine: { parent: 'hips', at: [0, 0.59, 0], mass: 2.5, next: 'chest' },
  chest: { parent: 'spine', at: [0, 0.65, 0], mass: 12, next: 'upperChest' },
  upperChest: { parent: 'chest', at: [0, 0.72, 0], mass: 12, next: 'neck' },
  neck: { parent: 'upperChest', at: [0, 0.83, 0], mass: 1, next: 'head' },
  head: { parent: 'neck', at: [0, 0.88, 0], mass: 4, next: [0, 1, 0] },
};

/** Shoulder, elbow, wrist and fingertip, and the height of the arm. */
const ARM = { shoulder: 0.03, upper: 0.11, lower: 0.296, hand: 0.442, tip: 0.55, height: 0.81 } as const;
const LEFT: Readonly<Record<string, BodyBone & { readonly parent: string | undefined }>> = {
  Eye: { parent: 'head', at: [0.018, 0.93, 0.04], mass: 0, next: [0.018, 0.93, 0.06] },
  UpperLeg: { parent: 'hips', at: [0.05, 0.53, 0], mass: 10, next: 'leftLowerLeg' },
  LowerLeg: { parent: 'leftUpperLeg', at: [0.05, 0.285, 0], mass: 4, next: 'leftFoot' },
  Foot: { parent: 'leftLowerLeg', at: [0.05, 0.039, 0], mass: 0.8, next: 'leftToes' },
  Toes: { parent: 'leftFoot', at: [0.05, 0.01, 0.08], mass: 0.2, next: [0.05, 0.01, 0.11] },
  Shoulder: { parent: 'upperChest', at: [ARM.shoulder, ARM.height, 0], mass: 0.5, next: 'leftUpperArm' },
  UpperArm: { parent: 'leftShoulder', at: [ARM.upper, ARM.height, 0], mass: 2, next: 'leftLowerArm' },
  LowerArm: { parent: 'leftUpperArm', at: [ARM.lower, ARM.height, 0], mass: 1.5, next: 'leftHand' },
  Hand: { parent: 'leftLowerArm', at: [ARM.hand, ARM.height, 0], mass: 0.5, next: [ARM.tip, ARM.height, 0] },
};

/** Shares of the body's height: knuckles and joints of a finger along the hand, and where it is across it. */
const PHALANGES = { Proximal: 0.055, Intermediate: 0.08, Distal: 0.095 } as const;
const ACROSS = { Index: 0.018, Middle: 0.006, Ring: -0.006, Little: -0.018 } as const;
const THUMB = { Metacarpal: 0.012, Proximal: 0.03, Distal: 0.045 } as const;

/** All bones that muscles move, and the hips: parents before children. */
const BONES: ReadonlyMap<HumanBone, BodyBone> = new Map(
  HUMAN_BONES.flatMap((bone): (readonly [HumanBone, BodyBone])[] => {
    const found = TRUNK[bone] ?? sided(bone);
    return found ? [[bone, found]] : [];
  }).toSorted(([a], [b]) => depthOf(a) - depthOf(b)),
);

function depthOf(bone: HumanBone): number {
  const { parent } = TRUNK[bone] ?? sided(bone)!;
  return parent === undefined ? 0 : 1 + depthOf(parent);
}

function sided(bone: HumanBone): BodyBone | undefined {
  const [, side, part] = /^(left|right)(\w+)$/.exec(bone) ?? [];
  const left = part === undefined ? undefined : (LEFT[part] ?? finger(part));
  if (!left || side === 'left') return left as BodyBone | undefined;
  const mirrored = ([x, y, z]: Vector3): Vector3 => [-x, y, z];
  const other = (name: string): HumanBone => name.replace(/^left/, 'right') as HumanBone;
  const { parent, next, at } = left;
  return {
    ...left,
    at: mirrored(at),
    parent: parent && other(parent),
    next: typeof next === 'string' ? other(next) : mirrored(next),
  };
}

function finger(part: string): BodyBone | undefined {
  const [, name, phalanx] = /^(Thumb|Index|Middle|Ring|Little)(\w+)$/.exec(part) ?? [];
  if (name === undefined) return undefined;
  const phalanges: Readonly<Record<string, number>> = name === 'Thumb' ? THUMB : PHALANGES;
  const names = Object.keys(phalanges);
  const above = names[names.indexOf(phalanx!) - 1];
  const reach = phalanges[phalanx!]!;
  // a thumb points forward by half a right angle
  const place = (along: number): Vector3 =>
    name === 'Thumb'
      ? [ARM.hand + along, ARM.height, 0.012 + along]
      : [ARM.hand + along, ARM.height, ACROSS[name as keyof typeof ACROSS]];
  const parent = (above === undefined ? 'leftHand' : `left${name}${above}`) as HumanBone;
  return { parent, at: place(reach), mass: 0, next: place(reach + 0.015) };
}

/** The bones of the default body in the order of its joints, and the parent of each by its index. */
export const BODY_BONES: readonly HumanBone[] = [...BONES.keys()];
const PARENTS = BODY_BONES.map((bone) => BODY_BONES.indexOf(BONES.get(bone)!.parent as HumanBone));

/** Positions and rotations of all bones of the default body. */
export interface BodyPose {
  readonly positions: readonly Vector3[];
  readonly rotations: readonly Rotation[];
}

/** The centre of mass, and the mean orientation of the lower and the upper body relative to the T-pose. */
export interface BodyTransform {
  readonly position: Vector3;
  readonly rotation: Rotation;
}

const MASS = BODY_BONES.reduce((sum, bone) => sum + BONES.get(bone)!.mass, 0);

/** Places a pose's centre of mass at its bones' middles, and takes its orientation from hips and shoulders: they carry the limbs. */
function transformOf({ positions, rotations }: BodyPose, halves: readonly Vector3[]): BodyTransform {
  let position: Vector3 = [0, 0, 0];
  BODY_BONES.forEach((bone, i) => {
    const middle = add(positions[i]!, rotate(rotations[i]!, halves[i]!));
    position = add(position, times(middle, BONES.get(bone)!.mass / MASS));
  });
  const at = (bone: HumanBone): Vector3 => positions[BODY_BONES.indexOf(bone)]!;
  const [leftArm, rightArm] = [at('leftUpperArm'), at('rightUpperArm')];
  const [leftLeg, rightLeg] = [at('leftUpperLeg'), at('rightUpperLeg')];
  const across = normalized(subtract(add(leftArm, leftLeg), add(rightArm, rightLeg)), [1, 0, 0]);
  const up = normalized(subtract(add(leftArm, rightArm), add(leftLeg, rightLeg)));
  const forward = normalized(cross(across, up), [0, 0, 1]);
  return { position, rotation: rotationOfAxes(cross(up, forward), up, forward) };
}

/** Offsets of bones from their parents, and of their middles, in metres. */
interface Lengths {
  readonly offsets: readonly Vector3[];
  readonly halves: readonly Vector3[];
}

function lengthsOf(height: number): Lengths {
  const at = (bone: HumanBone): Vector3 => BONES.get(bone)!.at;
  const offsets = BODY_BONES.map((bone) => {
    const { parent } = BONES.get(bone)!;
    return times(parent === undefined ? at(bone) : subtract(at(bone), at(parent)), height);
  });
  const halves = BODY_BONES.map((bone) => {
    const { next } = BONES.get(bone)!;
    const middle = mix(at(bone), typeof next === 'string' ? at(next) : next, 0.5);
    return times(subtract(middle, at(bone)), height);
  });
  return { offsets, halves };
}

/** Lengths are normalised: in the T-pose the centre of mass is 1 m above the ground. */
const { offsets: OFFSETS, halves: HALVES } = (() => {
  const person = lengthsOf(1);
  const still = BODY_BONES.map((): Rotation => [0, 0, 0, 1]);
  const positions = BODY_BONES.map((bone) => BONES.get(bone)!.at);
  return lengthsOf(1 / transformOf({ positions, rotations: still }, person.halves).position[1]);
})();

/** The joints of the default body, resting in the T-pose, and which bone each is. */
export function defaultBody(): { readonly joints: JointModel[]; readonly humanoid: HumanoidMap } {
  const joints = BODY_BONES.map((name, nodeIndex): JointModel => ({
    name,
    parentIndex: PARENTS[nodeIndex]!,
    nodeIndex,
    translation: OFFSETS[nodeIndex]! as JointModel['translation'],
    rotation: [0, 0, 0, 1],
    scale: [1, 1, 1],
  }));
  return { joints, humanoid: Object.fromEntries(BODY_BONES.map((bone, index) => [bone, index])) };
}

/**
 * Where the hips are, for a body with a transform.
 *
 * @param locals Rotation of each bone to its parent; that of the hips is left out.
 */
export function hipsOf(locals: readonly Rotation[], wanted: BodyTransform): BodyTransform {
  const positions: Vector3[] = [];
  const rotations: Rotation[] = [];
  BODY_BONES.forEach((_, i) => {
    const parent = PARENTS[i]!;
    if (parent < 0) {
      positions.push([0, 0, 0]);
      rotations.push([0, 0, 0, 1]);
      return;
    }
    positions.push(add(positions[parent]!, rotate(rotations[parent]!, OFFSETS[i]!)));
    rotations.push(multiply(rotations[parent]!, locals[i]!));
  });
  const own = transformOf({ positions, rotations }, HALVES);
  const rotation = multiply(wanted.rotation, inverse(own.rotation));
  return { position: subtract(wanted.position, rotate(rotation, own.position)), rotation };
}
