import type { Point } from '../stages/triangle-reference.ts';
import { BODY_POINTS, CONTACT_PART_SHIFT, FOUR_POINT_PIXELS, TWO_POINT_PIXELS } from './contact-codes.ts';
import { saturate } from './lighting/numbers.ts';

/** A posed character, as far as its shade on the ground goes. */
export interface StandingBody {
  /** Words of `contact-codes.ts`, of the mesh that it shows. */
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
 * Twin of `contact-points.wesl`, in double precision: the middle is the mean of points along the body's axis, the height that of the
 * lowest point of all. Points of hidden parts do not count.
 * @param placed Where the character was placed, for what no point tells.
 * @param limit Points of either kind that count.
 */
export function bodyAbove(
  { contactPoints, parts, placeOf }: StandingBody,
  placed: Point,
  ground: number,
  limit: number = BODY_POINTS,
): BodyAbove {
  let [sumX, sumZ, count, lowest] = [0, 0, 0, Infinity];
  contactPoints.forEach((word, point) => {
    if (point % BODY_POINTS >= limit) return;
    const part = word >>> CONTACT_PART_SHIFT;
    if (((parts[part >> 5]! >>> (part & 31)) & 1) === 0) return;
    const [x, y, z] = placeOf(word & (2 ** CONTACT_PART_SHIFT - 1));
    lowest = Math.min(lowest, y);
    if (point >= BODY_POINTS) return;
    sumX += x;
    sumZ += z;
    count++;
  });
  const [x, z] = count > 0 ? [sumX / count, sumZ / count] : [placed[0], placed[2]];
  return { x, z, height: Math.abs((lowest < Infinity ? lowest : placed[1]) - ground) };
}

/** Points of either kind that a shade of so many pixels goes by. */
export function pointsFor(pixels: number): number {
  return pixels < TWO_POINT_PIXELS ? 2 : pixels < FOUR_POINT_PIXELS ? 4 : BODY_POINTS;
}

/** Share of the light that the shade takes in its middle. */
export function strengthOf(height: number, radius: number): number {
  return 0.55 * saturate(1 - height / radius);
}
