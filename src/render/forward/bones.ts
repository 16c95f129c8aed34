import { CharacterType } from '../../character/format/rig-layout.ts';
import type { Character } from '../../character/character.ts';
import { View } from '../../layout/index.ts';

/** A joint that a palette entry moves. */
interface BoundJoint {
  /** Palette entry. */
  readonly entry: number;
  /** Position of the joint at bind time, in the mesh's space. The entry moves it to its position in a pose. */
  readonly at: readonly [number, number, number];
}

/** A bone, from a joint to one of its descendants. */
export interface Bone {
  readonly start: BoundJoint;
  readonly end: BoundJoint;
}

/** Returns the bones that palettes of a type can show. Bones skip joints that move no vertex. */
export function bonesOf({ rig, joints }: Character): Bone[] {
  const bound = boundJoints(rig);
  return joints.flatMap(({ parentIndex }, index) => {
    const end = bound.get(index);
    let above = parentIndex;
    while (above >= 0 && !bound.has(above)) above = joints[above]!.parentIndex;
    const start = bound.get(above);
    return start && end ? [{ start, end }] : [];
  });
}

/** First invertible palette entry of each joint. */
function boundJoints(rig: Uint32Array<ArrayBuffer>): Map<number, BoundJoint> {
  const header = new View(CharacterType, rig.buffer, rig.byteOffset, 1);
  const floats = new Float32Array(rig.buffer, rig.byteOffset, rig.length);
  const jointWord = 2 * header.get(0, 'bindJointPair');
  const bindWord = 4 * header.get(0, 'bindRow');
  const joints = new Map<number, BoundJoint>();
  for (let entry = 0; entry < header.get(0, 'paletteCount'); entry++) {
    const joint = rig[jointWord + entry]!;
    const at = originOf(floats.subarray(bindWord + 12 * entry, bindWord + 12 * entry + 12));
    if (at && !joints.has(joint)) joints.set(joint, { entry, at });
  }
  return joints;
}

/** Point that an affine map, three rows of four, moves to 0: by Cramer's rule. */
function originOf(m: Float32Array): [number, number, number] | undefined {
  const column = (c: number): [number, number, number] => [m[c]!, m[4 + c]!, m[8 + c]!];
  const determinant = ([a, b, c]: number[], [d, e, f]: number[], [g, h, i]: number[]) =>
    a! * (e! * i! - f! * h!) - b! * (d! * i! - f! * g!) + c! * (d! * h! - e! * g!);
  const [x, y, z, t] = [column(0), column(1), column(2), column(3).map((value) => -value)];
  const whole = determinant(x, y, z);
  if (!(Math.abs(whole) > 1e-30)) return undefined;
  return [determinant(t, y, z) / whole, determinant(x, t, z) / whole, determinant(x, y, t) / whole];
}
