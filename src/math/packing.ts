/**
 * Bit layouts of packed values, twin of `packing.wesl`. Packs round to nearest (never truncate) and clamp;
 * unpacks are exact to the last bit of the code.
 */

/** Two words. Smallest-three quaternion: index of the largest component (2 bits) and the other three, 20 bits each. */
const QUATERNION_RANGE = Math.SQRT1_2;
const QUATERNION_MAX = 524287;

export function packQuaternion(q: ArrayLike<number>, at = 0): [number, number] {
  const words: [number, number] = [0, 0];
  writeQuaternion(q, at, words, 0);
  return words;
}

/** Packs q[at…] to out[to] and out[to + 1]. */
export function writeQuaternion(q: ArrayLike<number>, at: number, out: Uint32Array | number[], to: number): void {
  const x = q[at]!;
  const y = q[at + 1]!;
  const z = q[at + 2]!;
  const w = q[at + 3]!;
  let largest = 0;
  let most = x;
  if (Math.abs(y) > Math.abs(most)) [largest, most] = [1, y];
  if (Math.abs(z) > Math.abs(most)) [largest, most] = [2, z];
  if (Math.abs(w) > Math.abs(most)) [largest, most] = [3, w];
  const length = Math.sqrt(x * x + y * y + z * z + w * w) || 1;
  const scale = ((Math.sign(most) || 1) / length / QUATERNION_RANGE) * QUATERNION_MAX;
  const a = quaternionCode((largest === 0 ? y : x) * scale);
  const b = quaternionCode((largest < 2 ? z : y) * scale);
  const c = quaternionCode((largest === 3 ? z : w) * scale);
  out[to] = ((a & 0xfffff) | (b << 20)) >>> 0;
  out[to + 1] = (((b >> 12) & 0xff) | ((c & 0xfffff) << 8) | (largest << 30)) >>> 0;
}

function quaternionCode(value: number): number {
  return clamp(roundHalfUp(value), -QUATERNION_MAX, QUATERNION_MAX);
}

/** Writes a unit quaternion to `out[at…]`. */
export function unpackQuaternion(low: number, high: number, out: Float64Array | number[], at = 0): void {
  const unit = QUATERNION_RANGE / QUATERNION_MAX;
  const a = ((low << 12) >> 12) * unit;
  const b = (((high << 24) | ((low >>> 20) << 12)) >> 12) * unit;
  const c = ((high << 4) >> 12) * unit;
  const d = Math.sqrt(Math.max(0, 1 - a * a - b * b - c * c));
  const index = high >>> 30;
  out[at] = index === 0 ? d : a;
  out[at + 1] = index === 1 ? d : index === 0 ? a : b;
  out[at + 2] = index === 2 ? d : index < 2 ? b : c;
  out[at + 3] = index === 3 ? d : c;
}

/** Two words: three signed 21-bit integers, in multiples of a unit that the caller stores. */
export const FIXED3_MAX = 1048575;

export function packFixed3(v: ArrayLike<number>, at: number, unit: number): [number, number] {
  const words: [number, number] = [0, 0];
  writeFixed3(v, at, unit, words, 0);
  return words;
}

/** Packs v[at…] to out[to] and out[to + 1]. */
export function writeFixed3(
  v: ArrayLike<number>,
  at: number,
  unit: number,
  out: Uint32Array | number[],
  to: number,
): void {
  const x = fixed3Code(v[at]! / unit);
  const y = fixed3Code(v[at + 1]! / unit);
  const z = fixed3Code(v[at + 2]! / unit);
  out[to] = ((x & 0x1fffff) | (y << 21)) >>> 0;
  out[to + 1] = (((y >> 11) & 0x3ff) | ((z & 0x1fffff) << 10)) >>> 0;
}

function fixed3Code(value: number): number {
  return clamp(roundHalfUp(value), -FIXED3_MAX, FIXED3_MAX);
}

