import { pointer, refuse } from '../model-builder/issue-list.ts';
import type { GltfJson } from './schema.ts';

const MAX_CONFLICTS = 100;

/**
 * The parent of every node, -1 for roots. Takes one pass however deep the nodes are nested.
 *
 * @throws ManipleError GLTF_INVALID when the nodes are not a forest (a node with two parents, a cycle), GLTF_LIMIT
 */
export function checkHierarchy({ json, limits, issues }: GltfJson): Int32Array {
  const nodes = json.nodes ?? [];
  if (nodes.length > limits.nodes) {
    refuse('GLTF_LIMIT', '/nodes', `the file has ${nodes.length} nodes, the limit is ${limits.nodes}`);
  }
  const parents = new Int32Array(nodes.length).fill(-1);
  let conflicts = 0;
  nodes.forEach((node, i) => {
    node.children?.forEach((child, k) => {
      const other = parents[child]!;
      // a hostile file has millions, and each would be written out
      if (other >= 0 && conflicts++ < MAX_CONFLICTS) {
        const message = `node ${child} is already a child of node ${other}; a node has one parent`;
        issues.error('GLTF_INVALID', pointer('nodes', i, 'children', k), message);
      }
      parents[child] = i;
    });
  });
  issues.throwIfErrors();
  const onCycle = findCycle(parents);
  if (onCycle < 0) return parents;
  return refuse('GLTF_INVALID', pointer('nodes', onCycle), 'the node is its own ancestor: its parents form a cycle');
}

/** A node on a cycle, or -1: every node is walked upwards until a node that an earlier walk has seen. */
function findCycle(parents: Int32Array): number {
  const seenBy = new Int32Array(parents.length).fill(-1);
  for (let start = 0; start < parents.length; start++) {
    let node = start;
    while (node >= 0 && seenBy[node]! < 0) {
      seenBy[node] = start;
      node = parents[node]!;
    }
    if (node >= 0 && seenBy[node] === start) return node;
  }
  return -1;
}
