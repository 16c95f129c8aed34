import type { Mesh } from 'three';
import type { MorphSetModel } from '../../character/model.ts';
import { isUsable } from '../../import/model-builder/limits.ts';

/** The morph weights of a mesh. Undefined if three does not morph it. */
export function morphSetOf(
  { geometry, morphTargetInfluences: weights, morphTargetDictionary: indexOf = {} }: Mesh,
  nodeIndex: number,
): MorphSetModel | undefined {
  const { position = [], normal = [] } = geometry.morphAttributes;
  const count = Math.max(position.length, normal.length);
  if (count === 0 || !weights) return undefined;
  const nameOf = new Map(Object.entries(indexOf).map(([name, index]) => [index, name]));
  return {
    nodeIndex,
    names: Array.from({ length: count }, (_, i) => nameOf.get(i) ?? String(i)),
    weights: Array.from({ length: count }, (_, i) => (isUsable(weights[i] ?? 0) ? (weights[i] ?? 0) : 0)),
  };
}
