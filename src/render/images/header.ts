import { MAX_IMAGE_BYTES, MAX_IMAGE_SIZE, undecodable } from './image.ts';

/** Image formats that glTF and its texture extensions allow. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'ktx2';

/** Format and size of an image, known before it is decoded. */
export interface ImageHeader {
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
}

type Size = Pick<ImageHeader, 'width' | 'height'>;

/** Reads the size and finds the end. Returns undefined if the file stops before it. */
type Scan = (view: DataView) => Size | undefined;

const SCANS: Readonly<Record<ImageFormat, Scan>> = {
  png: scanPng,
  jpeg: scanJpeg,
  webp: scanWebp,
  ktx2: readKtx2Header,
};

/**
 * Reads format and size from an image's first bytes, and walks its structure to the end without decoding it.
 *
 * It is safe for untrusted input and protects the decoders that run after it. They never receive an unknown format,
 * a size over the limit, or a truncated file, part of which some decoders would show.
 * The content decides, not the declared type, which is wrong in many files.
 *
 * @throws ManipleError IMAGE_UNDECODABLE
 */
export function readImageHeader(bytes: Uint8Array, mimeType: string, path: string): ImageHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = sniff(view);
  if (!format) {
    const declared = mimeType ? ` (declared as ${mimeType})` : '';
    undecodable(path, `${bytes.length} bytes that are not a PNG, JPEG, WebP or KTX2 image${declared}.`);
  }
  if (bytes.length > MAX_IMAGE_BYTES) {
    undecodable(path, `${format} image of ${bytes.length} bytes; the limit is ${MAX_IMAGE_BYTES}.`);
  }
  const size = SCANS[format](view);
  if (!size) undecodable(path, `${format} image is truncated or damaged (${bytes.length} bytes).`);
  const { width, height } = size;
  if (width < 1 || height < 1 || width > MAX_IMAGE_SIZE || height > MAX_IMAGE_SIZE) {
    const message = `${format} image of ${width}×${height} pixels; the limits are 1 and ${MAX_IMAGE_SIZE}.`;
    undecodable(path, message, 'Scale the image down.');
  }
  return { format, width, height };
}

function sniff(view: DataView): ImageFormat | undefined {
  const starts = (offset: number, text: string) =>
    view.byteLength >= offset + text.length &&
    Array.from(text).every((character, i) => view.getUint8(offset + i) === character.charCodeAt(0));
  if (starts(0, '\x89PNG\r\n\x1a\n')) return 'png';
  if (starts(0, '\xff\xd8\xff')) return 'jpeg';
  if (starts(0, 'RIFF') && starts(8, 'WEBP')) return 'webp';
  if (starts(0, '\xabKTX 20\xbb\r\n\x1a\n')) return 'ktx2';
  return undefined;
}

const fourCc = (text: string): number => Array.from(text).reduce((code, c) => (code << 8) | c.charCodeAt(0), 0) >>> 0;

/** Reads chunks of (length, name, data, checksum), from IHDR to IEND. */
function scanPng(view: DataView): Size | undefined {
  const end = view.byteLength;
  if (end < 33 || view.getUint32(8) !== 13 || view.getUint32(12) !== fourCc('IHDR')) return undefined;
  const size = { width: view.getUint32(16), height: view.getUint32(20) };
  for (let offset = 33; offset + 12 <= end; offset += 12 + view.getUint32(offset)) {
    if (view.getUint32(offset + 4) === fourCc('IEND')) return size;
  }
  return undefined;
}

