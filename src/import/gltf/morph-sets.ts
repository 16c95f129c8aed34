import type { MorphSetModel } from '../../character/model.ts';
import type { GltfFile } from './file.ts';
import { pointer } from '../model-builder/issue-list.ts';
import { isObject } from '../../forms/rules.ts';

/**
 * The morph weights of a node, if its mesh has targets. Names come from `extras.targetNames`, where exporters put
 * them, else they are the target's number. Rest weights are the node's, else the mesh's, else 0.
 */
export function readMorphSet({ json, issues }: GltfFile, nodeIndex: number): MorphSetModel | undefined {
  const node = json.nodes![nodeIndex]!;
  const mesh = json.meshes![node.mesh!]!;
  const counts = mesh.primitives.map((primitive) => primitive.targets?.length ?? 0);
  const count = counts.reduce((most, each) => Math.max(most, each), 0);
  if (count === 0) return undefined;
  const path = pointer('meshes', node.mesh!);
  if (counts.some((each) => each !== count)) {
    const message = `the primitives have ${counts.slice(0, 8).join(', ')} morph targets; missing ones move nothing`;
    issues.warn('GLTF_VALUES_REPAIRED', path, message);
  }
  const given = node.weights ?? mesh.weights ?? [];
  if (given.length !== 0 && given.length !== count) {
    const message = `${given.length} morph weights for ${count} targets; missing ones are 0, others ignored`;
    issues.warn(
      'GLTF_VALUES_REPAIRED',
      node.weights ? pointer('nodes', nodeIndex, 'weights') : `${path}/weights`,
      message,
    );
  }
  const extras: unknown = mesh.extras;
  const names: unknown = isObject(extras) ? extras.targetNames : undefined;
  return {
    nodeIndex,
    names: Array.from({ length: count }, (_, i) => {
      const name: unknown = Array.isArray(names) ? names[i] : undefined;
      return typeof name === 'string' ? name : String(i);
    }),
    weights: Array.from({ length: count }, (_, i) => given[i] ?? 0),
  };
}
