import { composeJoints, POSE_STRIDE } from '../../character/evaluate.ts';
import type { JointModel, Vec3, Vec4 } from '../../character/model.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';
import { refuse } from '../model-builder/issue-list.ts';
import { MAX_JOINTS } from '../model-builder/limits.ts';
import type { FbxDocument, FbxObject } from './document.ts';
import { type Local, LocalTransform, rotateVector } from './local-transform.ts';
import type { Space } from './space.ts';
import type { Take } from './takes.ts';

/** FBX's InheritType. */
const INHERITS_RRSS = 0;
const INHERITS_RRS = 2;

/** How a node follows its parent's scale: as in glTF, only by its place, or by its place and with a scale of its own. */
type Inheritance = 'all' | 'place' | 'multiplied';

/** A model that became a joint. */
export interface RigNode {
  readonly model: FbxObject;
  readonly transform: LocalTransform;
  readonly parent: RigNode | undefined;
  readonly inheritance: Inheritance;
  /** True if its scale is not always the same along all axes, or changes. */
  readonly isUneven: boolean;
  /** Index of its joint. Children that do not follow its scale are below this one. */
  readonly joint: number;
  /** Index of the joint with its scale, below its joint; the same where one joint has both. It moves meshes. */
  readonly scaleJoint: number;
}

/** The joints of a file. */
export interface Rig {
  readonly nodes: readonly RigNode[];
  readonly joints: readonly JointModel[];
  /** The node of each model; other models have none. */
  readonly nodeOf: ReadonlyMap<FbxObject, RigNode>;
  /** Rest transforms in model space: 12 numbers each, three rows of four. */
  readonly restFromJoint: Float64Array;
  /**
   * Writes a node's pose: translation in metres, quaternion, scale.
   * @param localOf Local transform of a node of the rig. Those of its ancestors are asked for, too, where they matter.
   */
  evaluate(node: RigNode, localOf: (node: RigNode) => Local, out: Float64Array): void;
}

/** Longest chain of nodes that multiply their scales. */
const MAX_MULTIPLIED = 16;

/**
 * Makes joints of all limbs, all nodes that clusters name, all nodes with a mesh, and their ancestors; without a mesh also of
 * all nodes that move. Depth first, roots and children in file order.
 *
 * A node's scale is a joint of its own where children do not inherit it, which makes scale compensation exact.
 *
 * @throws ManipleError CHARACTER_TOO_MANY_JOINTS
 */
export function buildRig(document: FbxDocument, parents: Int32Array, takes: readonly Take[], space: Space): Rig {
  const models = document.objects.get('Model') ?? [];
  const wanted = chooseModels(document, parents, takes);
  const children = models.map((): number[] => []);
  const pending: number[] = [];
  for (let i = models.length - 1; i >= 0; i--) {
    if (!wanted[i]) continue;
    if (parents[i]! >= 0) children[parents[i]!]!.push(i);
    else pending.push(i);
  }
  const scaled = scaledModels(takes);
  const builder = new RigBuilder(document, space);
  while (pending.length > 0) {
    const index = pending.pop()!;
    const model = models[index]!;
    const below = children[index]!.map((child) => models[child]!);
    builder.add(model, models[parents[index]!], scaled, below);
    pending.push(...children[index]!);
  }
  return builder.finish();
}

function chooseModels({ objects }: FbxDocument, parents: Int32Array, takes: readonly Take[]): Uint8Array {
  const models = objects.get('Model') ?? [];
  const wanted = new Uint8Array(models.length);
  const want = (model: FbxObject): void => {
    for (let i = model.index; i >= 0 && !wanted[i]; i = parents[i]!) wanted[i] = 1;
  };
  let hasMesh = false;
  for (const model of models) {
    const isDrawn = model.sourcesOf('Geometry', 'Mesh').length > 0;
    hasMesh ||= isDrawn;
    if (isDrawn || LIMBS.has(model.subtype) || model.targetsOf('Deformer').length > 0) want(model);
  }
  if (hasMesh) return wanted;
  for (const { channels } of takes) {
    for (const model of channels.keys()) {
      if (model.kind === 'Model' && !UNSEEN.has(model.subtype)) want(model);
    }
  }
  return wanted;
}

