import { LOD_LIMIT } from '../../character/character.ts';
import { pointer } from '../model-builder/issue-list.ts';
import { extensionOf, type GltfJson } from './schema.ts';

const NAME = 'MSFT_lod';

/** Nodes that replace others far from the camera, as MSFT_lod says. */
export interface NodeLods {
  /** Per node that has them: coarser nodes, finest first, at most LOD_LIMIT. */
  readonly lodsOf: ReadonlyMap<number, readonly number[]>;
  /** Per node of the file: 1 if it, or a node above it, is a coarser one and does not belong to the scene itself. */
  readonly hidden: Uint8Array;
}

/**
 * Reads MSFT_lod of all nodes; nothing of it is an error. Only nodes that carry a mesh can be matched: of others the
 * coarser nodes are left out of the scene all the same, with a warning.
 */
export function readNodeLods({ json, issues }: GltfJson, parents: Int32Array): NodeLods {
  const nodes = json.nodes ?? [];
  const lodsOf = new Map<number, readonly number[]>();
  const hidden = new Uint8Array(nodes.length);
  const given = nodes.flatMap((node, index) => (extensionOf(node, NAME) ? [index] : []));
  const orders = given.length > 0 ? nestingOrders(parents) : undefined;
  for (const index of given) {
    // a coarser LOD has no LODs itself
    if (hidden[index]) continue;
    const node = nodes[index]!;
    const path = pointer('nodes', index, 'extensions', NAME);
    const ignore = (message: string) => issues.warn('GLTF_LOD_IGNORED', path, message);
    const { ids } = extensionOf(node, NAME)!;
    const isCoarser = (id: unknown): id is number =>
      typeof id === 'number' && nodes[id] !== undefined && !orders!.isAtOrAbove(id, index);
    const list: readonly unknown[] = Array.isArray(ids) ? ids : [];
    const usable = list.filter(isCoarser);
    if (usable.length === 0 || usable.length < list.length) ignore('ids do not all name its siblings or descendants');
    for (const id of usable) hidden[id] = 1;
    if (node.mesh === undefined) ignore('the node carries no mesh; only LODs of mesh nodes are imported');
    else if (usable.length > LOD_LIMIT) ignore(`${usable.length} LODs; the first ${LOD_LIMIT} are imported`);
    if (node.mesh !== undefined) lodsOf.set(index, usable.slice(0, LOD_LIMIT));
  }
  json.materials?.forEach((material, index) => {
    if (!extensionOf(material, NAME)) return;
    issues.info('GLTF_LOD_IGNORED', pointer('materials', index, 'extensions', NAME), 'materials keep their finest LOD');
  });
  orders?.downwards.forEach((node) => {
    if (parents[node]! >= 0) hidden[node]! |= hidden[parents[node]!]!;
  });
  return { lodsOf, hidden };
}

/** Nodes parents first, and whether one is another or above it. */
function nestingOrders(parents: Int32Array) {
  const children = Array.from(parents, (): number[] => []);
  const roots: number[] = [];
  parents.forEach((parent, node) => (parent < 0 ? roots : children[parent]!).push(node));
  const downwards: number[] = [];
  const first = new Int32Array(parents.length);
  const pending = roots;
  while (pending.length > 0) {
    const node = pending.pop()!;
    first[node] = downwards.push(node) - 1;
    for (const child of children[node]!) pending.push(child);
  }
  // depth first, so that what is below a node follows it
  const count = new Int32Array(parents.length).fill(1);
  for (const node of downwards.toReversed()) if (parents[node]! >= 0) count[parents[node]!]! += count[node]!;
  const isAtOrAbove = (node: number, other: number): boolean =>
    first[other]! >= first[node]! && first[other]! < first[node]! + count[node]!;
  return { downwards, isAtOrAbove };
}
