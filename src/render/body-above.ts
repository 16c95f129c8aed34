import type { Point } from './visibility/triangle-reference.ts';
import { BODY_POINTS, CONTACT_PART_SHIFT, FOUR_POINT_PIXELS, TWO_POINT_PIXELS } from './contact-codes.ts';
import { saturate } from './lighting/numbers.ts';

/** The parts of a posed character that its shade on the ground depends on. */
export interface StandingBody {
  /** Contact points of the mesh that it shows: words of `contact-codes.ts`. */
  readonly contactPoints: Uint32Array;
  /** Two words of bits: the parts that it shows. */
  readonly parts: ArrayLike<number>;
  /** Place in the world of a vertex of that mesh, metres. */
  readonly placeOf: (vertex: number) => Point;
}

/** Where a body is. */
export interface BodyAbove {
  /** Its middle on the ground, metres in the world. */
  readonly x: number;
  readonly z: number;
  /** Metres between the ground and its lowest point. */
  readonly height: number;
}

/**
 * Twin of `contact-points.wesl`, in double precision. The middle is the mean of points along the body's axis. The
 * height is that of the lowest point of all. Points of hidden parts do not count.
 * @param placed Position of the character, used if no point counts.
 * @param most Points of either kind that count: the first ones that are shown.
 */
export function bodyAbove(
  { contactPoints, parts, placeOf }: StandingBody,
  placed: Point,
  ground: number,
  most: number = BODY_POINTS,
): BodyAbove {
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
export function pointsFor(pixels: number): number {
  return pixels < TWO_POINT_PIXELS ? 2 : pixels < FOUR_POINT_PIXELS ? 4 : BODY_POINTS;
}

/** Share of the light that the shade takes in its middle. */
export function strengthOf(height: number, radius: number): number {
  return 0.55 * saturate(1 - height / radius);
}
