import { wordOffsets } from '../../layout/index.ts';
import { Resident, Transform } from '../layout.ts';
import { CullParams, CullType } from './layout.ts';
import type { CullViews } from './views.ts';

/** Metres; nothing that is as far or as large is computed with. */
export const FAR: number = 2 ** 60;

const RESIDENT = /* @__PURE__ */ wordOffsets(Resident);
const TRANSFORM = /* @__PURE__ */ wordOffsets(Transform);
const TYPE = /* @__PURE__ */ wordOffsets(CullType);
const PARAMS = /* @__PURE__ */ wordOffsets(CullParams);

/** A sphere that contains every pose of a character, in world space. It is read again and again into the same object. */
export class PlacedSphere {
  readonly center: Float64Array = new Float64Array(3);
  radius = 0.5;
  /** The largest of its numbers. */
  extent = 0.5;
  /** The type has one, and it can be computed with. */
  isKnown = false;

  read(views: CullViews, i: number): void {
    const { kinds, residents, transforms } = views;
    const type = TYPE.SIZE * residents.words[RESIDENT.SIZE * i + RESIDENT.typeIndex]!;
    const own = kinds.types.floats[type + TYPE.radius]!;
    const { center } = this;
    for (let c = 0; c < 3; c++) center[c] = kinds.types.floats[type + TYPE.center + c]!;
    placePoint(views, i, center);
    this.radius = own * Math.abs(transforms.floats[TRANSFORM.SIZE * i + TRANSFORM.scale]!);
    this.extent = Math.max(this.radius, Math.abs(center[0]!), Math.abs(center[1]!), Math.abs(center[2]!));
    // also false if a number is NaN: Math.max passes it on
    this.isKnown = own >= 0 && this.extent < FAR;
  }
}

/** Turns a point of a character's model space into the world's. */
export function placePoint({ transforms }: CullViews, i: number, point: Float64Array): void {
  const { floats } = transforms;
  const at = TRANSFORM.SIZE * i;
  const scale = floats[at + TRANSFORM.scale]!;
  for (let c = 0; c < 3; c++) point[c] = point[c]! * scale;
  turnPoint(floats, at + TRANSFORM.rotation, point);
  for (let c = 0; c < 3; c++) point[c] = floats[at + TRANSFORM.position + c]! + point[c]!;
}

/** v turned by the unit quaternion at q[at…]: v + 2 q × (q × v + w v). */
function turnPoint(q: Float32Array, at: number, v: Float64Array): void {
  const x = q[at]!;
  const y = q[at + 1]!;
  const z = q[at + 2]!;
  const w = q[at + 3]!;
  const tx = y * v[2]! - z * v[1]! + w * v[0]!;
  const ty = z * v[0]! - x * v[2]! + w * v[1]!;
  const tz = x * v[1]! - y * v[0]! + w * v[2]!;
  v[0] = v[0]! + 2 * (y * tz - z * ty);
  v[1] = v[1]! + 2 * (z * tx - x * tz);
  v[2] = v[2]! + 2 * (x * ty - y * tx);
}

/** Turns a vector as a character's transform does. */
export function turnVector({ transforms }: CullViews, i: number, vector: Float64Array): void {
  turnPoint(transforms.floats, TRANSFORM.SIZE * i + TRANSFORM.rotation, vector);
}

/** First float of a row of four numbers of the parameters' views. */
export function viewRow(field: 'planes' | 'depths' | 'sizes', row: number): number {
  return PARAMS[field] + 4 * row;
}

/** A plane's distance from a point, or the depth of one. */
export function along({ params }: CullViews, row: number, point: Float64Array): number {
  const { floats } = params;
  return floats[row]! * point[0]! + floats[row + 1]! * point[1]! + floats[row + 2]! * point[2]! + floats[row + 3]!;
}