const LIMBS: ReadonlySet<string> = new Set(['LimbNode', 'Limb', 'Root', 'Effector']);
/** Models that move nothing that is drawn. */
const UNSEEN: ReadonlySet<string> = new Set(['Camera', 'CameraSwitcher', 'Light']);

/** Models that some take scales. */
function scaledModels(takes: readonly Take[]): Set<FbxObject> {
  const scaled = new Set<FbxObject>();
  for (const { channels } of takes) {
    for (const [model, paths] of channels) {
      const curves = paths.get('scale')?.curves ?? [];
      if (curves.some(({ values }) => values.some((value) => Math.abs(value - 1) > 1e-6))) scaled.add(model);
    }
  }
  return scaled;
}

class RigBuilder {
  readonly nodes: RigNode[] = [];
  readonly joints: JointModel[] = [];
  readonly nodeOf = new Map<FbxObject, RigNode>();
  readonly #chain = new Map<RigNode, number>();
  readonly #local = new Float64Array(POSE_STRIDE);
  readonly #scale = new Float64Array(3);

  constructor(
    readonly document: FbxDocument,
    readonly space: Space,
  ) {}

  add(model: FbxObject, parentModel: FbxObject | undefined, scaled: ReadonlySet<FbxObject>, below: FbxObject[]): void {
    const { issues } = this.document;
    const transform = new LocalTransform(model, this.space.unit);
    if (transform.isSpheric) {
      issues.warn('FBX_SIMPLIFIED', model.place, 'the rotation order is spheric; taken as XYZ');
    }
    const parent = parentModel && this.nodeOf.get(parentModel);
    const inheritType = model.number('InheritType', INHERITS_RRSS);
    let inheritance: Inheritance = 'all';
    if (parent && inheritType === INHERITS_RRS) inheritance = 'place';
    // below an even scale this type is the same as 1
    if (parent && inheritType === INHERITS_RRSS && parent.isUneven) inheritance = 'multiplied';
    const chain = inheritance === 'multiplied' ? (this.#chain.get(parent!) ?? 0) + 1 : 0;
    if (chain > MAX_MULTIPLIED) {
      inheritance = 'all';
      issues.warn(
        'FBX_SIMPLIFIED',
        model.place,
        `more than ${MAX_MULTIPLIED} nodes multiply their scales (InheritType 0)`,
      );
    }
    const parentJoint = parent ? (inheritance === 'all' ? parent.scaleJoint : parent.joint) : -1;
    const [x, y, z] = [0, 1, 2].map((c) => transform.rest.scale[c]!) as [number, number, number];
    const isUneven = scaled.has(model) || x !== y || y !== z || inheritance === 'multiplied';
    const splits = below.some((child) => {
      const type = child.number('InheritType', INHERITS_RRSS);
      return (type === INHERITS_RRSS && isUneven) || (type === INHERITS_RRS && (isUneven || x !== 1));
    });
    const joint = this.#push(model.name, parentJoint, model.index);
    const scaleJoint = splits ? this.#push(`${model.name} (scale)`, joint, model.index) : joint;
    const node: RigNode = { model, transform, parent, inheritance, isUneven, joint, scaleJoint };
    this.nodes.push(node);
    this.nodeOf.set(model, node);
    this.#chain.set(node, chain);
    this.#writeRest(node);
  }

  #push(name: string, parentIndex: number, nodeIndex: number): number {
    if (this.joints.length === MAX_JOINTS) {
      const message = `the character has more than ${MAX_JOINTS} joints, which is the limit`;
      refuse('CHARACTER_TOO_MANY_JOINTS', '/Model', message);
    }
    return this.joints.push({ name, parentIndex, nodeIndex, ...NOWHERE }) - 1;
  }

