import type { RgbaImage } from './image.ts';

/**
 * Encodes an image as an 8-bit RGBA PNG, tagged as sRGB.
 *
 * Lossless, also where alpha is 0, and deterministic: the same pixels give the same bytes in one version of a browser or
 * of Node. Needs no package. (A canvas would round the colours of transparent pixels.)
 *
 * @throws ManipleError RENDER_FAILED: the size is out of range, or does not match the data
 */
export async function encodePng(image: RgbaImage): Promise<Uint8Array> {
  return (await import('./encode-png.ts')).writePng(image);
}
