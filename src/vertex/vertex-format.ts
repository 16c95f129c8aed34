import { fail, quoted } from '../errors.ts';
import {
  clamp,
  fromOctahedral,
  octahedral,
  packHalf,
  packOctahedral,
  packTangent,
  roundEven,
  unpackHalf,
  unpackOctahedral,
  unpackTangent,
} from '../math/packing.ts';

/**
 * Memory formats of components of a vertex channel; twin of `vertex-format.wesl`. Packs round to nearest and clamp.
 *
 * The value of a code of m steps is `code × f32(1 / m)` (biased: `(2 code − m) × f32(1 / m)`), rounded to f32 once. 0 and ±1
 * are exact, and no value is further than one ulp from code / m. Multiplication is correctly rounded everywhere, so kernels
 * and twin agree bit for bit.
 */

export const FORMAT_FLOAT32 = 0;
/** IEEE binary16. */
export const FORMAT_FLOAT16 = 1;
export const FORMAT_UNORM8 = 2;
/** Signed: −1 has two codes, as everywhere in WGSL. */
export const FORMAT_SNORM8 = 3;
export const FORMAT_UNORM16 = 4;
export const FORMAT_SNORM16 = 5;
/** [−1, 1] as the unorm byte of e × ½ + ½: normals and tangents of the packed layout. */
export const FORMAT_BIASED8 = 6;
/** A unit vector on the octahedron, 2 × 16 bits. In tangents the last code's lowest bit is set for handedness −1. */
export const FORMAT_OCTAHEDRAL16 = 7;
/** The same in 2 × 8 bits. Directions are exact to 0.016 radians; tangents, with a bit less, to 0.03. */
export const FORMAT_OCTAHEDRAL8 = 8;

/** Channels of a vertex: the bits of `activeChannels`, and the order of a table's VertexChannel records. */
export const CHANNEL_POSITION = 0;
export const CHANNEL_NORMAL = 1;
export const CHANNEL_TANGENT = 2;
export const CHANNEL_TEXCOORD = 3;
export const CHANNEL_COLOR = 4;
/** Strength of the wind at the vertex, 0 to 1. */
export const CHANNEL_WIND = 5;
/** Deltas of morph targets for position, normal and tangent: set 1 is the first target. */
export const CHANNEL_DELTA_POSITION = 6;
export const CHANNEL_DELTA_NORMAL = 7;
export const CHANNEL_DELTA_TANGENT = 8;
export const CHANNEL_COUNT = 9;

/** Longest name of a named channel, in letters. */
export const CHANNEL_NAME_LENGTH = 64;

/**
 * Key of a channel's name in kernels: FNV-1a of its UTF-16 code units, 32 bits
 * (http://www.isthe.com/chongo/tech/comp/fnv/). Upper and lower case give the same key, because loaders disagree about them.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT for a name that is not text
 */
export function channelKey(name: string): number {
  if (typeof name !== 'string') fail('CROWD_BAD_ARGUMENT', 'name', `Got ${quoted(name)} for name; expected text.`);
  let key = 0x811c9dc5;
  const letters = name.toUpperCase();
  for (let i = 0; i < letters.length; i++) key = Math.imul(key ^ letters.charCodeAt(i), 0x01000193);
  return key >>> 0;
}

/** Name of the channel CHANNEL_WIND: one component. */
export const WIND_NAME = '_WIND';
/** The second set of texture coordinates, two components. */
export const SECOND_TEXCOORD_NAME = 'TEXCOORD_1';
export const CHANNEL_KEY_WIND: number = channelKey(WIND_NAME);
export const CHANNEL_KEY_TEXCOORD_1: number = channelKey(SECOND_TEXCOORD_NAME);

/** Components that a channel has in memory, unless it is octahedral. */
const CHANNEL_COMPONENTS: readonly number[] = [3, 3, 4, 2, 4, 1, 3, 3, 3];

/** Bytes of one component. Elements of a channel begin at multiples of it. */
export function componentBytes(format: number): number {
  if (format === FORMAT_FLOAT32) return 4;
  const wide = [FORMAT_FLOAT16, FORMAT_UNORM16, FORMAT_SNORM16, FORMAT_OCTAHEDRAL16].includes(format);
  return wide ? 2 : 1;
}

export function isOctahedral(format: number): boolean {
  return format === FORMAT_OCTAHEDRAL16 || format === FORMAT_OCTAHEDRAL8;
}

/** Bytes of one vertex's element. */
export function elementBytes(channel: number, format: number): number {
  return componentBytes(format) * (isOctahedral(format) ? 2 : CHANNEL_COMPONENTS[channel]!);
}

/** Alignment of elements in bytes. Octahedral ones of 16 bits are read as one word. */
export function elementAlignment(format: number): number {
  return format === FORMAT_OCTAHEDRAL16 ? 4 : format === FORMAT_OCTAHEDRAL8 ? 2 : componentBytes(format);
}

/** Returns true if positions in this format are fractions of a box. */
export function isNormalized(format: number): boolean {
  return format >= FORMAT_UNORM8 && format <= FORMAT_SNORM16;
}

