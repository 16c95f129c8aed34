import { RestLane } from '../../character/format/rig-layout.ts';
import type { CrowdTables, CrowdType } from '../../frame/tables/crowd-types.ts';
import { affineFromPose, multiplyAffine } from '../../math/affine.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';

/** Rest pose of a joint, in model space. */
export interface RestJoint {
  readonly position: readonly number[];
  readonly rotation: readonly number[];
  /** Three rows of four numbers, scales and all. */
  readonly modelFromJoint: ArrayLike<number>;
}

/** Computes the rest pose of a joint. Scales affect position and matrix, not the rotation. */
export function restJoint(tables: CrowdTables, { typeRow, character }: CrowdType, joint: number): RestJoint {
  const rest = typeRow + tables.rig.type(typeRow).restRow;
  const chain: number[] = [];
  for (let at = joint; at >= 0; at = character.joints[at]!.parentIndex) chain.unshift(at);
  const rotation = [0, 0, 0, 1];
  const modelFromParent = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
  const parentFromJoint = new Float64Array(12);
  for (const lane of chain) {
    const word = 4 * rest + (lane * RestLane.size) / 4;
    const float = (offset: number, count: number) =>
      Array.from(tables.rig.floats.subarray(word + offset / 4, word + offset / 4 + count));
    const turn = float(RestLane.offsets.rotation, 4);
    const pose = [...float(RestLane.offsets.translation, 3), ...turn, ...float(RestLane.offsets.scale, 3)];
    affineFromPose(Float64Array.from(pose), 0, parentFromJoint, 0);
    multiplyAffine(modelFromParent, 0, parentFromJoint, 0, parentFromJoint, 0);
    modelFromParent.set(parentFromJoint);
    multiplyQuaternion(rotation, turn, rotation);
  }
  const position = [modelFromParent[3]!, modelFromParent[7]!, modelFromParent[11]!];
  return { position, rotation, modelFromJoint: modelFromParent };
}
