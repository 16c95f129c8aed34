import type { Vector } from '../camera.ts';
import { aureole, hazeColor, horizonLight, throughDust, towardsSun } from './air.ts';
import type { LitFrame } from './lit-frame.ts';
import { cloudNoise, noise } from './noise.ts';
import { added, mix, mixed, multiplied, saturate, scaled, smoothstep } from './numbers.ts';

/** Distance over which dust counts in front of the sky, metres. */
const FAR = 1e5;
/** Share of the horizon's colour in the light from above. */
const HORIZON_SHARE = 0.45;

/** Twin of `sky.wesl`. Colour of the sky in a direction of unit length. */
export function skyColor(frame: LitFrame, direction: Vector): Vector {
  const towards = towardsSun(frame, direction);
  const gradient = mixed(horizonLight(frame, towards), frame.skyColor, Math.sqrt(saturate(direction[1])));
  const clear = added(gradient, aureole(frame, towards));
  const cloud = added(frame.horizonColor, scaled(frame.sunColor, 0.14 + 0.2 * towards ** 8));
  const clouded = mixed(clear, cloud, cloudCover(frame, direction));
  return throughDust(frame, behindHills(frame, clouded, direction), direction, FAR);
}

/** Thin clouds on a plane; they fade towards the horizon. */
function cloudCover({ patternOffset: [ox, oz] }: LitFrame, [x, y, z]: Vector): number {
  if (y <= 0.02) return 0;
  const density = cloudNoise((x / (y + 0.12)) * 0.9 + ox, (z / (y + 0.12)) * 1.5 + oz);
  return 0.8 * smoothstep(0.44, 0.74, density) * smoothstep(0.02, 0.22, y);
}

/** Two ridges of hills in front of the sky; haze hides most of them, and their feet. */
function behindHills(frame: LitFrame, sky: Vector, direction: Vector): Vector {
  const { hillHeight, groundColor, skyColor: overhead, skyUp, sunColor, pictureHeight } = frame;
  const [x, y, z] = direction;
  if (y >= hillHeight) return sky;
  const level = 1 / Math.hypot(x, z);
  const up = y * level;
  const haze = hazeColor(frame, direction);
  const own = multiplied(groundColor, added(scaled(sunColor, 0.4), overhead));
  const pixel = (2 * Math.hypot(...skyUp)) / pictureHeight;
  const mist = smoothstep(0, 0.5 * hillHeight, up);
  const top = (scale: number, offset: number) => ridge(frame, x * level * scale + offset, z * level * scale + offset);
  const layer = (behind: Vector, height: number, share: number) =>
    mixed(behind, mixed(haze, own, share * mist), smoothstep(-pixel, pixel, height - up));
  const far = layer(sky, hillHeight * (0.35 + 0.65 * top(2.7, 0)), 0.16);
  return layer(far, hillHeight * (0.05 + 0.6 * top(4.3, 23)), 0.34);
}

function ridge({ patternOffset: [ox, oz] }: LitFrame, px: number, pz: number): number {
  const at = (scale: number) => noise((px + ox) * scale, (pz + oz) * scale);
  return 0.72 * at(1) + 0.22 * at(3.1) + 0.06 * at(11.7);
}

function skyGradient({ horizonColor, skyColor: overhead }: LitFrame, [, y]: Vector): Vector {
  return mixed(horizonColor, overhead, Math.sqrt(saturate(y)));
}

const bouncedColor = ({ groundColor }: LitFrame): Vector => scaled(groundColor, 0.7);

/** Light that a white matt surface reflects of the sky above it and the ground below it. */
export function ambientLight(frame: LitFrame, [, y]: Vector): Vector {
  const above = mixed(frame.skyColor, frame.horizonColor, HORIZON_SHARE);
  return mixed(bouncedColor(frame), above, smoothstep(-1, 1, y));
}

/** Light that a surface mirrors from a direction; a rough one mirrors the ambient light. */
export function mirroredLight(frame: LitFrame, direction: Vector, roughness: number): Vector {
  const width = mix(0.05, 1, roughness);
  const above = smoothstep(-width, width, direction[1]);
  const sharp = mixed(bouncedColor(frame), skyGradient(frame, direction), above);
  return mixed(sharp, ambientLight(frame, direction), roughness);
}
