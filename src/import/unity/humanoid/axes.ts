import type { HumanBone } from '../../../character/humanoid.ts';
import { type Rotation, inverse, multiply, NO_ROTATION, type Vector3 } from '../../../math/rotations.ts';
import { MUSCLES } from './muscles.ts';

/** The axes of a bone in the T-pose, in the character's space: of twist, and both of swing. Angles turn about them, right-handed. */
type Axes = readonly [x: Vector3, y: Vector3, z: Vector3];

/**
 * Axes in Unity's space (+X right, +Y up, +Z forward), as the documentation of ShaderMotion lists them, under the MIT licence. Signs of
 * muscles are in them. Those of the left side; on the right side Y and Z have the other sign.
 */
const LEFT_AXES: readonly (readonly [bones: RegExp, x: string, y: string, z: string])[] = [
  [/^(spine|chest|upperChest|neck|head)$/, '+Y', '-Z', '-X'],
  [/Eye$/, '', '-Y', '-X'],
  [/(UpperLeg|Foot)$/, '-Y', '-Z', '+X'],
  [/LowerLeg$/, '-Y', '+Z', '-X'],
  [/Toes$/, '', '', '+X'],
  [/(Shoulder|UpperArm|Hand)$/, '-X', '-Y', '-Z'],
  [/LowerArm$/, '-X', '+Z', '-Y'],
  [/Thumb/, '', '-X-Z', '+Y'],
  [/Index|Middle/, '', '+Y', '-Z'],
  [/Ring|Little/, '', '-Y', '-Z'],
];

function axesOf(bone: HumanBone): Axes {
  const [, ...texts] = LEFT_AXES.find(([bones]) => bones.test(bone))!;
  return texts.map((text) => axisOf(bone.startsWith('right') ? flipped(text) : text)) as unknown as Axes;
}

/** The axis of the right side for that of the left one. */
function flipped(text: string): string {
  return text.replaceAll(/[+-](?=[YZ])/g, (sign) => (sign === '+' ? '-' : '+'));
}

/** An axis of Unity's left-handed space as one of glTF's: X points the other way, and so does every turn. */
function axisOf(text: string): Vector3 {
  const part = (letter: string): number => (text.includes(`+${letter}`) ? 1 : text.includes(`-${letter}`) ? -1 : 0);
  const [x, y, z] = [part('X'), part('Y'), part('Z')];
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, -y / length, -z / length];
}

/** Angles of a bone's three axes. */
export type Angles = readonly [x: number, y: number, z: number];

/** First a twist about one axis, then a swing about a combination of the others. */
function swingTwist([ax, ay, az]: Axes, [x, y, z]: Angles): Rotation {
  const swing: Vector3 = [0, 1, 2].map((c) => y * ay[c]! + z * az[c]!) as unknown as Vector3;
  return multiply(aboutVector(swing), aboutVector([x * ax[0], x * ax[1], x * ax[2]]));
}

function aboutVector(v: Vector3): Rotation {
  const angle = Math.hypot(...v);
  if (angle < 1e-12) return NO_ROTATION;
  const s = Math.sin(angle / 2) / angle;
  return [s * v[0], s * v[1], s * v[2], Math.cos(angle / 2)];
}

/** A bone that muscles turn. */
interface Joint {
  readonly axes: Axes;
  /** The neutral pose, of angles 0, relative to the T-pose. */
  readonly neutralFromTPose: Rotation;
}

const JOINTS: ReadonlyMap<HumanBone, Joint> = (() => {
  const angles = new Map<HumanBone, [number, number, number]>();
  for (const { bone, axis, tPose } of MUSCLES.values()) {
    const known = angles.get(bone) ?? [0, 0, 0];
    known[axis] = tPose;
    angles.set(bone, known);
  }
  return new Map(
    Array.from(angles, ([bone, tPose]) => {
      const axes = axesOf(bone);
      return [bone, { axes, neutralFromTPose: inverse(swingTwist(axes, tPose)) }];
    }),
  );
})();

/** Share of a limb's twist that the next bone takes over: the default of `HumanDescription.upperArmTwist` and its like. */
const TWIST_SHARE = 0.5;
const TWISTED = /^(left|right)(Upper|Lower)(Arm|Leg)$/;

/** A bone's rotation to its parent, counted from the T-pose, and the twist that the next bone of the limb takes over. */
export interface BoneTurn {
  readonly local: Rotation;
  readonly handedOn: Rotation;
}

/** @param angles Of the bone's axes, from the neutral pose. */
export function boneTurn(bone: HumanBone, angles: Angles): BoneTurn {
  const { axes, neutralFromTPose } = JOINTS.get(bone)!;
  const [x, y, z] = angles;
  const handed = TWISTED.test(bone) ? TWIST_SHARE * x : 0;
  return {
    local: multiply(neutralFromTPose, swingTwist(axes, [x - handed, y, z])),
    handedOn: swingTwist(axes, [handed, 0, 0]),
  };
}
