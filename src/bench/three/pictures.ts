import type { RenderTarget, WebGPURenderer } from 'three/webgpu';
import type { RgbaImage } from '../../render/images/image.ts';

/** Codes of sRGB, as a screen would show them. */
export type Picture = RgbaImage;

/** Reads a target of linear light as a picture with eight bits per channel. */
export async function pictureOf(renderer: WebGPURenderer, target: RenderTarget): Promise<Picture> {
  const { width, height } = target;
  const linear = await renderer.readRenderTargetPixelsAsync(target, 0, 0, width, height);
  const data = Uint8Array.from(linear as ArrayLike<number>, (value, i) => (i % 4 === 3 ? 255 : CODES[value]!));
  return { width, height, data };
}

/** IEC 61966-2-1. */
const CODES = Uint8Array.from({ length: 256 }, (_, value) => {
  const c = value / 255;
  return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
});

/** Returns the mean difference in codes, over pixels where either picture differs from one without soldiers. */
export function differenceOf(a: Picture, b: Picture, nobody: Picture): number {
  let [sum, shown] = [0, 0];
  for (let at = 0; at < a.data.length; at += 4) {
    const differs = (one: Picture, other: Picture) =>
      [0, 1, 2].reduce((most, c) => Math.max(most, Math.abs(one.data[at + c]! - other.data[at + c]!)), 0);
    if (Math.max(differs(a, nobody), differs(b, nobody)) < 3) continue;
    shown++;
    sum += differs(a, b);
  }
  return shown > 0 ? sum / shown : NaN;
}

/** Returns the mean difference in codes, over all pixels and their three colours. @throws Error if sizes differ */
export function meanDifference(a: Picture, b: Picture): number {
  if (a.width !== b.width || a.height !== b.height) {
    throw new Error(`Pictures of ${a.width} × ${a.height} and ${b.width} × ${b.height} pixels cannot be compared.`);
  }
  let sum = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    for (let c = 0; c < 3; c++) sum += Math.abs(a.data[at + c]! - b.data[at + c]!);
  }
  return sum / ((a.data.length / 4) * 3);
}
