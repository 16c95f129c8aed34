import { type JSONDocument, Logger, type TypedArray, WebIO } from '@gltf-transform/core';
import { ManipleError, shortened } from '../../errors.ts';
import { AccessorReader } from './accessors.ts';
import { dataDocument } from './data-document.ts';
import { checkDraco, type DracoModule, type DracoPrimitive, limitMemory } from './draco.ts';
import { pointer, refuse } from '../model-builder/issue-list.ts';
import { TYPE_WIDTH } from './layout.ts';
import type { GltfJson } from './schema.ts';

/**
 * Has all accessors of a checked file read by glTF-Transform: plain, interleaved, sparse, meshopt- and
 * Draco-compressed. @throws ManipleError GLTF_DECODE_FAILED, GLTF_INVALID or GLTF_LIMIT
 */
export async function decodeAccessors(
  file: GltfJson,
  buffers: readonly (Uint8Array | undefined)[],
  createDraco: DracoModule,
): Promise<AccessorReader> {
  const { json } = file;
  const primitives = checkDraco(file, buffers);
  const { document, compressedViews, sparseIndices } = dataDocument(json, buffers, primitives);
  const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT));
  if (compressedViews.length > 0) await registerMeshopt(io, compressedViews);
  if (primitives.length > 0) await registerDraco(io, createDraco, file.limits.decodedBytes);
  const arrays = await readArrays(io, document, primitives);
  json.accessors?.forEach(({ type, count }, i) => {
    const length = arrays[i]?.length ?? 0;
    if (length === count * TYPE_WIDTH[type]) return;
    const message = `${length} numbers were decoded, the accessor declares ${count} × ${type}`;
    refuse('GLTF_DECODE_FAILED', pointer('accessors', i), message);
  });
  return new AccessorReader(json, arrays, sparseIndices);
}

/** Only the arrays leave: the graph that glTF-Transform makes around them is several times their size. */
async function readArrays(
  io: WebIO,
  document: JSONDocument,
  primitives: readonly DracoPrimitive[],
): Promise<(TypedArray | null)[]> {
  try {
    const read = await io.readJSON(document);
    return read.getRoot().listAccessors().map((accessor) => accessor.getArray()); // prettier-ignore
  } catch (thrown) {
    if (thrown instanceof ManipleError || primitives.length === 0) throw thrown;
    const message = `the Draco data is damaged, or unfolds into more than is allowed (${shortened(String(thrown))})`;
    return refuse('GLTF_DECODE_FAILED', primitives[0]!.path, message, 'Export it again.');
  }
}

async function registerMeshopt(io: WebIO, compressedViews: readonly number[]): Promise<void> {
  const [{ EXTMeshoptCompression }, { MeshoptDecoder }] = await Promise.all([
    import('@gltf-transform/extensions'),
    import('meshoptimizer/decoder'),
  ]);
  await MeshoptDecoder.ready;
  let decoded = 0;
  const decoder: Pick<typeof MeshoptDecoder, 'supported' | 'decodeGltfBuffer'> = {
    supported: MeshoptDecoder.supported,
    // says which view cannot be decoded
    decodeGltfBuffer: (...view) => {
      const index = compressedViews[decoded++]!;
      try {
        MeshoptDecoder.decodeGltfBuffer(...view);
      } catch (thrown) {
        const message = `meshopt: ${shortened(String(thrown))}`;
        refuse('GLTF_DECODE_FAILED', pointer('bufferViews', index), message, 'Export it again.');
      }
    },
  };
  io.registerExtensions([EXTMeshoptCompression]).registerDependencies({ 'meshopt.decoder': decoder });
}

async function registerDraco(io: WebIO, createDraco: DracoModule, decodedBytes: number): Promise<void> {
  const [{ KHRDracoMeshCompression }, module] = await Promise.all([
    import('@gltf-transform/extensions'),
    createDraco(),
  ]);
  const decoder = limitMemory(module, decodedBytes);
  io.registerExtensions([KHRDracoMeshCompression]).registerDependencies({ 'draco3d.decoder': decoder });
}
