import type { HumanBone } from '../../../character/humanoid.ts';
import type { ClipModel, Vec3 } from '../../../character/model.ts';
import type { VrmFirstPerson, VrmLookAt, VrmMeta, VrmModel } from '../../../character/vrm.ts';
import { pointer } from '../../model-builder/issue-list.ts';
import type { BoundMeshes } from '../meshes.ts';
import { extensionOf, type GltfJson } from '../schema.ts';
import type { Skeleton } from '../skeleton.ts';
import { expressionClips, readExpressions } from './expressions.ts';
import { type Fields, indexOf, listOf, numberOf, objectOf, textOf, unityVectorOf, vectorOf } from './fields.ts';
import { readHumanBones } from './humanoid.ts';
import { vrmMaterials } from './mtoon.ts';
import { readOldSprings, readSprings, springNodes } from './springs.ts';

/** A VRM file before its skeleton and meshes are read. */
export interface OpenedVrm {
  readonly isOld: boolean;
  readonly vrm: Fields;
  readonly path: string;
  readonly bones: ReadonlyMap<HumanBone, number>;
  /** Nodes that bones, springs and colliders name, which have to be joints. */
  readonly nodes: readonly number[];
  readonly materials: unknown[];
}

/** Opens the avatar of a file with one of VRM's extensions: `VRM` (0.x), `VRMC_vrm`, or `VRMC_vrm_animation`. */
export function openVrm({ json, issues }: GltfJson): OpenedVrm {
  const old = extensionOf(json, 'VRM');
  const name = old ? 'VRM' : extensionOf(json, 'VRMC_vrm') ? 'VRMC_vrm' : 'VRMC_vrm_animation';
  const vrm = extensionOf(json, name) ?? {};
  const isOld = old !== undefined;
  const path = pointer('extensions', name);
  const nodeCount = json.nodes?.length ?? 0;
  const at = { nodeCount, path: `${path}/humanoid/humanBones`, issues };
  const bones = readHumanBones(objectOf(vrm.humanoid), isOld, at);
  const springs = springNodes(vrm, objectOf(extensionOf(json, 'VRMC_springBone')));
  const nodes = [...bones.values(), ...springs.flatMap((node) => indexOf(node, nodeCount) ?? [])];
  return { isOld, vrm, path, bones, nodes, materials: vrmMaterials(json.materials ?? [], vrm, issues) };
}

/** Reads the rest: the map of bones, a clip for each expression, and the data. @throws ManipleError GLTF_LIMIT */
export function readVrm(
  { json, issues, limits }: GltfJson,
  { isOld, vrm, path, bones }: OpenedVrm,
  skeleton: Skeleton,
  { morphSets, morphSetOfNode }: BoundMeshes,
): { humanoid: Partial<Record<HumanBone, number>>; vrm: VrmModel; clips: ClipModel[] } {
  const nodes = json.nodes ?? [];
  const jointOf = (node: unknown) => {
    const joint = skeleton.jointOfNode[indexOf(node, nodes.length) ?? -1] ?? -1;
    return joint < 0 ? undefined : joint;
  };
  const nodesOfMesh = new Map<number, number[]>();
  for (const node of skeleton.meshNodes) {
    const mesh = nodes[node]!.mesh!;
    nodesOfMesh.set(mesh, [...(nodesOfMesh.get(mesh) ?? []), node]);
  }
  const setsOf = (list: readonly number[]) => list.flatMap((node) => morphSetOfNode.get(node) ?? []);
  const { expressions, withMaterials } = readExpressions(vrm, isOld, {
    morphSets,
    setsOfNode: (node) => setsOf([indexOf(node, nodes.length) ?? -1]),
    setsOfMesh: (mesh) => setsOf(nodesOfMesh.get(mesh as number) ?? []),
  });
  if (withMaterials > 0) {
    const message = `${withMaterials} expressions also change materials, which keep their colours`;
    issues.info('GLTF_MATERIAL_SIMPLIFIED', path, message);
  }
  const springs = isOld
    ? readOldSprings(vrm, skeleton.joints, jointOf)
    : readSprings(objectOf(extensionOf(json, 'VRMC_springBone')), jointOf);
  const joints = Array.from(bones, ([bone, node]) => [bone, jointOf(node)] as const);
  return {
    humanoid: Object.fromEntries(joints.filter(([, joint]) => joint !== undefined)),
    vrm: {
      version: isOld ? '0.x' : '1.0',
      meta: readMeta(objectOf(vrm.meta)),
      expressions,
      ...springs,
      lookAt: isOld ? oldLookAt(objectOf(vrm.firstPerson)) : lookAt(vrm.lookAt),
      firstPerson: firstPerson(objectOf(vrm.firstPerson), (mesh) => nodesOfMesh.get(mesh as number) ?? []),
    },
    clips: expressionClips(expressions, morphSets, limits.keys),
  };
}

