import { subtract, type Vector } from '../camera.ts';
import type { LitFrame } from './lit-frame.ts';
import { noise } from './noise.ts';
import { added, mixed, multiplied, saturate, scaled, smoothstep } from './numbers.ts';
import { sunVisibility } from './shadow.ts';
import { ambientLight, fadeIntoHorizon } from './sky.ts';

const UP: Vector = [0, 1, 0];

/** Twin of `ground.wesl`. @param shade Share of the light that feet leave there, 0 to 1. */
export function groundColor(frame: LitFrame, world: Vector, shade: number): Vector {
  const [x, , z] = world;
  const at = (scale: number, offset: number) => noise(x * scale + offset, z * scale + offset);
  const distance = Math.hypot(...subtract(world, frame.eye));
  const patches = 0.6 * at(0.11, 0) + 0.4 * at(0.37, 17);
  const grain = (at(3.1, 0) - 0.5) * saturate(1 - distance / 60);
  const worn = smoothstep(0.3, 0.7, 0.6 * at(0.043, 5) + 0.4 * patches);
  const tone = mixed([0.78, 0.98, 0.62], [1.12, 1, 0.86], worn);
  const color = scaled(multiplied(frame.groundColor, tone), 0.74 + 0.46 * patches + 0.16 * grain);
  const sun = scaled(frame.sunColor, saturate(frame.sunDirection[1]) * sunVisibility(frame, world, UP));
  const light = added(sun, ambientLight(frame, UP));
  return fadeIntoHorizon(frame, scaled(multiplied(color, light), shade), world);
}
