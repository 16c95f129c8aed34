/** The fields of a KTX2 file that matter to `KHR_texture_basisu`. */
export interface Ktx2Header {
  readonly vkFormat: number;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly layerCount: number;
  readonly faceCount: number;
  /** 0: none, 1: BasisLZ (ETC1S), 2: Zstandard, 3: zlib. */
  readonly supercompression: number;
  /** Khronos colour model of the data: 163 is ETC1S, 166 UASTC. */
  readonly colorModel: number;
  readonly premultiplied: boolean;
  /** Bytes of the largest mip level after undoing the supercompression; 0 with BasisLZ. */
  readonly uncompressedByteLength: number;
}

const LEVEL_INDEX = 80;
const LEVEL_ENTRY_BYTES = 24;
const MAX_LEVELS = 14; // 8192 pixels down to 1

/** Reads the header. Returns undefined if anything that it points at lies outside the file. */
export function readKtx2Header(view: DataView): Ktx2Header | undefined {
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
    supercompression: u32(44),
    colorModel: view.getUint8(dfdByteOffset + 12),
    premultiplied: (view.getUint8(dfdByteOffset + 15) & 1) !== 0,
    uncompressedByteLength: u64(LEVEL_INDEX + 16),
  };
}

/** Reads only the size, for the check that all formats share. */
export function readKtx2Size(view: DataView): { width: number; height: number } | undefined {
  return readKtx2Header(view);
}
