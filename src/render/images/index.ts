import { ManipleError, reasonOf } from '../../errors.ts';
import { readImageHeader } from './header.ts';
import { undecodable, type RgbaImage } from './image.ts';

export { setBasisTranscoder, type BasisFiles } from './basis.ts';
export { MAX_IMAGE_SIZE, type RgbaImage } from './image.ts';

/**
 * Decodes a PNG, JPEG, WebP or KTX2 (Basis Universal: ETC1S or UASTC) image to 8-bit RGBA.
 *
 * Values are as stored. Embedded colour profiles are ignored, as glTF requires. 16-bit channels keep their upper byte,
 * and transparent pixels keep their colour. The EXIF orientation of a JPEG or PNG is applied, as browsers do. Animations
 * return their first frame.
 *
 * Safe for untrusted input: see {@link readImageHeader}. Limits: 8192 × 8192 pixels, 256 MiB encoded.
 * In Node, WebP and turned images (EXIF) need the package `sharp`. With it PNG and JPEG decode several times as fast.
 * KTX2 needs `three` everywhere, see {@link setBasisTranscoder}.
 *
 * @param mimeType Type that the file declares. It is used only in messages; the content decides.
 * @param path Location of the image, for error messages: a JSON pointer or a file name.
 * @throws ManipleError IMAGE_UNDECODABLE: unknown, truncated, damaged or too large, or a package is missing
 */
export async function decodeImage(bytes: Uint8Array, mimeType = '', path = 'image'): Promise<RgbaImage> {
  const header = readImageHeader(bytes, mimeType, path);
  try {
    const decode = await decoder(header.format === 'ktx2');
    const image = await decode(bytes, header, path);
    const { width, height, data } = image;
    if (data.length !== width * height * 4)
      undecodable(path, `decodes to ${data.length} bytes for ${width}×${height}.`);
    return image;
  } catch (reason) {
    if (reason instanceof ManipleError) throw reason;
    return undecodable(path, `${header.format} image does not decode: ${reasonOf(reason)}.`);
  }
}

/** Loads a decoder when the first image needs it. A bundle for browsers contains no package for Node. */
async function decoder(ktx2: boolean) {
  if (ktx2) return (await import('./decode-ktx2.ts')).decodeKtx2;
  const inBrowser = typeof createImageBitmap === 'function' && typeof OffscreenCanvas === 'function';
  if (inBrowser) return (await import('./decode-browser.ts')).decodeInBrowser;
  return (await import('./decode-node.ts')).decodeInNode;
}

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