/** The author's words, by the names of either version. */
function readMeta(meta: Fields): VrmMeta {
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
  const authors = [...listOf(meta.authors), meta.author].map(textOf).filter((author) => author !== '');
  return {
    title: textOf(meta.name) || textOf(meta.title),
    authors,
    license: [meta.otherLicenseUrl, meta.licenseUrl, meta.licenseName].map(textOf).find((text) => text !== '') ?? '',
    fields: Object.fromEntries(Object.entries(meta).filter(([, value]) => isPlain(value))) as VrmMeta['fields'],
  };
}

function lookAt(value: unknown): VrmLookAt | undefined {
  if (value === undefined) return undefined;
  const look = objectOf(value);
  const range = (name: string) => {
    const { inputMaxValue, outputScale } = objectOf(look[`rangeMap${name}`]);
    return { inputDegrees: numberOf(inputMaxValue, 90), output: numberOf(outputScale, 10) };
  };
  return lookAtOf(look.type === 'expression', vectorOf(look.offsetFromHeadBone), range);
}

function oldLookAt(first: Fields): VrmLookAt | undefined {
  if (first.lookAtTypeName === undefined) return undefined;
  const range = (name: string) => {
    const { xRange, yRange } = objectOf(first[`lookAt${name}`]);
    return { inputDegrees: numberOf(xRange, 90), output: numberOf(yRange, 10) };
  };
  return lookAtOf(first.lookAtTypeName === 'BlendShape', unityVectorOf(first.firstPersonBoneOffset), range);
}

function lookAtOf(
  isExpression: boolean,
  offsetFromHead: Vec3,
  range: (name: string) => VrmLookAt['ranges']['verticalUp'],
): VrmLookAt {
  return {
    type: isExpression ? 'expression' : 'bone',
    offsetFromHead,
    ranges: {
      horizontalInner: range('HorizontalInner'),
      horizontalOuter: range('HorizontalOuter'),
      verticalDown: range('VerticalDown'),
      verticalUp: range('VerticalUp'),
    },
  };
}

const FIRST_PERSON = ['both', 'thirdPersonOnly', 'firstPersonOnly'] as const;

function firstPerson(first: Fields, nodesOfMesh: (mesh: unknown) => readonly number[]): VrmFirstPerson[] {
  const seen = new Map<number, VrmFirstPerson>();
  const done = new Set<unknown>();
  for (const annotation of listOf(first.meshAnnotations)) {
    const { node, mesh, type, firstPersonFlag } = objectOf(annotation);
    const written = textOf(type ?? firstPersonFlag).toLowerCase();
    const known = FIRST_PERSON.find((each) => each.toLowerCase() === written) ?? 'auto';
    const nodes = typeof node === 'number' ? [node] : done.has(mesh) ? [] : nodesOfMesh(mesh);
    done.add(mesh);
    for (const nodeIndex of nodes) seen.set(nodeIndex, { nodeIndex, type: known });
  }
  return [...seen.values()];
}