export function unpackFixed3(low: number, high: number, unit: number, out: Float64Array | number[], at = 0): void {
  out[at] = ((low << 11) >> 11) * unit;
  out[at + 1] = (((high << 22) | ((low >>> 21) << 11)) >> 11) * unit;
  out[at + 2] = ((high << 1) >> 11) * unit;
}

const POSITION_EXPONENT = 64;
/** The exponent of points that are not finite, or too large. */
const NOT_KEPT = 127;
/** A coordinate so close below a power of two that its code would round up to 2^18 takes the next exponent. */
const ROUNDS_UP = 1 + 2 ** -18;

/**
 * Two words: a point as three signed 19-bit integers with one exponent, that of its largest coordinate. A coordinate is off by
 * half of 2^-18 times the power of two above the largest one: 0.004 mm where that is 1 to 2 m. Smaller ones than 2^-81 are 0.
 * Points from 2^64 on, or of NaN, are NaN when they are unpacked here; kernels unpack some far point.
 */
export function packPosition(p: ArrayLike<number>, at = 0): [number, number] {
  scratchFloat[0] = Math.max(Math.abs(p[at]!), Math.abs(p[at + 1]!), Math.abs(p[at + 2]!));
  scratchFloat[0] *= ROUNDS_UP;
  const exponent = clamp(scratchWord[0]! >>> 23, POSITION_EXPONENT, POSITION_EXPONENT + NOT_KEPT);
  const unit = 2 ** (exponent - 144);
  const [x, y, z] = [0, 1, 2].map((c) => roundEven(p[at + c]! / unit)) as [number, number, number];
  const low = ((x & 0x7ffff) | (y << 19)) >>> 0;
  const high = ((z << 13) | (((y >> 13) & 0x3f) << 7) | (exponent - POSITION_EXPONENT)) >>> 0;
  return [low, high];
}

/** Writes a point to `out[at…]`. */
export function unpackPosition(low: number, high: number, out: Float64Array | Float32Array | number[], at = 0): void {
  const exponent = high & 0x7f;
  const unit = exponent === NOT_KEPT ? NaN : 2 ** (exponent + POSITION_EXPONENT - 144);
  out[at] = ((low << 13) >> 13) * unit;
  out[at + 1] = ((((high << 19) & 0xfc000000) | ((low >>> 19) << 13)) >> 13) * unit;
  out[at + 2] = (high >> 13) * unit;
}

/** The smallest power of two that lets `packFixed3` hold ±`maximum`. */
export function fixed3Unit(maximum: number): number {
  if (!(maximum > 0)) return 2 ** -100;
  const exponent = Math.ceil(Math.log2(maximum / FIXED3_MAX));
  return 2 ** clamp(exponent, -100, 100);
}

/**
 * One word: a unit vector on the octahedron, 16-bit snorm each.
 * Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors", JCGT 3(2), 2014.
 */
export function packOctahedral(x: number, y: number, z: number): number {
  const [u, v] = octahedral(x, y, z);
  return ((roundEven(u * 32767) & 0xffff) | (roundEven(v * 32767) << 16)) >>> 0;
}

export function unpackOctahedral(word: number, out: Float64Array | number[], at = 0): void {
  fromOctahedral(((word << 16) >> 16) / 32767, (word >> 16) / 32767, out, at);
}

/**
 * One word: like `packOctahedral`, except that the lowest bit of the second coordinate holds the handedness. It is set for
 * −1. Directions are then exact to 1.5·10⁻⁴ radians, those of `packOctahedral` to 7·10⁻⁵.
 */
export function packTangent(x: number, y: number, z: number, handedness: number): number {
  const word = packOctahedral(x, y, z) & ~0x10000;
  return (handedness < 0 ? word | 0x10000 : word) >>> 0;
}

export function unpackTangent(word: number, out: Float64Array | number[], at = 0): void {
  unpackOctahedral(word & ~0x10000, out, at);
  out[at + 3] = word & 0x10000 ? -1 : 1;
}

/** A shorter vector has no direction. */
const SHORTEST = 1e-30;

