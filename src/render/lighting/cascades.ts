import { cross, dot, normalize, subtract, type Camera, type Matrix4, type Vector } from '../camera.ts';

/** A box in world space, metres, that contains everything that casts or receives a shadow. */
export interface Bounds {
  readonly min: Vector;
  readonly max: Vector;
}

/** The view of one shadow map, for a part of the camera's frustum. */
export interface CascadeView {
  /** From world to clip space, orthographic: z is 1 nearest to the sun, 0 farthest. */
  readonly sunFromWorld: Matrix4;
  /** Metres that a texel covers. */
  readonly texel: number;
  /** Distance along the view, metres, up to which it counts. */
  readonly far: number;
}

interface CascadeOptions {
  readonly camera: Camera;
  /** Width by height of the picture. */
  readonly aspect: number;
  /** Towards the sun, of any length. */
  readonly sunDirection: Vector;
  readonly bounds: Bounds;
  /** 1 to 4. */
  readonly count: number;
  /** Texels of a map each way. */
  readonly resolution: number;
}

/** How far splits are from equal steps (0) towards equal factors (1). */
const LOGARITHMIC = 0.6;
/** Share of a cascade's distance in which it is blended into the next; twin of shadow.wesl. */
export const BLEND = 0.1;
/** Margin of a map, texels, that filters and offsets may reach. */
const MARGIN = 4;
/** Steps of map size per factor of two, so that a moving camera does not change it all the time. */
const STEPS = 8;

/**
 * Returns the sun's views of the part of a box that a camera sees, nearest first. Each is a slice of the camera's
 * frustum, cut to the box and fitted. A single one shows the whole box. Sizes change in steps and positions in whole
 * texels, so that shadows do not swim while the camera moves. All have the depth of the box, since casters may be
 * anywhere between a slice and the sun.
 *
 * Splits: Zhang, Sun, Xu, Lun, "Parallel-Split Shadow Maps for Large-scale Virtual Environments" (2006), the practical scheme.
 */
export function cascadesOf(options: CascadeOptions): readonly CascadeView[] {
  const { camera, bounds, count } = options;
  const forward = normalize(subtract(camera.target, camera.eye));
  const depthsOf = (points: readonly Vector[]) => points.map((point) => dot(subtract(point, camera.eye), forward));
  const whole = cornersOf(bounds);
  const fit = fitter(options);
  const most = Math.max(camera.near ?? 0.1, ...depthsOf(whole));
  const seen = count === 1 ? [] : slice(options, forward, camera.near ?? 0.1, most);
  if (seen.length === 0) return Array.from({ length: count }, () => ({ ...fit(whole), far: most }));
  const depths = depthsOf(seen);
  const [near, far] = [Math.min(...depths), Math.max(...depths)];
  return Array.from({ length: count }, (_, i) => {
    const start = i === 0 ? near : (1 - BLEND) * splitAt(near, far, i / count);
    const end = splitAt(near, far, (i + 1) / count);
    // a slice that touches the bounds in a point may have no corners left after rounding
    const part = slice(options, forward, start, end);
    return { ...fit(part.length > 0 ? part : seen), far: end };
  });
}

function splitAt(near: number, far: number, share: number): number {
  return LOGARITHMIC * near * (far / near) ** share + (1 - LOGARITHMIC) * (near + (far - near) * share);
}

/** Corners of what a camera sees of the bounds between two distances along its view. */
function slice(
  { camera, aspect, bounds }: CascadeOptions,
  forward: Vector,
  start: number,
  end: number,
): readonly Vector[] {
  const { eye, up = [0, 1, 0], fovY = Math.PI / 4 } = camera;
  const isAlongUp = Math.abs(dot(forward, normalize(up))) > 0.9999;
  const right = normalize(cross(forward, isAlongUp ? [0, 0, 1] : up));
  const above = cross(right, forward);
  const slope = Math.tan(fovY / 2);
  const at = (depth: number, x: number, y: number): Vector => {
    const [r, u] = [x * slope * aspect * depth, y * slope * depth];
    return [0, 1, 2].map((c) => eye[c]! + depth * forward[c]! + r * right[c]! + u * above[c]!) as unknown as Vector;
  };
  const frustum = [start, end].flatMap((depth) => [-1, 1].flatMap((y) => [-1, 1].map((x) => at(depth, x, y))));
  const towards = (normal: Vector, offset: number): Plane => ({ normal, offset: offset + dot(normal, eye) });
  const side = (axis: Vector, factor: number, sign: number): Plane =>
    towards([0, 1, 2].map((c) => factor * forward[c]! - sign * axis[c]!) as unknown as Vector, 0);
  const planes = [
    towards(forward, start),
    towards(forward.map((c) => -c) as unknown as Vector, -end),
    ...[-1, 1].flatMap((sign) => [side(right, slope * aspect, sign), side(above, slope, sign)]),
  ];
  const box = [0, 1, 2].flatMap((c): Plane[] => {
    const axis = [0, 1, 2].map((k) => Number(k === c)) as unknown as Vector;
    const back = axis.map((k) => -k) as unknown as Vector;
    return [
      { normal: axis, offset: bounds.min[c]! },
      { normal: back, offset: -bounds.max[c]! },
    ];
  });
  return [
    ...facesOf(frustum).flatMap((face) => clipped(face, box)),
    ...facesOf(cornersOf(bounds)).flatMap((face) => clipped(face, planes)),
  ];
}