  #writeRest(node: RigNode): void {
    const pose = new Float64Array(POSE_STRIDE);
    this.evaluate(node, restOf, pose);
    const rotation = Array.from(pose.subarray(3, 7)) as unknown as Vec4;
    const translation = Array.from(pose.subarray(0, 3)) as unknown as Vec3;
    const scale = Array.from(pose.subarray(7, 10)) as unknown as Vec3;
    const isSplit = node.scaleJoint !== node.joint;
    const joint = this.joints[node.joint]!;
    this.joints[node.joint] = { ...joint, translation, rotation, scale: isSplit ? NOWHERE.scale : scale };
    if (isSplit) this.joints[node.scaleJoint] = { ...this.joints[node.scaleJoint]!, scale };
  }

  evaluate(node: RigNode, localOf: (node: RigNode) => Local, out: Float64Array): void {
    node.transform.write(localOf(node), out);
    if (node.inheritance !== 'all') {
      this.#writeScale(node.parent!, localOf, this.#scale);
      for (let c = 0; c < 3; c++) out[c] = out[c]! * this.#scale[c]!;
      if (node.inheritance === 'multiplied') for (let c = 0; c < 3; c++) out[7 + c] = out[7 + c]! * this.#scale[c]!;
    }
    if (!node.parent) this.#toModelSpace(out);
  }

  /** The scale that a node's joint for scale has. */
  #writeScale(node: RigNode, localOf: (node: RigNode) => Local, out: Float64Array): void {
    out.fill(1);
    for (let at: RigNode | undefined = node; at; at = at.inheritance === 'multiplied' ? at.parent : undefined) {
      const { scale } = localOf(at);
      for (let c = 0; c < 3; c++) out[c] = out[c]! * scale[c]!;
    }
  }

  /**
   * Turns a root. C × Q × S is a rotation and a scale again, even if C mirrors. With F, which mirrors x, C is Cr × F, and
   * the product is Cr × (F × Q × F) × (F × S).
   */
  #toModelSpace(pose: Float64Array): void {
    const { rotation, isMirrored } = this.space;
    if (isMirrored) {
      pose[0] = -pose[0]!;
      pose[4] = -pose[4]!;
      pose[5] = -pose[5]!;
      pose[7] = -pose[7]!;
    }
    const place = this.#local.subarray(0, 3);
    rotateVector(rotation, pose, place);
    pose.set(place);
    const turn = this.#local.subarray(3, 7);
    multiplyQuaternion(rotation, pose.subarray(3, 7), turn);
    pose.set(turn, 3);
  }

  finish(): Rig {
    const rest = this.joints.flatMap(({ translation, rotation, scale }) => [...translation, ...rotation, ...scale]);
    const restFromJoint = composeJoints({ joints: this.joints }, new Float64Array(rest));
    const { nodes, joints, nodeOf } = this;
    this.#reportSkewed(restFromJoint);
    return { nodes, joints, nodeOf, restFromJoint, evaluate: this.evaluate.bind(this) };
  }

  /** Nodes that do not inherit scale are exact below even scales only. */
  #reportSkewed(restFromJoint: Float64Array): void {
    const skewed = this.nodes.filter(({ inheritance, parent }) => {
      if (inheritance === 'all') return false;
      const m = restFromJoint.subarray(12 * parent!.joint, 12 * parent!.joint + 12);
      const lengths = [0, 1, 2].map((c) => Math.hypot(m[c]!, m[c + 4]!, m[c + 8]!));
      return Math.max(...lengths) > 1.0001 * Math.min(...lengths);
    });
    if (skewed.length === 0) return;
    const message = `${skewed.length} nodes that do not inherit scale are below an uneven one further up; taken as inherited`;
    this.document.issues.warn('FBX_SIMPLIFIED', skewed[0]!.model.place, message);
  }
}

const restOf = (node: RigNode): Local => node.transform.rest;
const NOWHERE = { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] } as const;
