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

/**
 * Twin of `disc.wesl`: strongest where the model's origin is on the ground, none a radius above or below.
 * @param contactRadius Metres in model space; 0: the character has none.
 */
export function discOf(
  worldFromModel: ArrayLike<number>,
  contactRadius: number,
  groundHeight: number,
): Disc | undefined {
  const m = (at: number) => worldFromModel[at]!;
  const radius = contactRadius * Math.hypot(m(0), m(4), m(8));
  const strength = 0.55 * saturate(1 - Math.abs(m(7) - groundHeight) / radius);
  if (!(radius > 0 && strength > 0)) return undefined;
  return { center: [m(3), groundHeight + HEIGHT, m(11)], radius, strength };
}

/** Share of the light that a disc takes where a ray meets its plane. */
export function shadeAt({ center, radius, strength }: Disc, eye: Vector, direction: Vector): number {
  const t = (center[1] - eye[1]) / direction[1];
  const [x, z] = [eye[0] + t * direction[0] - center[0], eye[2] + t * direction[2] - center[2]];
  return strength * saturate(1 - (x * x + z * z) / (radius * radius)) ** 2;
}