/** Reads segments of (marker, length, data). The last ones are scans, which end at the first marker that is not escaped. */
function scanJpeg(view: DataView): Size | undefined {
  const end = view.byteLength;
  let size: Size | undefined;
  for (let offset = 2; offset + 2 <= end;) {
    if (view.getUint8(offset) !== 0xff) return undefined;
    const marker = view.getUint8(offset + 1);
    if (marker === 0xd9) return size;
    if (marker === 0xff) {
      offset += 1; // padding
      continue;
    }
    if (offset + 4 > end) return undefined;
    const length = view.getUint16(offset + 2);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame && offset + 9 <= end) {
      size ??= { height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) };
    }
    offset += 2 + length;
    if (marker === 0xda) offset = endOfScan(view, offset);
  }
  return undefined;
}

/** Offset of the next marker, past entropy-coded data; 0xff there is followed by 0 or a restart number. */
function endOfScan(view: DataView, start: number): number {
  for (let offset = start; offset + 1 < view.byteLength; offset++) {
    if (view.getUint8(offset) !== 0xff) continue;
    const next = view.getUint8(offset + 1);
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return offset;
  }
  return view.byteLength;
}

/**
 * Reads a RIFF file. Its first chunk has the size: VP8 (lossy), VP8L (lossless) or VP8X (both, with alpha or animation).
 */
function scanWebp(view: DataView): Size | undefined {
  if (view.byteLength < 30 || view.getUint32(4, true) + 8 > view.byteLength) return undefined;
  const chunk = view.getUint32(12);
  if (chunk === fourCc('VP8 ') && view.getUint32(23) >>> 8 === 0x9d012a) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (chunk === fourCc('VP8L') && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk === fourCc('VP8X')) {
    const uint24 = (offset: number) => view.getUint16(offset, true) | (view.getUint8(offset + 2) << 16);
    return { width: uint24(24) + 1, height: uint24(27) + 1 };
  }
  return undefined;
}

/** The fields of a KTX2 file that matter to `KHR_texture_basisu`. */
export type Ktx2Header = NonNullable<ReturnType<typeof readKtx2Header>>;

const LEVEL_INDEX = 80;
const LEVEL_ENTRY_BYTES = 24;
const MAX_LEVELS = 14; // 8192 pixels down to 1

/** Reads the header. Returns undefined if anything that it points at lies outside the file. */
export function readKtx2Header(view: DataView) {
  const end = view.byteLength;
  if (end < LEVEL_INDEX + LEVEL_ENTRY_BYTES) return undefined;
  const u32 = (offset: number) => view.getUint32(offset, true);
  const u64 = (offset: number) => u32(offset) + u32(offset + 4) * 2 ** 32;
  const inside = (offset: number, length: number) => offset + length <= end;

  const levelCount = Math.max(1, u32(40));
  if (levelCount > MAX_LEVELS || !inside(LEVEL_INDEX, levelCount * LEVEL_ENTRY_BYTES)) return undefined;
  for (let level = 0; level < levelCount; level++) {
    const entry = LEVEL_INDEX + level * LEVEL_ENTRY_BYTES;
    if (u64(entry + 8) === 0 || !inside(u64(entry), u64(entry + 8))) return undefined;
  }
  const dfdByteOffset = u32(48);
  const dfdByteLength = u32(52);
  if (dfdByteLength < 28 || !inside(dfdByteOffset, dfdByteLength)) return undefined;
  if (!inside(u32(56), u32(60)) || !inside(u64(64), u64(72))) return undefined;
  return {
    vkFormat: u32(12),
    width: u32(20),
    height: u32(24),
    depth: u32(28),
    layerCount: u32(32),
    faceCount: u32(36),
    /** 0: none, 1: BasisLZ (ETC1S), 2: Zstandard, 3: zlib. */
    supercompression: u32(44),
    /** Khronos colour model of the data: 163 is ETC1S, 166 UASTC. */
    colorModel: view.getUint8(dfdByteOffset + 12),
    premultiplied: (view.getUint8(dfdByteOffset + 15) & 1) !== 0,
    /** Bytes of the largest mip level after undoing the supercompression; 0 with BasisLZ. */
    uncompressedByteLength: u64(LEVEL_INDEX + 16),
  };
}
