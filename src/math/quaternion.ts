/** Quaternions x, y, z, w in place, twin of `quaternion.wesl`. */

type Vector = Float64Array | number[];

/** out = a × b (Hamilton product); `out` may be a or b. */
export function multiplyQuaternion(a: ArrayLike<number>, b: ArrayLike<number>, out: Vector): void {
  const ax = a[0]!;
  const ay = a[1]!;
  const az = a[2]!;
  const aw = a[3]!;
  const bx = b[0]!;
  const by = b[1]!;
  const bz = b[2]!;
  const bw = b[3]!;
  out[0] = aw * bx + bw * ax + ay * bz - az * by;
  out[1] = aw * by + bw * ay + az * bx - ax * bz;
  out[2] = aw * bz + bw * az + ax * by - ay * bx;
  out[3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** Negates q when it lies in the other hemisphere than `toward`: both are the same rotation. */
export function alignQuaternion(q: Vector, toward: ArrayLike<number>): void {
  if (q[0]! * toward[0]! + q[1]! * toward[1]! + q[2]! * toward[2]! + q[3]! * toward[3]! >= 0) return;
  for (let c = 0; c < 4; c++) q[c] = -q[c]!;
}

/** Normalises q. A quaternion of length 0 becomes the identity. */
export function normalizeQuaternion(q: Vector): void {
  // not Math.hypot, which is several times slower
  const length = Math.sqrt(q[0]! * q[0]! + q[1]! * q[1]! + q[2]! * q[2]! + q[3]! * q[3]!);
  if (length < 1e-15) {
    q[0] = q[1] = q[2] = 0;
    q[3] = 1;
  } else for (let c = 0; c < 4; c++) q[c] = q[c]! / length;
}

/** out = exp(scale × v), v half a rotation vector: (v sin|v| / |v|, cos|v|). */
export function exponentialQuaternion(v: ArrayLike<number>, scale: number, out: Vector): void {
  const angle = Math.hypot(v[0]!, v[1]!, v[2]!) * scale;
  const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
  for (let c = 0; c < 3; c++) out[c] = v[c]! * scale * sinc;
  out[3] = Math.cos(angle);
}

/** The inverse: half the rotation vector of a unit quaternion, |out| ≤ π/2. */
export function logarithmQuaternion(q: ArrayLike<number>, out: Vector): void {
  const sign = q[3]! < 0 ? -1 : 1;
  const sine = Math.hypot(q[0]!, q[1]!, q[2]!);
  const angle = Math.atan2(sine, sign * q[3]!);
  const factor = sine < 1e-12 ? 1 : angle / sine;
  for (let c = 0; c < 3; c++) out[c] = sign * q[c]! * factor;
}
