import { clamp, octahedral, packHalf, packOctahedral, packTangent, roundEven } from '../../math/packing.ts';
import {
  CHANNEL_TANGENT,
  FORMAT_BIASED8,
  FORMAT_FLOAT16,
  FORMAT_FLOAT32,
  FORMAT_OCTAHEDRAL16,
  FORMAT_OCTAHEDRAL8,
  FORMAT_SNORM16,
  FORMAT_SNORM8,
  FORMAT_UNORM16,
  FORMAT_UNORM8,
  componentBytes,
} from '../../vertex/vertex-format.ts';

/**
 * Writes one vertex's element at a byte: the inverse of `loadComponents` and similar functions. Rounds to nearest, and
 * clamps.
 */
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
    for (let c = 0; c < values.length; c++)
      encodeComponent(bytes, byte + c * componentBytes(format), format, values[c]!);
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
