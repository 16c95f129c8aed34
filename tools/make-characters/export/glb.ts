/** The parts of a glTF file that the exporter touches after it has been written. */
interface GltfJson {
  readonly animations?: { readonly samplers: { interpolation?: string }[] }[];
  readonly accessors?: { byteOffset?: number; normalized?: boolean }[];
}

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

export function unpackGlb(bytes: Uint8Array): { json: GltfJson; binary: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const jsonBytes = view.getUint32(HEADER_BYTES, true);
  const jsonStart = HEADER_BYTES + CHUNK_HEADER_BYTES;
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(jsonStart, jsonStart + jsonBytes))) as GltfJson;
  return { json, binary: bytes.subarray(jsonStart + jsonBytes + CHUNK_HEADER_BYTES) };
}

export function packGlb(json: GltfJson, binary: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const jsonBytes = Math.ceil(text.length / 4) * 4;
  const size = HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + jsonBytes + binary.length;
  const out = new Uint8Array(size).fill(0x20, HEADER_BYTES, size - binary.length);
  const view = new DataView(out.buffer);
  const jsonStart = HEADER_BYTES + CHUNK_HEADER_BYTES;
  [MAGIC, 2, size, jsonBytes, JSON_CHUNK].forEach((word, i) => view.setUint32(i * 4, word, true));
  out.set(text, jsonStart);
  view.setUint32(jsonStart + jsonBytes, binary.length, true);
  view.setUint32(jsonStart + jsonBytes + 4, BINARY_CHUNK, true);
  out.set(binary, jsonStart + jsonBytes + CHUNK_HEADER_BYTES);
  return out;
}
