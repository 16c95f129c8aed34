import { cross, dot, normalize, subtract, type Camera, type Vector } from '../render/camera.ts';

/** The directions and the shape of the pictures that one camera takes, which turns around its target. */
export interface Lens {
  /** Unit vectors from the target to the eye, one per picture; the first is that of the camera as it is given. */
  readonly directions: readonly Vector[];
  /** Width by height. */
  readonly aspect: number;
  /** Vertical field of view, radians. */
  readonly fovY: number;
}

/** Share of the picture that is left free at its edges, both together. */
const MARGIN = 0.07;
/** Share of the distance between eye and target that is free before the eye. */
const FREE_BEFORE_EYE = 0.1;
/** Weight of centring, relative to distance. */
const CENTERING = 1e-3;
/** Steps of a search that each leave two thirds of an interval. */
const SEARCH_STEPS = 32;

/**
 * The sides of what a camera sees: a point p is in the picture where, for the target t and the distance d,
 * `dot(normal, p − t) ≤ reach · d` for all five. Their normals do not depend on where the camera is, so the farthest
 * points along them are all that framing needs.
 */
export function sidesOf(direction: Vector, { aspect, fovY }: Lens): readonly { normal: Vector; reach: number }[] {
  const up = Math.tan(fovY / 2) * (1 - MARGIN);
  const across = up * aspect;
  const right = normalize(cross([0, 1, 0], direction));
  const above = cross(direction, right);
  const side = (axis: Vector, sign: number, reach: number) => ({ normal: sum(axis, sign, direction, reach), reach });
  return [
    side(right, 1, across),
    side(right, -1, across),
    side(above, 1, up),
    side(above, -1, up),
    { normal: direction, reach: 1 - FREE_BEFORE_EYE },
  ];
}

/**
 * Finds the nearest camera that shows all points in its pictures, with a margin. With one picture, points touch the
 * margin at two opposite sides. Of all targets on a plane through `center` it uses the one with the nearest eye.
 *
 * @param farthest For a picture's index and a direction n: the largest dot product of n with a point.
 */
export function frameAll(
  farthest: (picture: number, normal: Vector) => number,
  center: Vector,
  lens: Lens,
): Required<Pick<Camera, 'eye' | 'target' | 'fovY' | 'near'>> {
  const { directions, fovY } = lens;
  const sides = directions.flatMap((direction, picture) =>
    sidesOf(direction, lens).map(({ normal, reach }) => ({
      normal,
      reach,
      beyond: farthest(picture, normal) - dot(normal, center),
    })),
  );
  const middle = directions[Math.floor(directions.length / 2)]!;
  const right = normalize(cross([0, 1, 0], middle));
  const above = cross(middle, right);
  const span = Math.max(1e-9, ...sides.map(({ beyond, normal }) => Math.abs(beyond) / Math.hypot(...normal)));
  const limits = sides.map(
    ({ normal, reach, beyond }) => [beyond / reach, dot(normal, right) / reach, dot(normal, above) / reach] as const,
  );
  // by axis of the picture: each side follows its opposite, then the side in front of the eye
  const axes = [0, 2, 4].map((axis) => limits.filter((_, i) => i % 5 === axis || (axis < 4 && i % 5 === axis + 1)));
  const distancesAt = (x: number, y: number) =>
    axes.map((axis) =>
      axis.reduce((most, [beyond, alongX, alongY]) => Math.max(most, beyond - alongX * x - alongY * y), 0),
    );
  // the axis with free space has to be centred, too
  const costAt = (x: number, y: number) => {
    const distances = distancesAt(x, y);
    return Math.max(...distances) + CENTERING * (distances[0]! + distances[1]!);
  };
  // a sum of maxima of linear functions is convex, and so is its least along y
  const bestY = (x: number) => least((y) => costAt(x, y), 2 * span);
  const x = least((at) => costAt(at, bestY(at)), 2 * span);
  const y = bestY(x);
  const distance = Math.max(...distancesAt(x, y), 1e-6);
  const target = sum(sum(center, 1, right, x), 1, above, y);
  return { eye: sum(target, 1, directions[0]!, distance), target, fovY, near: 0.5 * FREE_BEFORE_EYE * distance };
}

/** Where a convex function is least between −span and span. */
function least(valueAt: (x: number) => number, span: number): number {
  let [low, high] = [-span, span];
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (valueAt(a) <= valueAt(b)) high = b;
    else low = a;
  }
  return (low + high) / 2;
}

/** a · sign + b · scale */
function sum(a: Vector, sign: number, b: Vector, scale: number): Vector {
  return [a[0] * sign + b[0] * scale, a[1] * sign + b[1] * scale, a[2] * sign + b[2] * scale];
}

/** A direction or camera turned around the vertical, anticlockwise from above. */
export function turned([x, y, z]: Vector, angle: number): Vector {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return [x * cos + z * sin, y, z * cos - x * sin];
}

/** A camera that has turned around its target. */
export function orbited(camera: Camera, angle: number): Camera {
  if (angle === 0) return camera;
  const { eye, target } = camera;
  return { ...camera, eye: sum(target, 1, turned(subtract(eye, target), angle), 1) };
}
