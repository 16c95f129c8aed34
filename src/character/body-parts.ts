import type { HumanBone, HumanoidMap } from './humanoid.ts';

/** A part of a body: `root`, which is the hips and everything above them, `body`, `head`, `leftLeg`, `leftArm`, `leftFingers` … */
type BodyPart = string;

/** The part that an entry of a mask means: `humanoid:leftArm`; undefined for a path of joints. */
export function partOfMask(key: string): BodyPart | undefined {
  return /^humanoid:(root|body|head|(left|right)(Leg|Arm|Fingers))$/.exec(key)?.[1];
}

function partOfBone(bone: HumanBone): BodyPart {
  const side = /^left|^right/.exec(bone)?.[0] ?? '';
  if (bone === 'hips') return 'root';
  if (/spine|chest/i.test(bone)) return 'body';
  if (/Leg|Foot|Toes/.test(bone)) return `${side}Leg`;
  if (/Shoulder|Arm|Hand/.test(bone)) return `${side}Arm`;
  return side === '' || bone.endsWith('Eye') ? 'head' : `${side}Fingers`;
}

/** The part of each joint: of its bone, or else of the next bone above it. Joints below no bone belong to the root. */
export function partsOfJoints(joints: readonly { readonly parentIndex: number }[], humanoid: HumanoidMap): BodyPart[] {
  const parts: BodyPart[] = [];
  const bones = new Map(Object.entries(humanoid).map(([bone, joint]) => [joint, partOfBone(bone as HumanBone)]));
  joints.forEach(({ parentIndex }, joint) => parts.push(bones.get(joint) ?? parts[parentIndex] ?? 'root'));
  return parts;
}
