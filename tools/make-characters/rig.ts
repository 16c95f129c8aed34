import { sub, type Vec3, ZERO } from './math/vec.ts';

/**
 * A skeleton in its bind pose. Every joint's bind rotation is the identity, so a joint is known by its place alone,
 * rotations are read in model axes, and the inverse bind matrices are pure translations.
 */
export interface Joint {
  readonly name: string;
  readonly index: number;
  readonly parent: number;
  /** Model space, metres. */
  readonly at: Vec3;
  /** From the parent joint. */
  readonly offset: Vec3;
}

export interface Rig {
  readonly joints: readonly Joint[];
  /** Throws on an unknown name: every name is written in this folder, so it is a slip of the pen. */
  joint(name: string): Joint;
}

/** name, parent's name, place; parents first. */
export type JointRow = readonly [name: string, parent: string | null, at: Vec3];

export function makeRig(rows: readonly JointRow[]): Rig {
  const joints: Joint[] = [];
  const byName = new Map<string, Joint>();
  const find = (name: string): Joint => {
    const joint = byName.get(name);
    if (!joint) throw new Error(`no joint is called ${name}`);
    return joint;
  };
  for (const [name, parentName, at] of rows) {
    const parent = parentName === null ? undefined : find(parentName);
    const joint = { name, index: joints.length, parent: parent?.index ?? -1, at, offset: sub(at, parent?.at ?? ZERO) };
    joints.push(joint);
    byName.set(name, joint);
  }
  return { joints, joint: find };
}