/** Reads `count` components at a byte of the words. */
export function loadComponents(words: Uint32Array, byte: number, format: number, count: number): number[] {
  const size = componentBytes(format);
  const mask = size === 4 ? -1 : (1 << (8 * size)) - 1;
  const out: number[] = [];
  for (let c = 0, at = byte; c < count; c++, at += size) {
    out.push(componentOf(((words[at >>> 2]! >>> (8 * (at & 3))) & mask) >>> 0, format));
  }
  return out;
}

function componentOf(code: number, format: number): number {
  switch (format) {
    case FORMAT_FLOAT32:
      scratchWord[0] = code;
      return scratchFloat[0]!;
    case FORMAT_FLOAT16:
      return unpackHalf(code);
    case FORMAT_UNORM8:
      return share(code, 255);
    case FORMAT_SNORM8:
      return Math.max(share((code << 24) >> 24, 127), -1);
    case FORMAT_UNORM16:
      return share(code, 65535);
    case FORMAT_SNORM16:
      return Math.max(share((code << 16) >> 16, 32767), -1);
    default:
      return share(2 * code - 255, 255);
  }
}

function share(code: number, steps: number): number {
  return Math.fround(code * Math.fround(1 / steps));
}

/** A unit vector. In formats that hold any vector, the stored one. */
export function loadDirection(words: Uint32Array, byte: number, format: number): number[] {
  const out = [0, 0, 0];
  if (!isOctahedral(format)) return loadComponents(words, byte, format, 3);
  if (format === FORMAT_OCTAHEDRAL16) unpackOctahedral(words[byte >>> 2]!, out);
  else unfold(halfword(words, byte), out);
  return out;
}

/** x, y, z and handedness. */
export function loadHanded(words: Uint32Array, byte: number, format: number): number[] {
  const out = [0, 0, 0, 0];
  if (!isOctahedral(format)) return loadComponents(words, byte, format, 4);
  if (format === FORMAT_OCTAHEDRAL16) unpackTangent(words[byte >>> 2]!, out);
  else {
    const half = halfword(words, byte);
    unfold(half & ~0x100, out);
    out[3] = half & 0x100 ? -1 : 1;
  }
  return out;
}

function halfword(words: Uint32Array, byte: number): number {
  return (words[byte >>> 2]! >>> (8 * (byte & 3))) & 0xffff;
}

function unfold(half: number, out: number[]): void {
  fromOctahedral(componentOf(half & 0xff, FORMAT_SNORM8), componentOf(half >>> 8, FORMAT_SNORM8), out, 0);
}

/** Writes one vertex's element at a byte: the inverse of the functions that load. Rounds to nearest, and clamps. */
export function encodeElement(
  bytes: DataView,
  byte: number,
  { channel, format }: { readonly channel: number; readonly format: number },
  values: ArrayLike<number>,
): void {
  const [x, y, z] = [values[0]!, values[1]!, values[2]!];
  const handedness = channel === CHANNEL_TANGENT ? values[3]! : undefined;
  if (format === FORMAT_OCTAHEDRAL16) {
    const word = handedness === undefined ? packOctahedral(x, y, z) : packTangent(x, y, z, handedness);
    bytes.setUint32(byte, word, true);
  } else if (format === FORMAT_OCTAHEDRAL8) {
    const [u, v] = octahedral(x, y, z).map((share) => roundEven(share * 127) & 0xff) as [number, number];
    // as in the word: the lowest bit of the second coordinate is the handedness
    const low = handedness === undefined ? v : (v & 0xfe) | Number(handedness < 0);
    bytes.setUint16(byte, u | (low << 8), true);
  } else {
    const size = componentBytes(format);
    for (let c = 0; c < values.length; c++) encodeComponent(bytes, byte + c * size, format, values[c]!);
  }
}

function encodeComponent(bytes: DataView, byte: number, format: number, value: number): void {
  const unorm = (steps: number) => Math.floor(0.5 + steps * clamp(value, 0, 1));
  const snorm = (steps: number) => Math.floor(0.5 + steps * clamp(value, -1, 1));
  if (format === FORMAT_FLOAT32) bytes.setFloat32(byte, value, true);
  else if (format === FORMAT_FLOAT16) bytes.setUint16(byte, packHalf(value), true);
  else if (format === FORMAT_UNORM16) bytes.setUint16(byte, unorm(65535), true);
  else if (format === FORMAT_SNORM16) bytes.setInt16(byte, snorm(32767), true);
  else if (format === FORMAT_UNORM8) bytes.setUint8(byte, unorm(255));
  else if (format === FORMAT_SNORM8) bytes.setInt8(byte, snorm(127));
  else if (format === FORMAT_BIASED8) bytes.setUint8(byte, Math.floor(0.5 + 255 * clamp(value * 0.5 + 0.5, 0, 1)));
}

const scratchFloat = new Float32Array(1);
const scratchWord = new Uint32Array(scratchFloat.buffer);
