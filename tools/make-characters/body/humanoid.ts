import type { JointRow } from '../rig.ts';
import { mirror, type Vec3 } from '../math/vec.ts';

/** Where the joints of a two-legged body are in its bind pose, an A-pose; limbs are given for the left (+X) side. */
export interface Build {
  readonly pelvis: Vec3;
  readonly spine: readonly [Vec3, Vec3];
  readonly chest: Vec3;
  readonly neck: Vec3;
  readonly head: Vec3;
  readonly clavicle: Vec3;
  readonly shoulder: Vec3;
  readonly elbow: Vec3;
  readonly wrist: Vec3;
  /** Where the fingers begin to curl. */
  readonly knuckle: Vec3;
  readonly hip: Vec3;
  readonly knee: Vec3;
  readonly ankle: Vec3;
  readonly ball: Vec3;
  readonly heel: Vec3;
}

export const SIDES = ['l', 'r'] as const;
export type Side = (typeof SIDES)[number];

/** A left-hand place, on the side wanted. */
export const onSide = (side: Side, left: Vec3): Vec3 => (side === 'l' ? left : mirror(left));

/** The 25 joints that both characters share, parents first. */
export function humanoidJoints(build: Build): JointRow[] {
  const rows: JointRow[] = [
    ['root', null, [0, 0, 0]],
    ['pelvis', 'root', build.pelvis],
    ['spine_1', 'pelvis', build.spine[0]],
    ['spine_2', 'spine_1', build.spine[1]],
    ['chest', 'spine_2', build.chest],
    ['neck', 'chest', build.neck],
    ['head', 'neck', build.head],
  ];
  const limb = (side: Side, names: readonly [string, Vec3][], parent: string): void => {
    let above = parent;
    for (const [name, at] of names) {
      rows.push([`${name}_${side}`, above, onSide(side, at)]);
      above = `${name}_${side}`;
    }
  };
  for (const side of SIDES) {
    limb(
      side,
      [
        ['clavicle', build.clavicle],
        ['upper_arm', build.shoulder],
        ['lower_arm', build.elbow],
        ['hand', build.wrist],
        ['grip', build.knuckle],
      ],
      'chest',
    );
  }
  for (const side of SIDES) {
    limb(
      side,
      [
        ['thigh', build.hip],
        ['shin', build.knee],
        ['foot', build.ankle],
        ['toe', build.ball],
      ],
      'pelvis',
    );
  }
  return rows;
}
