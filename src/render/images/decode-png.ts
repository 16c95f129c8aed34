import { crc32, joinBytes } from './encode-png.ts';
import type { RgbaImage } from './image.ts';

/** Samples of a pixel, and bits that each may have, by colour type: grey, RGB, palette, and the first two with alpha. */
const COLOUR_TYPES: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};
const PALETTE = 3;

/** Pixels of a pass: the first one, and the steps to the next. Interlaced pictures have seven passes (PNG §8.2). */
type Pass = readonly [x: number, y: number, dx: number, dy: number];
const WHOLE: readonly Pass[] = [[0, 0, 1, 1]];
const INTERLACED: readonly Pass[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/**
 * Decodes a PNG without native code; undefined if it has an orientation, or a colour of 16 bits that is transparent. About 40 ms
 * a megapixel.
 *
 * @param bytes A PNG. Its last chunk is IEND; `readImageHeader` checks that.
 * @throws Error if the file is damaged
 */
export async function decodePng(bytes: Uint8Array): Promise<RgbaImage | undefined> {
  const chunks = readChunks(bytes);
  const dataOf = (name: string) => chunks.find((chunk) => chunk.name === name)?.data;
  const [{ data: header }] = chunks as [Chunk];
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth, colourType, compression, filter, interlace] = header.subarray(8);
  const { samples, depths } = COLOUR_TYPES[colourType!] ?? { samples: 0, depths: [] };
  if (!depths.includes(depth!) || compression !== 0 || filter !== 0 || interlace! > 1)
    throw new Error(`Its header is damaged: ${header.subarray(8).join(' ')}`);
  const key = dataOf('tRNS');
  if (dataOf('eXIf') || (key && depth === 16)) return undefined;
  const toRgba = pixelWriter(depth!, colourType!, dataOf('PLTE'), key);
  const passes = (interlace === 1 ? INTERLACED : WHOLE)
    .map(([x, y, dx, dy]) => {
      return { x, y, dx, dy, columns: Math.ceil((width - x) / dx), rows: Math.ceil((height - y) / dy) };
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
    .map((pass) => ({ ...pass, stride: Math.ceil((pass.columns * samples * depth!) / 8) }));
  const packed = joinBytes(chunks.filter(({ name }) => name === 'IDAT').map(({ data }) => data));
  const length = passes.reduce((sum, { stride, rows }) => sum + (stride + 1) * rows, 0);
  const lines = await inflate(packed, length);
  const rgba = new Uint8Array(width * height * 4).fill(255);
  let start = 0;
  for (const { x, y, dx, dy, columns, rows, stride } of passes) {
    const pass = lines.subarray(start, (start += (stride + 1) * rows));
    unfilter(pass, stride, Math.max(1, (samples * depth!) / 8));
    for (let row = 0; row < rows; row++) {
      const packedLine = pass.subarray(row * (stride + 1) + 1, (row + 1) * (stride + 1));
      const line = samplesOf(packedLine, depth!, columns * samples);
      for (let column = 0; column < columns; column++)
        toRgba(line, column * samples, rgba, 4 * ((y + row * dy) * width + x + column * dx));
    }
  }
  return { width, height, data: rgba };
}

/** Samples of a row, a byte for each: of 16 bits the upper ones. */
function samplesOf(line: Uint8Array, depth: number, count: number): Uint8Array {
  if (depth === 8) return line;
  if (depth === 16) return Uint8Array.from({ length: count }, (_, i) => line[2 * i]!);
  const [perByte, mask] = [8 / depth, (1 << depth) - 1];
  const shiftOf = (i: number) => 8 - depth * ((i % perByte) + 1);
  return Uint8Array.from({ length: count }, (_, i) => (line[Math.floor(i / perByte)]! >> shiftOf(i)) & mask);
}

/** Writes a pixel's samples, from an index on, as RGBA; alpha is 255 before. */
type PixelWriter = (line: Uint8Array, from: number, rgba: Uint8Array, to: number) => void;

/** @param key Of palettes the alpha of their first colours; of other types the one transparent colour, 16 bits a sample. */
function pixelWriter(depth: number, colourType: number, palette?: Uint8Array, key?: Uint8Array): PixelWriter {
  if (colourType === PALETTE) {
    if (!palette) throw new Error('It has no palette');
    return (line, from, rgba, to) => {
      const index = line[from]!;
      if (3 * index >= palette.length) throw new Error(`The palette has no colour ${index}`);
      for (let i = 0; i < 3; i++) rgba[to + i] = palette[3 * index + i]!;
      rgba[to + 3] = key?.[index] ?? 255;
    };
  }
  const isGrey = colourType === 0 || colourType === 4;
  const scale = depth < 8 ? 255 / ((1 << depth) - 1) : 1;
  const colours = isGrey ? 1 : 3;
  const hasAlpha = colourType >= 4;
  return (line, from, rgba, to) => {
    for (let i = 0; i < 3; i++) rgba[to + i] = scale * line[isGrey ? from : from + i]!;
    if (hasAlpha) rgba[to + 3] = line[from + colours]!;
    else if (key) {
      let differs = 0;
      for (let i = 0; i < colours; i++) differs |= line[from + i]! ^ key[2 * i + 1]!;
      if (differs === 0) rgba[to + 3] = 0;
    }
  };
}

interface Chunk {
  readonly name: string;
  readonly data: Uint8Array;
}

/** Reads chunks of (length, name, data, checksum), from the signature to the last one. */
function readChunks(bytes: Uint8Array): Chunk[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: Chunk[] = [];
  for (let at = 8; chunks.at(-1)?.name !== 'IEND';) {
    const end = at + 8 + view.getUint32(at);
    if (crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) throw new Error(`The chunk at ${at} is damaged`);
    chunks.push({ name: String.fromCharCode(...bytes.subarray(at + 4, at + 8)), data: bytes.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

/** Inflates exactly `length` bytes. Stops with an error once the stream has more. */
async function inflate(packed: Uint8Array<ArrayBuffer>, length: number): Promise<Uint8Array> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const inflated = new Uint8Array(length);
  let at = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > length) throw new Error(`It has more than ${length} bytes of pixels`);
    inflated.set(value, at);
    at += value.length;
  }
  if (at < length) throw new Error(`It has ${at} bytes of pixels, not ${length}`);
  return inflated;
}

/** Undoes the filter of each row in place (PNG §9); a row is one byte for its filter, then `stride` bytes. */
function unfilter(rows: Uint8Array, stride: number, channels: number): void {
  for (let start = 0; start < rows.length; start += stride + 1) {
    const predict = PREDICTORS[rows[start]!];
    if (!predict) throw new Error(`The filter ${rows[start]} of row ${start / (stride + 1)} is unknown`);
    for (let i = 0; i < stride; i++) {
      const at = start + 1 + i;
      const hasLeft = i >= channels;
      const left = hasLeft ? rows[at - channels]! : 0;
      const above = start > 0 ? rows[at - stride - 1]! : 0;
      const aboveLeft = hasLeft && start > 0 ? rows[at - stride - 1 - channels]! : 0;
      rows[at] = rows[at]! + predict(left, above, aboveLeft);
    }
  }
}

type Predictor = (left: number, above: number, aboveLeft: number) => number;

const PREDICTORS: readonly Predictor[] = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];

/** The neighbour nearest to left + above − aboveLeft. */
function paeth(left: number, above: number, aboveLeft: number): number {
  const toLeft = Math.abs(above - aboveLeft);
  const toAbove = Math.abs(left - aboveLeft);
  const toAboveLeft = Math.abs(left + above - 2 * aboveLeft);
  if (toLeft <= toAbove && toLeft <= toAboveLeft) return left;
  return toAbove <= toAboveLeft ? above : aboveLeft;
}
