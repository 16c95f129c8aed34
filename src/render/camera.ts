import { expectFloats, expectObject } from '../crowd/arguments.ts';

/** A perspective camera in world space (right-handed, Y up). Distances in metres, angles in radians. */
export interface Camera {
  readonly eye: Vector;
  /** A point that it looks at; not the eye. */
  readonly target: Vector;
  /** Default: Y. */
  readonly up?: Vector;
  /** Vertical field of view; default 45°. */
  readonly fovY?: number;
  /** Distance of the near plane; default 0.1. There is no far plane: depth is reversed, 1 near, 0 at infinity. */
  readonly near?: number;
}

/** x, y, z: a point in metres, or a direction without unit. As a colour: linear red, green, blue. */
export type Vector = readonly [number, number, number];
/** 4 × 4, column-major, as WGSL stores matrices. */
export type Matrix4 = Float32Array<ArrayBuffer>;

/**
 * `clipFromWorld` with depth 1 at the near plane and 0 at infinity.
 * @throws ManipleError CROWD_BAD_ARGUMENT (no camera: it lacks an eye or a target)
 */
export function clipFromWorld(camera: Camera, aspect: number): Matrix4 {
  expectObject('camera', camera);
  expectFloats('camera.eye', camera.eye, 3);
  expectFloats('camera.target', camera.target, 3);
  return multiply(clipFromView(camera.fovY ?? Math.PI / 4, aspect, camera.near ?? 0.1), viewFromWorld(camera));
}

/** Right-handed view: x right, y up, −z forward. */
export function viewFromWorld({ eye, target, up = [0, 1, 0] }: Pick<Camera, 'eye' | 'target' | 'up'>): Matrix4 {
  const z = normalize(subtract(eye, target));
  const x = normalize(cross(Math.abs(dot(z, normalize(up))) > 0.9999 ? [0, 0, 1] : up, z));
  const y = cross(z, x);
  return Float32Array.of(
    x[0], y[0], z[0], 0,
    x[1], y[1], z[1], 0,
    x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ); // prettier-ignore
}

function clipFromView(fovY: number, aspect: number, near: number): Matrix4 {
  const f = 1 / Math.tan(fovY / 2);
  return Float32Array.of(f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, 0, -1, 0, 0, near, 0);
}

type Box = Readonly<Record<'left' | 'right' | 'bottom' | 'top' | 'near' | 'far', number>>;

/** Orthographic `clipFromView` for a box in view space; depth 0 at z = −near, 1 at z = −far. */
export function orthographic({ left, right, bottom, top, near, far }: Box): Matrix4 {
  const [width, height, depth] = [right - left, top - bottom, far - near];
  return Float32Array.of(
    2 / width, 0, 0, 0,
    0, 2 / height, 0, 0,
    0, 0, -1 / depth, 0,
    -(right + left) / width, -(top + bottom) / height, -near / depth, 1,
  ); // prettier-ignore
}

/** a × b */
export function multiply(a: Matrix4, b: Matrix4): Matrix4 {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row]! * b[4 * column + k]!;
      out[4 * column + row] = sum;
    }
  }
  return out;
}

/** m × (p, 1), without dividing. */
export function transform(m: ArrayLike<number>, [x, y, z]: Vector): [number, number, number, number] {
  const row = (r: number) => m[r]! * x + m[4 + r]! * y + m[8 + r]! * z + m[12 + r]!;
  return [row(0), row(1), row(2), row(3)];
}

export function subtract(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function normalize(v: Vector): Vector {
  const length = Math.hypot(...v) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}