/** Fits maps to points; what lies beyond the bounds, seen from the sun, is left out. */
function fitter({ sunDirection, bounds, resolution }: CascadeOptions) {
  const towards = normalize(sunDirection);
  const x = normalize(cross(Math.abs(towards[1]) > 0.99 ? [0, 0, 1] : [0, 1, 0], towards));
  const y = cross(towards, x);
  const rangeOf = (axis: Vector, points: readonly Vector[]) => {
    const along = points.map((point) => dot(axis, point));
    return [Math.min(...along), Math.max(...along)] as const;
  };
  const [back, front] = rangeOf(towards, cornersOf(bounds));
  const pad = 0.01 * (front - back) + 1e-3;
  const [low, high] = [back - pad, front + pad];
  return (points: readonly Vector[]): Pick<CascadeView, 'sunFromWorld' | 'texel'> => {
    const [xs, ys] = [rangeOf(x, points), rangeOf(y, points)];
    const extent = Math.max(xs[1] - xs[0], ys[1] - ys[0], 1e-3);
    const stepped = 2 ** (Math.ceil(STEPS * Math.log2(extent)) / STEPS);
    const texel = stepped / Math.max(1, resolution - 2 * MARGIN);
    const half = (texel * resolution) / 2;
    const snapped = (range: readonly [number, number]) => Math.round((range[0] + range[1]) / 2 / texel) * texel;
    const [cx, cy] = [snapped(xs), snapped(ys)];
    const depth = high - low;
    const sunFromWorld = Float32Array.of(
      x[0] / half, y[0] / half, towards[0] / depth, 0,
      x[1] / half, y[1] / half, towards[1] / depth, 0,
      x[2] / half, y[2] / half, towards[2] / depth, 0,
      -cx / half, -cy / half, -low / depth, 1,
    ); // prettier-ignore
    return { sunFromWorld, texel };
  };
}

/** Bit c of a corner's number says whether it is at the minimum or the maximum of axis c. */
function cornersOf({ min, max }: Bounds): readonly Vector[] {
  return Array.from(
    { length: 8 },
    (_, corner) => [0, 1, 2].map((c) => ((corner >> c) & 1 ? max[c]! : min[c]!)) as unknown as Vector,
  );
}

/** A half-space: points with normal · point ≥ offset. */
export interface Plane {
  readonly normal: Vector;
  readonly offset: number;
}

/** The six faces of something like a box: bit c of a corner's number says on which side of axis c it is. */
export function facesOf(corners: readonly Vector[]): readonly (readonly Vector[])[] {
  return [0, 1, 2].flatMap((c) => {
    const [a, b] = [1 << ((c + 1) % 3), 1 << ((c + 2) % 3)];
    return [0, 1 << c].map((side) => [0, a, a | b, b].map((corner) => corners[side | corner]!));
  });
}

/**
 * Clips a convex polygon to the half-spaces of all planes (Sutherland, Hodgman, "Reentrant polygon clipping", 1974).
 */
export function clipped(polygon: readonly Vector[], planes: readonly Plane[]): readonly Vector[] {
  return planes.reduce((points, { normal, offset }) => {
    const inside = points.map((point) => dot(normal, point) - offset);
    return points.flatMap((point, i) => {
      const next = (i + 1) % points.length;
      const [here, there] = [inside[i]!, inside[next]!];
      const kept = here >= 0 ? [point] : [];
      if (here >= 0 === there >= 0) return kept;
      const share = here / (here - there);
      const cut = point.map((value, c) => value + share * (points[next]![c]! - value)) as unknown as Vector;
      return [...kept, cut];
    });
  }, polygon);
}
