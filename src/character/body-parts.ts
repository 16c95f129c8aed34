import type { HumanBone, HumanoidMap } from './humanoid.ts';

/** Parts of a humanoid's body, by their names in masks: `humanoid:leftArm`. The root is the hips and everything above them. */
export const BODY_PARTS = [
  'root',
  'body',
  'head',
  'leftLeg',
  'rightLeg',
  'leftArm',
  'rightArm',
  'leftFingers',
  'rightFingers',
] as const;

export type BodyPart = (typeof BODY_PARTS)[number];

const PREFIX = 'humanoid:';

/** The part that an entry of a mask means; undefined for a path of joints. */
export function partOfMask(key: string): BodyPart | undefined {
  return BODY_PARTS.find((part) => key === PREFIX + part);
}

/** The bones of the parts; the hips are the root's. */
const BONES: readonly (readonly [bones: RegExp, part: string])[] = [
  [/^(spine|chest|upperChest)$/, 'body'],
  [/^(neck|head|jaw|.*Eye)$/, 'head'],
  [/(UpperLeg|LowerLeg|Foot|Toes)$/, 'Leg'],
  [/(Shoulder|UpperArm|LowerArm|Hand)$/, 'Arm'],
  [/Thumb|Index|Middle|Ring|Little/, 'Fingers'],
];

function partOfBone(bone: HumanBone): BodyPart {
  const part = BONES.find(([bones]) => bones.test(bone))?.[1] ?? 'root';
  const [side] = /^(left|right)/.exec(bone) ?? [''];
  return (/^[A-Z]/.test(part) ? side + part : part) as BodyPart;
}

/** The part of each joint: of its bone, or else of the next bone above it. Joints below no bone belong to the root. */
export function partsOfJoints(joints: readonly { readonly parentIndex: number }[], humanoid: HumanoidMap): BodyPart[] {
  const bones = new Map(Object.entries(humanoid).map(([bone, joint]) => [joint, bone as HumanBone]));
  const parts: BodyPart[] = [];
  joints.forEach(({ parentIndex }, joint) => {
    const bone = bones.get(joint);
    parts.push(bone === undefined ? (parts[parentIndex] ?? 'root') : partOfBone(bone));
  });
  return parts;
}
