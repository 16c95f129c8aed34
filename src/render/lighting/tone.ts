import type { Vector } from '../camera.ts';
import { TONE_FILMIC, TONE_NEUTRAL } from './layout.ts';
import type { LitFrame } from './lit-frame.ts';
import { mixed, saturate, scaled } from './numbers.ts';

/** Twin of `tone.wesl`: linear light to a linear colour of the screen. */
export function toneMap({ exposure, toneMap: tone }: Pick<LitFrame, 'exposure' | 'toneMap'>, color: Vector): Vector {
  const light = scaled(color, exposure);
  if (tone === TONE_NEUTRAL) return neutral(light);
  if (tone === TONE_FILMIC) return each(light, filmic);
  return each(light, saturate);
}

/** Up to `START` colours come out as they are; `FADE` is the share by which brighter ones fade to white. */
const [START, FADE] = [0.8, 0.15];

/** Khronos, "PBR Neutral Tone Mapper" (2024), without its toe: 1 − (1 − s)² / (peak − 2 s + 1) for the brightest channel. */
function neutral(light: Vector): Vector {
  const peak = Math.max(...light);
  if (peak < START) return light;
  const shown = 1 - (1 - START) ** 2 / (peak - 2 * START + 1);
  const own = 1 / (FADE * (peak - shown) + 1);
  return mixed([shown, shown, shown], scaled(light, shown / peak), own);
}

/** Narkowicz, "ACES Filmic Tone Mapping Curve" (2015): x (a x + b) / (x (c x + d) + e). */
function filmic(x: number): number {
  return saturate((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14));
}

function each([r, g, b]: Vector, curve: (value: number) => number): Vector {
  return [curve(r), curve(g), curve(b)];
}
