import type { Vec3 } from '../../character/model.ts';
import { affineFromPose } from '../../math/affine.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';
import type { FbxObject } from './document.ts';

/** Axes of each RotationOrder, as the file numbers them: the first one turns first. The last is spheric. */
const ROTATION_ORDERS: readonly (readonly [number, number, number])[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 2, 0],
  [1, 0, 2],
  [2, 0, 1],
  [2, 1, 0],
  [0, 1, 2],
];
const SPHERIC = 6;
const ZERO: Vec3 = [0, 0, 0];
const ONE: Vec3 = [1, 1, 1];
const RADIANS = Math.PI / 180;

/** Writes the quaternion of angles in degrees. */
function writeEuler(angles: ArrayLike<number>, order: number, out: Float64Array): void {
  const turn = new Float64Array(4);
  out.set([0, 0, 0, 1]);
  for (const axis of ROTATION_ORDERS[order]!) {
    const half = (angles[axis]! * RADIANS) / 2;
    turn.fill(0);
    turn[axis] = Math.sin(half);
    turn[3] = Math.cos(half);
    multiplyQuaternion(turn, out, out);
  }
}

/** Writes a vector turned by a unit quaternion. */
export function rotateVector(q: ArrayLike<number>, v: ArrayLike<number>, out: Float64Array): void {
  const [x, y, z, w] = [q[0]!, q[1]!, q[2]!, q[3]!];
  const [a, b, c] = [v[0]!, v[1]!, v[2]!];
  const tx = 2 * (y * c - z * b);
  const ty = 2 * (z * a - x * c);
  const tz = 2 * (x * b - y * a);
  out[0] = a + w * tx + y * tz - z * ty;
  out[1] = b + w * ty + z * tx - x * tz;
  out[2] = c + w * tz + x * ty - y * tx;
}

/** Translation, Euler angles in degrees and scale of a node, as the file has them. */
export interface Local {
  readonly translation: ArrayLike<number>;
  readonly rotation: ArrayLike<number>;
  readonly scale: ArrayLike<number>;
}

/**
 * The constant parts of a node's transform:
 * T × Roff × Rp × Rpre × R × Rpost⁻¹ × Rp⁻¹ × Soff × Sp × S × Sp⁻¹ ("Computing transformation matrices" of Autodesk's
 * FBX help). Without shear: it is a translation, a rotation Rpre × R × Rpost⁻¹ and a scale.
 */
export class LocalTransform {
  readonly rest: Local;
  /** True if translation depends on rotation and scale. */
  readonly hasPivots: boolean;
  readonly isSpheric: boolean;
  readonly #order: number;
  readonly #pre: Float64Array | undefined;
  readonly #postInverse: Float64Array | undefined;
  /** Roff + Rp, Soff + Sp − Rp, Sp. */
  readonly #outer: Vec3;
  readonly #inner: Vec3;
  readonly #scalingPivot: Vec3;
  readonly #q = new Float64Array(4);
  readonly #v = new Float64Array(3);

  constructor(
    model: FbxObject,
    /** Metres per unit. */
    readonly unit: number,
  ) {
    this.rest = {
      translation: model.vector('Lcl Translation', ZERO),
      rotation: model.vector('Lcl Rotation', ZERO),
      scale: model.vector('Lcl Scaling', ONE),
    };
    // FBX SDK: without RotationActive, order, pre- and post-rotation have no effect
    const isActive = model.number('RotationActive', 0) !== 0;
    const order = isActive ? model.number('RotationOrder', 0) : 0;
    this.isSpheric = order === SPHERIC;
    this.#order = order in ROTATION_ORDERS ? order : 0;
    this.#pre = isActive ? turnOf(model.vector('PreRotation', ZERO)) : undefined;
    const post = isActive ? turnOf(model.vector('PostRotation', ZERO)) : undefined;
    this.#postInverse = post && Float64Array.of(-post[0]!, -post[1]!, -post[2]!, post[3]!);
    const rotationPivot = model.vector('RotationPivot', ZERO);
    const rotationOffset = model.vector('RotationOffset', ZERO);
    const scalingOffset = model.vector('ScalingOffset', ZERO);
    this.#scalingPivot = model.vector('ScalingPivot', ZERO);
    this.#outer = [0, 1, 2].map((c) => rotationOffset[c]! + rotationPivot[c]!) as unknown as Vec3;
    this.#inner = [0, 1, 2].map(
      (c) => scalingOffset[c]! + this.#scalingPivot[c]! - rotationPivot[c]!,
    ) as unknown as Vec3;
    this.hasPivots = [...this.#inner, ...this.#scalingPivot].some((value) => value !== 0);
  }

  /** Writes translation in metres, quaternion and scale: ten numbers. */
  write({ translation, rotation, scale }: Local, out: Float64Array): void {
    const q = this.#q;
    writeEuler(rotation, this.#order, q);
    if (this.#pre) multiplyQuaternion(this.#pre, q, q);
    if (this.#postInverse) multiplyQuaternion(q, this.#postInverse, q);
    const v = this.#v;
    for (let c = 0; c < 3; c++) v[c] = this.#inner[c]! - scale[c]! * this.#scalingPivot[c]!;
    rotateVector(q, v, v);
    for (let c = 0; c < 3; c++) out[c] = this.unit * (translation[c]! + this.#outer[c]! + v[c]!);
    for (let c = 0; c < 4; c++) out[3 + c] = q[c]!;
    for (let c = 0; c < 3; c++) out[7 + c] = scale[c]!;
  }
}

function turnOf(angles: Vec3): Float64Array | undefined {
  if (angles.every((angle) => angle === 0)) return undefined;
  const q = new Float64Array(4);
  writeEuler(angles, 0, q);
  return q;
}

/** The geometric transform of a model, which moves its mesh and not its children: 3 × 4, metres. */
export function geometricTransform(model: FbxObject, unit: number): Float64Array {
  const q = new Float64Array(4);
  writeEuler(model.vector('GeometricRotation', ZERO), 0, q);
  const translation = model.vector('GeometricTranslation', ZERO).map((value) => unit * value);
  const matrix = new Float64Array(12);
  affineFromPose([...translation, ...q, ...model.vector('GeometricScaling', ONE)], 0, matrix, 0);
  return matrix;
}
