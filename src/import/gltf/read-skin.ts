import { quoted } from '../../errors.ts';
import { affineOfColumns, invertAffine } from '../model-builder/affine.ts';
import { pointer, quote } from '../model-builder/issue-list.ts';
import { isUsable } from '../model-builder/limits.ts';
import type { Palette } from '../model-builder/palette.ts';
import { SkinBindings } from '../model-builder/skin-bindings.ts';
import type { GltfFile } from './file.ts';
import type { Skeleton } from './skeleton.ts';

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
