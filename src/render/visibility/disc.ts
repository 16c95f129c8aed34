import type { Point } from './triangle-reference.ts';
import type { Matrix4, Vector } from '../camera.ts';
import { saturate } from '../lighting/numbers.ts';
import { BODY_POINTS, CONTACT_PART_SHIFT, FOUR_POINT_PIXELS, TWO_POINT_PIXELS } from '../contact-codes.ts';

/** A soft disc of shade on the ground: see `disc.wesl`. */
export interface Disc {
  /** Metres in the world. */
  readonly center: Vector;
  readonly radius: number;
  /** Share of the light that it takes at its middle. */
  readonly strength: number;
}

/** Metres above the ground, where discs lie. */
const HEIGHT = 0.005;

/** The parts of a picture's view that sizes depend on. */
interface DiscView {
  readonly clipFromWorld: Matrix4;
  /** Pixels. */
  readonly height: number;
}

/** A posed character that may leave a disc. */
interface ShadingBody {
  readonly worldFromModel: ArrayLike<number>;
  /** Metres in model space; 0 if it leaves no disc. */
  readonly contactRadius: number;
  /** Contact points of the mesh that it shows: words of `contact-codes.ts`. */
  readonly contactPoints: Uint32Array;
  /** Two words of bits: the parts that it shows. */
  readonly parts: ArrayLike<number>;
  /** Place in the world of a vertex of that mesh, metres. */
  readonly placeOf: (vertex: number) => Point;
}

/**
 * Twin of `discOf` in `splat-contact.wesl`. The disc is below the posed body. It is strongest where the body's lowest
 * point is on the ground, and missing a radius above or below.
 * @param view The picture that shows it. Without one all points are used.
 */
export function discOf(body: ShadingBody, groundHeight: number, view?: DiscView): Disc | undefined {
  const m = (at: number) => body.worldFromModel[at]!;
  const radius = body.contactRadius * Math.hypot(m(0), m(4), m(8));
  if (!(radius > 0)) return undefined;
  const placed = [m(3), m(7), m(11)] as const;
  const count = view && pointsFor(pixelsAcross(placed, radius, view));
  const { x, z, height } = bodyAbove(body, placed, groundHeight, count);
  const strength = strengthOf(height, radius);
  return strength > 0 ? { center: [x, groundHeight + HEIGHT, z], radius, strength } : undefined;
}

/** Largest width of a disc there, in pixels; Infinity unless it is wholly in front of the eye. */
function pixelsAcross(placed: Point, radius: number, { clipFromWorld, height }: DiscView): number {
  const [x, y, z] = placed;
  const depth = clipFromWorld[3]! * x + clipFromWorld[7]! * y + clipFromWorld[11]! * z + clipFromWorld[15]!;
  const pixelsPerMetre = (Math.hypot(clipFromWorld[1]!, clipFromWorld[5]!, clipFromWorld[9]!) * height) / 2;
  return depth > radius ? (2 * radius * pixelsPerMetre) / depth : Infinity;
}

/** Twin of `disc.wesl`: share of the light that a disc takes where a ray meets its plane. */
export function shadeAt({ center, radius, strength }: Disc, eye: Vector, direction: Vector): number {
  const t = (center[1] - eye[1]) / direction[1];
  const [x, z] = [eye[0] + t * direction[0] - center[0], eye[2] + t * direction[2] - center[2]];
  return strength * saturate(1 - (x * x + z * z) / (radius * radius)) ** 2;
}

/**
 * Twin of `contact-points.wesl`, in double precision. The middle is the mean of points along the body's axis. The
 * height is that of the lowest point of all, above or below the ground. Points of hidden parts do not count.
 * @param placed Position of the character, used if no point counts.
 * @param most Points of either kind that count: the first ones that are shown.
 */
function bodyAbove({ contactPoints, parts, placeOf }: ShadingBody, placed: Point, ground: number, most = BODY_POINTS) {
  const isShown = (word: number) => {
    const part = word >>> CONTACT_PART_SHIFT;
    return ((parts[part >> 5]! >>> (part & 31)) & 1) === 1;
  };
  const [axis, feet] = [contactPoints.subarray(0, BODY_POINTS), contactPoints.subarray(BODY_POINTS)].map((words) =>
    [...words.filter(isShown).subarray(0, most)].map((word) => placeOf(word & (2 ** CONTACT_PART_SHIFT - 1))),
  ) as [Point[], Point[]];
  const middle = (c: 0 | 2) =>
    axis.length > 0 ? axis.reduce((sum, place) => sum + place[c], 0) / axis.length : placed[c];
  const all = [...axis, ...feet];
  const lowest = all.length > 0 ? Math.min(...all.map(([, y]) => y)) : placed[1];
  return { x: middle(0), z: middle(2), height: Math.abs(lowest - ground) };
}

/** Number of points of either kind for a shade of this size in pixels. */
function pointsFor(pixels: number): number {
  return pixels < TWO_POINT_PIXELS ? 2 : pixels < FOUR_POINT_PIXELS ? 4 : BODY_POINTS;
}

/** Share of the light that the shade takes in its middle. */
function strengthOf(height: number, radius: number): number {
  return 0.55 * saturate(1 - height / radius);
}
