import type { GltfJson } from './file.ts';
import { pointer } from './issue-list.ts';
import { meshoptOf } from './schema.ts';

/** The bytes of every buffer view that EXT_ or KHR_meshopt_compression compresses, decoded. Errors go to `issues`. */
export async function decodeMeshoptViews(
  { json, issues }: GltfJson,
  buffers: readonly (Uint8Array | undefined)[],
): Promise<Map<number, Uint8Array>> {
  const decoded = new Map<number, Uint8Array>();
  if (!json.bufferViews?.some(meshoptOf)) return decoded;
  const { MeshoptDecoder } = await import('meshoptimizer/decoder');
  await MeshoptDecoder.ready;
  json.bufferViews.forEach((view, i) => {
    const meshopt = meshoptOf(view);
    if (!meshopt) return;
    const { byteOffset = 0, byteLength, byteStride, count, mode, filter = 'NONE' } = meshopt;
    const source = buffers[meshopt.buffer]!.subarray(byteOffset, byteOffset + byteLength);
    const target = new Uint8Array(count * byteStride);
    try {
      MeshoptDecoder.decodeGltfBuffer(target, count, byteStride, source, mode, filter);
      decoded.set(i, target);
    } catch (thrown) {
      issues.error('GLTF_DECODE_FAILED', pointer('bufferViews', i), `meshopt: ${String(thrown)}`, 'Export it again.');
    }
  });
  return decoded;
}
