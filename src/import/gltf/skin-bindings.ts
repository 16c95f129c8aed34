import { quoted } from '../../errors.ts';
import { affineOfColumns, invertAffine } from './affine.ts';
import type { GltfFile } from './file.ts';
import { pointer, quote } from './issue-list.ts';
import { isUsable } from './limits.ts';
import type { Palette } from './palette.ts';
import type { Skeleton } from './skeleton.ts';

/**
 * One skin: its joints in file order, and their palette entries, made when the first vertex asks for them.
 *
 * Without inverse bind matrices they are the identity, as glTF says. One with NaN in it is replaced by the inverse of
 * the joint's rest transform, which is what exporters write for a model bound in its rest pose.
 */
export class SkinBindings {
  readonly jointCount: number;
  readonly #entries: Int32Array;
  readonly #bind: (i: number) => number;

  constructor(jointCount: number, bind: (i: number) => number) {
    this.jointCount = jointCount;
    this.#entries = new Int32Array(jointCount).fill(-1);
    this.#bind = bind;
  }

  /** The palette entry of the skin's joint `i`, which must be below `jointCount`. */
  entry(i: number): number {
    let entry = this.#entries[i]!;
    if (entry < 0) {
      entry = this.#bind(i);
      this.#entries[i] = entry;
    }
    return entry;
  }
}

/** Reads a skin; undefined, with an error in the file's issues, when its matrices do not fit its joints. */
export function readSkin(
  { json, reader, issues }: GltfFile,
  skinIndex: number,
  { joints, jointOfNode, restFromJoint }: Skeleton,
  palette: Palette,
): SkinBindings | undefined {
  const skin = json.skins![skinIndex]!;
  const jointOf = (i: number): number => jointOfNode[skin.joints[i]!]!;
  const jointCount = skin.joints.length;
  if (skin.inverseBindMatrices === undefined) return new SkinBindings(jointCount, (i) => palette.bindRigid(jointOf(i)));
  const path = pointer('skins', skinIndex, 'inverseBindMatrices');
  const { type, count } = reader.definition(skin.inverseBindMatrices);
  if (type !== 'MAT4' || count < jointCount) {
    issues.error('GLTF_INVALID', path, `${count} × ${type} for ${jointCount} joints; must be as many MAT4`);
    return undefined;
  }
  const values = reader.floats(skin.inverseBindMatrices);
  return new SkinBindings(jointCount, (i) => {
    const joint = jointOf(i);
    const matrix = affineOfColumns(values, 16 * i);
    if (matrix.every(isUsable)) return palette.bind(joint, matrix);
    const name = quote(joints[joint]!.name);
    issues.warn(
      'GLTF_VALUES_REPAIRED',
      path,
      `matrix ${i} (joint ${quoted(name)}) has NaN in it; made from the rest pose`,
    );
    return palette.bind(joint, invertAffine(restFromJoint.subarray(12 * joint, 12 * joint + 12)));
  });
}
