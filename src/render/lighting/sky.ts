import { dot, subtract, type Vector } from '../camera.ts';
import type { LitFrame } from './lit-frame.ts';
import { cloudNoise } from './noise.ts';
import { added, mix, mixed, saturate, scaled, smoothstep } from './numbers.ts';

/** Twin of `sky.wesl`. Colour of the sky in a direction of unit length. */
export function skyColor(frame: LitFrame, direction: Vector): Vector {
  const towards = saturate(dot(direction, frame.sunDirection));
  const glow = 0.08 * towards ** 24 + 0.05 * towards ** 4;
  const clear = added(skyGradient(frame, direction), scaled(frame.sunColor, glow));
  const cloud = added(scaled(frame.horizonColor, 1.04), scaled(frame.sunColor, 0.05 + 0.1 * towards ** 8));
  return mixed(clear, cloud, cloudCover(direction));
}

/** Thin clouds on a plane; they fade towards the horizon. */
function cloudCover([x, y, z]: Vector): number {
  if (y <= 0.02) return 0;
  const density = cloudNoise((x / (y + 0.12)) * 0.9 + 3, (z / (y + 0.12)) * 1.5 + 3);
  return 0.7 * smoothstep(0.48, 0.78, density) * smoothstep(0.02, 0.22, y);
}

function skyGradient({ horizonColor, skyColor: overhead }: LitFrame, [, y]: Vector): Vector {
  return mixed(horizonColor, overhead, Math.sqrt(saturate(y)));
}

const bouncedColor = ({ groundColor }: LitFrame): Vector => scaled(groundColor, 0.55);

/** Light that a white matt surface reflects of the sky above it and the ground below it. */
export function ambientLight(frame: LitFrame, [, y]: Vector): Vector {
  return mixed(bouncedColor(frame), frame.skyColor, smoothstep(-1, 1, y));
}

/** Light that a surface mirrors from a direction; a rough one mirrors the ambient light. */
export function mirroredLight(frame: LitFrame, direction: Vector, roughness: number): Vector {
  const width = mix(0.05, 1, roughness);
  const above = smoothstep(-width, width, direction[1]);
  const sharp = mixed(bouncedColor(frame), skyGradient(frame, direction), above);
  return mixed(sharp, ambientLight(frame, direction), roughness);
}

/** Share e^(−3 d³) of the own colour is left at d times the distance of fading: a twentieth at d = 1. */
export function fadeIntoHorizon(frame: LitFrame, color: Vector, world: Vector): Vector {
  const distance = Math.hypot(...subtract(world, frame.eye)) / frame.fadeDistance;
  return mixed(color, frame.horizonColor, 1 - Math.exp(-3 * distance ** 3));
}

/** Narkowicz, "ACES Filmic Tone Mapping Curve" (2015): x (a x + b) / (x (c x + d) + e). */
export function toneMap({ exposure }: LitFrame, color: Vector): Vector {
  const curve = (value: number) => {
    const x = value * exposure;
    return saturate((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14));
  };
  return [curve(color[0]), curve(color[1]), curve(color[2])];
}
