import { Unzlib, unzlibSync } from 'fflate';
import { reasonOf } from '../../errors.ts';

/** Bytes that are inflated at a time. They become at most 17 MB, so a bomb is found before it costs much. */
const PIECE = 16_384;

/**
 * Inflates a zlib stream (RFC 1950, RFC 1951) of known length, at once. The platform's DecompressionStream takes 0.1 to
 * 0.4 ms for each stream, and an FBX file with clips has tens of thousands of short ones.
 *
 * Time and memory are bounded by the lengths of input and output. The checksum is not compared.
 *
 * @returns The bytes, or the reason why they cannot be had.
 */
export function inflate(packed: Uint8Array, length: number): Uint8Array | string {
  if (packed.length < 6) return 'it is not a zlib stream';
  try {
    const bytes = packed.length <= PIECE ? unzlibSync(packed) : inflatePieces(packed, length);
    if (bytes.length > length) return `it has more than the declared ${length} bytes`;
    return bytes.length === length ? bytes : `it has ${bytes.length} bytes, ${length} are declared`;
  } catch (thrown) {
    return reasonOf(thrown);
  }
}

/** Returns one byte more than `length` if there are more. */
function inflatePieces(packed: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length + 1);
  let at = 0;
  const stream = new Unzlib((bytes) => {
    out.set(bytes.subarray(0, out.length - at), at);
    at = Math.min(at + bytes.length, out.length);
  });
  for (let from = 0; from < packed.length; from += PIECE) {
    if (at > length) break;
    stream.push(packed.subarray(from, from + PIECE), from + PIECE >= packed.length);
  }
  return out.subarray(0, at);
}
