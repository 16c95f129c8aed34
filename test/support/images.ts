import { encodeToKTX2 } from 'ktx2-encoder';
import sharp, { type Sharp } from 'sharp';
import type { RgbaImage } from '../../src/render/images/index.ts';

/** A smooth picture with an alpha ramp, whose quarters have different colours: no two orientations look alike. */
export function picture(width: number, height: number): RgbaImage {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const right = x * 2 >= width;
      const lower = y * 2 >= height;
      const shade = Math.round((x / width) * 60 + (y / height) * 40);
      const alpha = 255 - Math.round((x / width) * 200);
      data.set(
        [right ? 190 + shade / 2 : 40 + shade, lower ? 180 : 60 + shade, 120 + shade, alpha],
        (y * width + x) * 4,
      );
    }
  }
  return { width, height, data };
}

/** The same without transparency. */
export function opaque({ width, height, data }: RgbaImage): RgbaImage {
  return { width, height, data: data.map((value, i) => (i % 4 === 3 ? 255 : value)) };
}

/** sharp's pipeline for raw pixels. */
export function fromPixels({ width, height, data }: RgbaImage): Sharp {
  return sharp(data, { raw: { width, height, channels: 4 } });
}

/** A KTX2 file with one level: ETC1S, or UASTC with or without Zstandard. */
export async function ktx2Of(image: RgbaImage, kind: 'etc1s' | 'uastc' | 'uastc-zstd'): Promise<Uint8Array> {
  const { log } = console;
  console.log = () => {}; // the encoder reports every step there, whatever it is told
  try {
    return await encodeToKTX2(image.data, {
      isUASTC: kind !== 'etc1s',
      needSupercompression: kind === 'uastc-zstd',
      generateMipmap: false,
      qualityLevel: 255,
      imageDecoder: async () => image,
    });
  } finally {
    console.log = log;
  }
}

/** Largest difference of a channel. */
export function largestError(actual: Uint8Array, expected: Uint8Array): number {
  if (actual.length !== expected.length) return Infinity;
  return actual.reduce((largest, value, i) => Math.max(largest, Math.abs(value - expected[i]!)), 0);
}

/** Root of the mean of the squared differences. */
export function meanError(actual: Uint8Array, expected: Uint8Array): number {
  if (actual.length !== expected.length) return Infinity;
  return Math.sqrt(actual.reduce((sum, value, i) => sum + (value - expected[i]!) ** 2, 0) / actual.length);
}
