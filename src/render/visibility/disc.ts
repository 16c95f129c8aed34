import { bodyAbove, strengthOf, type StandingBody } from '../body-above.ts';
import type { Vector } from '../camera.ts';
import { saturate } from '../lighting/numbers.ts';

/** A soft disc of shade on the ground: see `disc.wesl`. */
export interface Disc {
  /** Metres in the world. */
  readonly center: Vector;
  readonly radius: number;
  /** Share of the light that is taken at its middle. */
  readonly strength: number;
}

/** Metres above the ground, where discs lie. */
const HEIGHT = 0.005;

/** A character that may leave a disc. */
export interface ShadingBody extends StandingBody {
  readonly worldFromModel: ArrayLike<number>;
  /** Metres in model space; 0: it leaves none. */
  readonly contactRadius: number;
}

/**
 * Twin of `discOf` in `splat-contact.wesl`: below the body as it is posed, strongest where its lowest point is on the ground, none
 * a radius above or below.
 */
export function discOf(body: ShadingBody, groundHeight: number): Disc | undefined {
  const m = (at: number) => body.worldFromModel[at]!;
  const radius = body.contactRadius * Math.hypot(m(0), m(4), m(8));
  if (!(radius > 0)) return undefined;
  const { x, z, height } = bodyAbove(body, [m(3), m(7), m(11)], groundHeight);
  const strength = strengthOf(height, radius);
  return strength > 0 ? { center: [x, groundHeight + HEIGHT, z], radius, strength } : undefined;
}

/** Twin of `disc.wesl`: share of the light that a disc takes where a ray meets its plane. */
export function shadeAt({ center, radius, strength }: Disc, eye: Vector, direction: Vector): number {
  const t = (center[1] - eye[1]) / direction[1];
  const [x, z] = [eye[0] + t * direction[0] - center[0], eye[2] + t * direction[2] - center[2]];
  return strength * saturate(1 - (x * x + z * z) / (radius * radius)) ** 2;
}
