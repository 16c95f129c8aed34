import { dot, normalize, subtract, type Vector } from '../camera.ts';
import type { LitFrame } from './lit-frame.ts';
import { noise } from './noise.ts';
import { added, mix, mixed, multiplied, saturate, scaled, smoothstep } from './numbers.ts';

/** Twin of `air.wesl`: from 0, away from the sun, to 1. */
export function towardsSun({ sunDirection }: LitFrame, direction: Vector): number {
  return saturate(0.5 + 0.5 * dot(direction, sunDirection));
}

/** Light of the horizon, warm on the sun's side. */
export function horizonLight({ horizonColor, sunColor }: LitFrame, towards: number): Vector {
  return added(horizonColor, scaled(sunColor, 0.05 * towards ** 2 + 0.22 * towards ** 8));
}

/** The glow around the sun. */
export function aureole({ sunColor }: LitFrame, towards: number): Vector {
  return scaled(sunColor, 0.35 * towards ** 48);
}

export function hazeColor(frame: LitFrame, direction: Vector): Vector {
  const towards = towardsSun(frame, direction);
  return added(horizonLight(frame, towards), aureole(frame, towards));
}

/** A share e^(−3 d) of the surface's own colour is left at d times `fadeDistance`: a twentieth at d = 1. */
export function throughAir(frame: LitFrame, color: Vector, world: Vector): Vector {
  const away = subtract(world, frame.eye);
  const distance = Math.hypot(...away);
  const direction = normalize(away);
  const haze = 1 - Math.exp((-3 * distance) / frame.fadeDistance);
  return mixed(throughDust(frame, color, direction, distance), hazeColor(frame, direction), haze);
}

/**
 * Integrates the cloud's density e^(−r²) from the eye over a distance; r is the distance from its centre in units of
 * its size. In these units the ray passes the centre at t = n, at distance m, with speed w. Then
 * ∫ e^(−m² − w² (t − n)²) dt = e^(−m²) √π / (2 w) · erf(w (t − n)). Noise scales the result.
 */
export function throughDust(frame: LitFrame, color: Vector, direction: Vector, distance: number): Vector {
  const { dustCenter, dustColor, dustDensity, dustReciprocal, eye, skyColor, sunColor } = frame;
  if (dustDensity <= 0) return color;
  const from = multiplied(subtract(eye, dustCenter), dustReciprocal);
  const along = multiplied(direction, dustReciprocal);
  const square = dot(along, along);
  const nearest = -dot(from, along) / square;
  const width = Math.sqrt(square);
  const middle = added(from, scaled(along, nearest));
  const peak = Math.exp(-dot(middle, middle));
  const bell = errorFunction(width * (distance - nearest)) + errorFunction(width * nearest);
  const depth = (dustDensity * peak * bell * Math.sqrt(Math.PI)) / 2 / width;
  if (depth < 1e-3) return color;
  const [x, y, z] = added(eye, scaled(direction, Math.min(distance, Math.max(0, nearest))));
  const [across, deep] = [x + 0.8 * y, z - 0.6 * y];
  const puffs = smoothstep(
    0.25,
    0.85,
    0.65 * noise(across * 0.31 + 3, deep * 0.31 + 3) + 0.35 * noise(across * 0.93 + 41, deep * 0.93 + 41),
  );
  const light = added(skyColor, scaled(sunColor, mix(0.3, 0.9, towardsSun(frame, direction) ** 3)));
  return mixed(color, multiplied(dustColor, light), 1 - Math.exp(-2 * depth * puffs));
}

/** The kernel's approximation of the error function, off by 0.0004 at most. */
function errorFunction(x: number): number {
  const t = Math.min(4, Math.max(-4, x));
  return Math.tanh(t * (1.128379 + 0.100278 * t * t));
}
