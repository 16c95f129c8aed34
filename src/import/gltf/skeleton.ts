import { composeJoints } from '../../character/evaluate.ts';
import type { JointModel } from '../../character/model.ts';
import { refuse } from '../model-builder/issue-list.ts';
import { MAX_JOINTS } from '../model-builder/limits.ts';
import { nodeTransform, type Trs } from '../model-builder/node-transforms.ts';
import { type CheckedGltf, isSkinned, nameOf } from './schema.ts';
import type { GltfFile } from './decode.ts';

/** The part of the scene that a character is made of. */
export interface Skeleton {
  readonly joints: readonly JointModel[];
  /** For each node of the file, its joint, or -1. */
  readonly jointOfNode: Int32Array;
  /** Nodes of the scene that carry a mesh, without coarser LODs, ascending. */
  readonly meshNodes: readonly number[];
  /** Nodes with a sheared matrix, which took a helper joint. No TRS track can move them. */
  readonly shearedNodes: ReadonlySet<number>;
  /** The model-space matrix of every joint in the rest pose: 12 numbers each, three rows of four. */
  readonly restFromJoint: Float64Array;
}

/**
 * Chooses the joints: every joint of the skins that meshes of the scene use, every node that carries a mesh without a
 * skin, and all their ancestors. Joints of skins may be outside the scene. A file without meshes counts as a library
 * of clips; its joints are those that its skins and clips name.
 *
 * Order: depth first, roots by ascending node index, children in file order. It depends on nothing but the hierarchy,
 * keeps limbs together and puts parents before children.
 *
 * @param hidden Per node 1 if it is a coarser LOD.
 * @param named Further nodes that have to be joints: bones of a humanoid.
 * @throws ManipleError CHARACTER_TOO_MANY_JOINTS
 */
export function readSkeleton(
  file: GltfFile,
  {
    scene,
    hidden,
    named,
  }: { readonly scene: number | undefined; readonly hidden: Uint8Array; readonly named: readonly number[] },
): Skeleton {
  const { json, parents } = file;
  const nodes = json.nodes ?? [];
  const meshNodes = sceneNodes(file, scene).filter((node) => nodes[node]!.mesh !== undefined && !hidden[node]);
  const wanted = new Uint8Array(nodes.length);
  const want = (start: number): void => {
    for (let node = start; node >= 0 && !wanted[node]; node = parents[node]!) wanted[node] = 1;
  };
  if (meshNodes.length > 0) {
    const skins = new Set<number>();
    for (const node of meshNodes) {
      const { mesh, skin } = nodes[node]!;
      if (skin !== undefined) skins.add(skin);
      // primitives that name no joints are attached to the node itself
      const { primitives } = json.meshes![mesh!]!;
      if (skin === undefined || !primitives.every(({ attributes }) => isSkinned(attributes))) want(node);
    }
    for (const skin of skins) json.skins![skin]!.joints.forEach(want);
  } else {
    for (const skin of json.skins ?? []) skin.joints.forEach(want);
    for (const { channels } of json.animations ?? []) {
      for (const { target } of channels) if (target.node !== undefined) want(target.node);
    }
  }
  named.forEach(want);
  const order = depthFirst(json, parents, wanted);
  limitJoints(order.length);
  return { ...makeJoints(file, order), meshNodes };
}

/** All nodes of a scene, ascending: of the chosen scene, else the file's default, else the first, else all roots. */
function sceneNodes({ json, parents, issues }: GltfFile, sceneIndex: number | undefined): number[] {
  const { nodes = [], scenes = [] } = json;
  const index = sceneIndex ?? json.scene ?? 0;
  const scene = scenes[index];
  if (!scene) {
    issues.info('GLTF_SCENE_CHOSEN', '/scenes', 'the file has no scene; all root nodes were taken');
  } else if (sceneIndex === undefined && scenes.length > 1) {
    const hint = 'Import the others with `scene`.';
    issues.info('GLTF_SCENE_CHOSEN', `/scenes/${index}`, `one of ${scenes.length} scenes was taken`, hint);
  }
  const pending = scene ? [...(scene.nodes ?? [])] : nodes.flatMap((_, i) => (parents[i]! < 0 ? [i] : []));
  const seen = new Uint8Array(nodes.length);
  while (pending.length > 0) {
    const node = pending.pop()!;
    if (seen[node]) continue;
    seen[node] = 1;
    for (const child of nodes[node]!.children ?? []) pending.push(child);
  }
  return nodes.flatMap((_, i) => (seen[i] ? [i] : []));
}

function depthFirst(json: CheckedGltf, parents: Int32Array, wanted: Uint8Array): number[] {
  const order: number[] = [];
  for (let root = 0; root < parents.length; root++) {
    if (!wanted[root] || parents[root]! >= 0) continue;
    const pending = [root];
    while (pending.length > 0) {
      const node = pending.pop()!;
      order.push(node);
      const children = json.nodes![node]!.children ?? [];
      for (let i = children.length - 1; i >= 0; i--) if (wanted[children[i]!]) pending.push(children[i]!);
    }
  }
  return order;
}

function makeJoints({ json, parents, issues }: GltfFile, order: readonly number[]): Omit<Skeleton, 'meshNodes'> {
  const joints: JointModel[] = [];
  const jointOfNode = new Int32Array(parents.length).fill(-1);
  const shearedNodes = new Set<number>();
  const add = (name: string, nodeIndex: number, parentIndex: number, trs: Trs): number =>
    joints.push({ name, parentIndex, nodeIndex, ...trs }) - 1;
  for (const nodeIndex of order) {
    const node = json.nodes![nodeIndex]!;
    const parent = parents[nodeIndex]! < 0 ? -1 : jointOfNode[parents[nodeIndex]!]!;
    const { outer, inner } = nodeTransform(node, nodeIndex, issues);
    if (inner) {
      // the helper is first, so that the node's own joint has the node's world transform
      const helper = add(`${nameOf(node)} (shear)`, -1, parent, outer);
      jointOfNode[nodeIndex] = add(nameOf(node), nodeIndex, helper, inner);
      shearedNodes.add(nodeIndex);
    } else {
      jointOfNode[nodeIndex] = add(nameOf(node), nodeIndex, parent, outer);
    }
  }
  limitJoints(joints.length);
  const rest = joints.flatMap(({ translation, rotation, scale }) => [...translation, ...rotation, ...scale]);
  return { joints, jointOfNode, shearedNodes, restFromJoint: composeJoints({ joints }, new Float64Array(rest)) };
}

function limitJoints(count: number): void {
  if (count <= MAX_JOINTS) return;
  const message = `the character has ${count} joints, helpers of sheared nodes included; the limit is ${MAX_JOINTS}`;
  refuse('CHARACTER_TOO_MANY_JOINTS', '/nodes', message);
}
