import { decode } from 'jpeg-js';
import type { RgbaImage } from './image.ts';

/** Scans of a progressive JPEG; encoders write about ten. Each one costs a pass over the whole image. */
const MAX_SCANS = 100;
/** Megapixels and MiB; the size has been checked before. */
const LIMITS = { maxResolutionInMP: 100, maxMemoryUsageInMB: 2048 };
const ORIENTATION = 0x0112;

/**
 * Decodes a JPEG without native code; undefined if it has an orientation other than upright. About 0.1 s a megapixel.
 *
 * @throws Error if the file is damaged
 */
export function decodeJpeg(bytes: Uint8Array): RgbaImage | undefined {
  const scans = bytes.reduce((count, byte, i) => count + Number(byte === 0xda && bytes[i - 1] === 0xff), 0);
  if (scans > MAX_SCANS) throw new Error(`It has ${scans} scans; the limit is ${MAX_SCANS}`);
  const image: RgbaImage & { exifBuffer?: Uint8Array } = decode(bytes, {
    ...LIMITS,
    useTArray: true,
    formatAsRGBA: true,
    tolerantDecoding: false,
  });
  const { width, height, data, exifBuffer } = image;
  return exifBuffer && orientationOf(exifBuffer) > 1 ? undefined : { width, height, data };
}

/** The orientation in an EXIF block, which is one byte and a TIFF file. 1 is upright, and the default. */
function orientationOf(exif: Uint8Array): number {
  const view = new DataView(exif.buffer, exif.byteOffset + 1, exif.length - 1);
  try {
    const isLittle = view.getUint16(0) === 0x4949;
    const directory = view.getUint32(4, isLittle);
    for (let i = 0; i < view.getUint16(directory, isLittle); i++) {
      const entry = directory + 2 + 12 * i;
      if (view.getUint16(entry, isLittle) === ORIENTATION) return view.getUint16(entry + 8, isLittle);
    }
  } catch {
    // cut off: nothing says how it is to be turned
  }
  return 1;
}
