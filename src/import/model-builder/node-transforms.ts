import type { GLTF } from '@gltf-transform/core';
import type { Vec3, Vec4 } from '../../character/model.ts';
import { type IssueList, pointer } from './issue-list.ts';
import { determinant3 } from '../../math/affine.ts';

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
    const place = pointer('nodes', index, 'rotation');
    const rotation = node.rotation ? unitRotation(node.rotation, place, issues) : ([0, 0, 0, 1] as const);
    return { outer: { translation, rotation, scale } };
  }
  const { outer, inner } = decompose(node.matrix);
  if (!inner) return { outer };
  const path = pointer('nodes', index, 'matrix');
  issues.info('GLTF_MATRIX_SHEAR', path, 'the matrix is sheared: the node became two joints, which is exact');
  return { outer, inner: { translation: [0, 0, 0], rotation: inner, scale: [1, 1, 1] } };
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

/** Translation, unit quaternion and scale of one joint. */
export interface Trs {
  readonly translation: Vec3;
  readonly rotation: Vec4;
  readonly scale: Vec3;
}

type Matrix3 = readonly [number, number, number, number, number, number, number, number, number];

/** How far from a right angle axes may be, as a cosine, before the matrix counts as sheared. */
const SHEAR_TOLERANCE = 1e-6;

/**
 * A column-major 4 × 4 matrix as translation, rotation and scale. A sheared one is not a single TRS, but always the
 * product of two. By singular value decomposition M = U × S × Vᵀ these are an outer transform (translation, U, S) and
 * an inner rotation Vᵀ. `inner` is undefined for the ordinary case.
 */
export function decompose(matrix: readonly number[]): { outer: Trs; inner: Vec4 | undefined } {
  const m = (i: number): number => matrix[i] ?? 0;
  const translation: Vec3 = [m(12), m(13), m(14)];
  // rows of the upper 3 × 3
  const linear: Matrix3 = [m(0), m(4), m(8), m(1), m(5), m(9), m(2), m(6), m(10)];
  const columns = [0, 1, 2].map((c) => [linear[c]!, linear[c + 3]!, linear[c + 6]!] as const);
  const scale = columns.map((column) => Math.hypot(...column)) as [number, number, number];
  const [x, y, z] = columns.map((column, c) => unit(column, scale[c]!)) as [Vec3, Vec3, Vec3];
  const sheared = [dot(x, y), dot(y, z), dot(x, z)].some((cosine) => Math.abs(cosine) > SHEAR_TOLERANCE);
  if (sheared) {
    const { u, s, vt } = singularValues(linear);
    return { outer: { translation, rotation: quaternionOf(u), scale: s }, inner: quaternionOf(vt) };
  }
  if (scale.includes(0)) {
    return { outer: { translation, rotation: quaternionOf(completeAxes([x, y, z])), scale }, inner: undefined };
  }
  // a mirrored matrix is a rotation with one axis negated
  const mirrored = dot(cross(x, y), z) < 0;
  if (mirrored) scale[0] = -scale[0];
  const rotation = quaternionOf(rowsOf(mirrored ? [-x[0], -x[1], -x[2]] : x, y, z));
  return { outer: { translation, rotation, scale }, inner: undefined };
}

