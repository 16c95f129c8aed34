import type { GLTF } from '@gltf-transform/core';
import type { Vec3, Vec4 } from '../../character/model.ts';
import { decompose, type Trs } from './decompose.ts';
import { type IssueList, pointer } from './issue-list.ts';

/** How far from 1 a rotation's length may be without an issue. It is always normalised. */
const UNIT_TOLERANCE = 1e-3;

/**
 * The rest transform of a node. `inner` is there only for a sheared matrix: the node is then outer × inner, which takes
 * two joints. A matrix wins over translation, rotation and scale. A valid node does not have both.
 */
export function nodeTransform(node: GLTF.INode, index: number, issues: IssueList): { outer: Trs; inner?: Trs } {
  if (!node.matrix) {
    const translation = (node.translation ?? [0, 0, 0]) as unknown as Vec3;
    const scale = (node.scale ?? [1, 1, 1]) as unknown as Vec3;
    return { outer: { translation, rotation: restRotation(node, index, issues), scale } };
  }
  const { outer, inner } = decompose(node.matrix);
  if (!inner) return { outer };
  const path = pointer('nodes', index, 'matrix');
  issues.info('GLTF_MATRIX_SHEAR', path, 'the matrix is sheared: the node became two joints, which is exact');
  return { outer, inner: { translation: [0, 0, 0], rotation: inner, scale: [1, 1, 1] } };
}

function restRotation(node: GLTF.INode, index: number, issues: IssueList): Vec4 {
  return node.rotation ? unitRotation(node.rotation, pointer('nodes', index, 'rotation'), issues) : [0, 0, 0, 1];
}

/** A quaternion at unit length; the identity, where it has none. */
export function unitRotation(given: readonly number[], path: string, issues: IssueList): Vec4 {
  const length = Math.hypot(...given);
  if (Math.abs(length - 1) > UNIT_TOLERANCE) {
    const message = `the rotation has length ${length}; it was ${length > 0 ? 'normalised' : 'taken as none'}`;
    issues.warn('GLTF_VALUES_REPAIRED', path, message);
  }
  if (length === 0) return [0, 0, 0, 1];
  const [x, y, z, w] = given as [number, number, number, number];
  return [x / length, y / length, z / length, w / length];
}
