import type { Point } from './triangle-reference.ts';
import { bodyAbove, pointsFor, strengthOf, type StandingBody } from '../body-above.ts';
import type { Matrix4, Vector } from '../camera.ts';
import { saturate } from '../lighting/numbers.ts';

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

/** A character that may leave a disc. */
export interface ShadingBody extends StandingBody {
  readonly worldFromModel: ArrayLike<number>;
  /** Metres in model space; 0 if it leaves no disc. */
  readonly contactRadius: number;
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