/** Orthogonal axes of which some are zero, made a rotation: any that keeps the others will do. */
function completeAxes(axes: readonly [Vec3, Vec3, Vec3]): Matrix3 {
  const known = axes.map((axis) => dot(axis, axis) > 0);
  const first = known.indexOf(true);
  if (first < 0) return [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const next = (first + 1) % 3;
  const last = (first + 2) % 3;
  const all = [...axes] as [Vec3, Vec3, Vec3];
  if (!known[next]) all[next] = known[last] ? cross(all[last]!, all[first]!) : perpendicular(all[first]!);
  all[last] = cross(all[first]!, all[next]!);
  return rowsOf(...all);
}

/** The unit quaternion of a rotation matrix given by rows (Shepperd's method). */
function quaternionOf(m: Matrix3): Vec4 {
  const [a, b, c, d, e, f, g, h, i] = m;
  const candidates = [1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i];
  const largest = candidates.indexOf(Math.max(...candidates));
  const q: [number, number, number, number] =
    largest === 0
      ? [candidates[0]!, b + d, c + g, h - f]
      : largest === 1
        ? [b + d, candidates[1]!, f + h, c - g]
        : largest === 2
          ? [c + g, f + h, candidates[2]!, d - b]
          : [h - f, c - g, d - b, candidates[3]!];
  const length = Math.hypot(...q);
  return q.map((value) => value / length) as [number, number, number, number];
}

/**
 * M = U × S × Vᵀ with U and V rotations; S may hold one negative value. One-sided Jacobi: columns of M × V are made
 * orthogonal pair by pair.
 */
function singularValues(m: Matrix3): { u: Matrix3; s: Vec3; vt: Matrix3 } {
  const a = [0, 1, 2].map((c) => [m[c]!, m[c + 3]!, m[c + 6]!]);
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; // prettier-ignore
  for (let sweep = 0; sweep < 30; sweep++) {
    let rotated = false;
    for (let p = 0; p < 2; p++) {
      for (let q = p + 1; q < 3; q++) {
        const alpha = dot(a[p]!, a[p]!);
        const beta = dot(a[q]!, a[q]!);
        const gamma = dot(a[p]!, a[q]!);
        if (Math.abs(gamma) <= 1e-15 * Math.sqrt(alpha * beta)) continue;
        rotated = true;
        const zeta = (beta - alpha) / (2 * gamma);
        const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
        const cosine = 1 / Math.sqrt(1 + t * t);
        turn(a[p]!, a[q]!, cosine, cosine * t);
        turn(v[p]!, v[q]!, cosine, cosine * t);
      }
    }
    if (!rotated) break;
  }
  const lengths = a.map((column) => Math.hypot(...column));
  const order = [0, 1, 2].sort((i, k) => lengths[k]! - lengths[i]!);
  const s = order.map((i) => lengths[i]!) as [number, number, number];
  const [v0, v1] = [v[order[0]!]! as unknown as Vec3, v[order[1]!]! as unknown as Vec3];
  const v2 = cross(v0, v1);
  const u0 = s[0] > 0 ? unit(a[order[0]!]! as unknown as Vec3, s[0]) : ([1, 0, 0] as const);
  const u1 = s[1] > 1e-12 * s[0] ? unit(a[order[1]!]! as unknown as Vec3, s[1]) : perpendicular(u0);
  const u2 = cross(u0, u1);
  // the third axes were replaced by cross products; the sign that this cost goes into the scale
  const third = a[order[2]!]! as unknown as Vec3;
  const flips = dot(v[order[2]!]! as unknown as Vec3, v2) * dot(third, u2);
  if (flips < 0) s[2] = -s[2];
  return { u: rowsOf(u0, u1, u2), s, vt: [...v0, ...v1, ...v2] };
}

/** The matrix with these columns. */
function rowsOf(x: Vec3, y: Vec3, z: Vec3): Matrix3 {
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

function turn(p: number[], q: number[], cosine: number, sine: number): void {
  for (let i = 0; i < 3; i++) {
    const [x, y] = [p[i]!, q[i]!];
    p[i] = cosine * x - sine * y;
    q[i] = sine * x + cosine * y;
  }
}

function unit(v: Vec3, length: number): Vec3 {
  return length > 0 ? [v[0] / length, v[1] / length, v[2] / length] : [0, 0, 0];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
}

function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Any unit vector at a right angle to a unit vector. */
function perpendicular(a: Vec3): Vec3 {
  const axis: Vec3 = Math.abs(a[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  const side = cross(a, axis);
  return unit(side, Math.hypot(...side));
}

/** A 3 × 4 row-major matrix from a column-major 4 × 4 one; the last row of an affine matrix says nothing. */
export function affineOfColumns(values: ArrayLike<number>, at: number): Float32Array {
  const matrix = new Float32Array(12);
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 4; column++) matrix[4 * row + column] = values[at + 4 * column + row]!;
  }
  return matrix;
}

/** The inverse of a 3 × 4 row-major affine matrix; the identity if it has none. */
export function invertAffine(m: ArrayLike<number>): Float32Array {
  const out = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
  const determinant = determinant3(m);
  if (!Number.isFinite(1 / determinant)) return out;
  const at = (row: number, column: number): number => m[4 * (row % 3) + (column % 3)]!;
  for (let row = 0; row < 3; row++) {
    let translation = 0;
    for (let column = 0; column < 3; column++) {
      // the cofactor of the transposed place
      const [r, c] = [column, row];
      const cofactor = at(r + 1, c + 1) * at(r + 2, c + 2) - at(r + 1, c + 2) * at(r + 2, c + 1);
      const value = cofactor / determinant;
      out[4 * row + column] = value;
      translation -= value * m[4 * column + 3]!;
    }
    out[4 * row + 3] = translation;
  }
  return out;
}
