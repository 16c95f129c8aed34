const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

/**
 * CRC-32 as in zlib, PNG and Ethernet. Finds every damaged run of up to 32 bits, and all but one in 2³² of the rest.
 * Proves nothing about the author of the bytes.
 *
 * @param before The checksum of the preceding bytes, to continue from.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}
