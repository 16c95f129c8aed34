/** Angles in f32, twin of `angle.wesl`. Both use one polynomial, since WGSL promises little about its own atan2. */

const f = Math.fround;
const [PI, HALF_PI, QUARTER_PI, TWO_PI] = [Math.PI, Math.PI / 2, Math.PI / 4, 2 * Math.PI].map(f) as [
  number,
  number,
  number,
  number,
];
const TAN_EIGHTH = f(Math.tan(Math.PI / 8));
/** Least squares at Chebyshev nodes for atan(x) / x over x² in 0 … tan²(π/8); off by at most 4e-8. */
const ATAN: readonly number[] = [0.07984963, -0.13851478, 0.19974405, -0.33332797, 0.99999998].map(f);

/** Angle of (x, y), counter-clockwise from +x, in (−π, π]; 0 for the zero vector. */
export function angleOf(x: number, y: number): number {
  const ax = Math.abs(x);
  const ay = Math.abs(y);
  const small = Math.min(ax, ay);
  const large = Math.max(ax, ay);
  if (large === 0) return 0;
  const t = f(small / large);
  const folded = t > TAN_EIGHTH ? f(f(t - 1) / f(t + 1)) : t;
  const z = f(folded * folded);
  let ratio = 0;
  for (let k = 0; k < ATAN.length; k++) ratio = f(f(ratio * z) + ATAN[k]!);
  const octant = f(f(ratio * folded) + (t > TAN_EIGHTH ? QUARTER_PI : 0));
  const quadrant = ay > ax ? f(HALF_PI - octant) : octant;
  const half = x < 0 ? f(PI - quadrant) : quadrant;
  return y < 0 ? f(-half) : half;
}

/** An angle brought into (−π, π] from at most one turn outside. */
export function wrapAngle(angle: number): number {
  if (angle > PI) return f(angle - TWO_PI);
  return angle <= f(-PI) ? f(angle + TWO_PI) : angle;
}