/** Folds the sphere onto a square; the vector need not be of unit length. If it is almost 0 the result is the square's middle: z. */
export function octahedral(x: number, y: number, z: number): [number, number] {
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  if (sum < SHORTEST) return [0, 0];
  const u = x / sum;
  const v = y / sum;
  if (z >= 0) return [u, v];
  return [(1 - Math.abs(v)) * (u >= 0 ? 1 : -1), (1 - Math.abs(u)) * (v >= 0 ? 1 : -1)];
}

/** The unit vector of a point of the octahedron's square. */
export function fromOctahedral(u: number, v: number, out: Float64Array | number[], at: number): void {
  const z = 1 - Math.abs(u) - Math.abs(v);
  const fold = Math.max(-z, 0);
  const x = u + (u >= 0 ? -fold : fold);
  const y = v + (v >= 0 ? -fold : fold);
  const length = Math.hypot(x, y, z) || 1;
  out[at] = x / length;
  out[at + 1] = y / length;
  out[at + 2] = z / length;
}

/** WGSL pack4x8unorm: ⌊0.5 + 255 × clamp(e, 0, 1)⌋ per component, first component in the low byte. */
export function packUnorm8(v: ArrayLike<number>, at = 0): number {
  let word = 0;
  for (let c = 0; c < 4; c++) word |= Math.floor(0.5 + 255 * clamp(v[at + c]!, 0, 1)) << (8 * c);
  return word >>> 0;
}

export function unpackUnorm8(word: number, out: Float64Array | number[], at = 0): void {
  for (let c = 0; c < 4; c++) out[at + c] = ((word >>> (8 * c)) & 0xff) / 255;
}

/** WGSL pack2x16unorm. */
export function packUnorm16(a: number, b: number): number {
  const [x, y] = [a, b].map((e) => Math.floor(0.5 + 65535 * clamp(e, 0, 1))) as [number, number];
  return (x | (y << 16)) >>> 0;
}

/**
 * The normal and wind byte of the packed layout, from "Skinning in a Compute Shader"
 * (https://wickedengine.net/2017/09/09/skinning-in-compute-shader/). Components in [−1, 1] are unorm bytes of e × ½ + ½. The
 * fourth byte is stored as it is. The truncating pack printed there loses 63 of 256 codes in a round trip; this one loses none.
 */
export function packNormalWind(x: number, y: number, z: number, wind: number): number {
  return packUnorm8([x * 0.5 + 0.5, y * 0.5 + 0.5, z * 0.5 + 0.5, wind]);
}

export function unpackNormalWind(word: number, out: Float64Array | number[], at = 0): void {
  unpackUnorm8(word, out, at);
  for (let c = 0; c < 3; c++) out[at + c] = out[at + c]! * 2 - 1;
}

/** The packed layout's 8-bit tangent: all four components in [−1, 1]. */
export function packTangent8(x: number, y: number, z: number, handedness: number): number {
  return packUnorm8([x, y, z, handedness].map((e) => e * 0.5 + 0.5));
}

export function unpackTangent8(word: number, out: Float64Array | number[], at = 0): void {
  unpackUnorm8(word, out, at);
  for (let c = 0; c < 4; c++) out[at + c] = out[at + c]! * 2 - 1;
}

/** IEEE binary16 from a number, ties to even, as WGSL pack2x16float stores it. */
export function packHalf(value: number): number {
  scratchFloat[0] = value;
  const bits = scratchWord[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x7f800000) return sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (magnitude >= 0x477ff000) return sign | 0x7bff; // too large: clamped, since WGSL leaves overflow undefined
  if (magnitude < 0x38800000) return sign | roundEven(Math.abs(Math.fround(value)) * 2 ** 24);
  const rounded = magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1);
  return sign | (rounded >>> 13);
}

export function unpackHalf(code: number): number {
  const exponent = (code >>> 10) & 31;
  const fraction = code & 0x3ff;
  const sign = code & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

const scratchFloat = new Float32Array(1);
const scratchWord = new Uint32Array(scratchFloat.buffer);

function roundHalfUp(value: number): number {
  return Math.floor(value + 0.5);
}

export function roundEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}
