import { type GLTF, type JSONDocument, Logger, MathUtils, type TypedArray, WebIO } from '@gltf-transform/core';
import { ManipleError, shortened } from '../../errors.ts';
import { dataDocument } from './data-document.ts';
import { checkDraco, type DracoModule, type DracoPrimitive, limitMemory } from './draco.ts';
import { pointer, refuse } from '../model-builder/issue-list.ts';
import { TYPE_WIDTH } from './layout.ts';
import type { CheckedGltf, GltfJson } from './schema.ts';

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

/** A checked file with its data, as the readers of its parts get it. */
export interface GltfFile extends GltfJson {
  /** The parent of every node, -1 for roots. */
  readonly parents: Int32Array;
  /** The bytes of the buffers that views need, as they were loaded. */
  readonly buffers: readonly (Uint8Array | undefined)[];
  readonly reader: AccessorReader;
}

/** The numbers of a file's accessors, as glTF-Transform decoded them. */
export class AccessorReader {
  /** The array of indices for each accessor with sparse overrides that has not been read yet. */
  readonly #sparseIndices: Map<number, number>;
  readonly #floats = new Map<number, Float32Array>();

  /** `arrays` are in the order of the file's accessors; others that `sparseIndices` names may follow. */
  constructor(
    readonly json: CheckedGltf,
    readonly arrays: readonly TypedArray[],
    sparseIndices: ReadonlyMap<number, number>,
  ) {
    this.#sparseIndices = new Map(sparseIndices);
  }

  definition(index: number): GLTF.IAccessor {
    return this.json.accessors![index]!;
  }

  /**
   * The numbers as they are stored, packed, sparse overrides applied. Shared: not to be written to.
   * @throws ManipleError GLTF_INDEX_OUT_OF_RANGE if a sparse index is past the end
   */
  elements(index: number): TypedArray {
    const indices = this.#sparseIndices.get(index);
    if (indices !== undefined) {
      this.#checkSparse(index, this.arrays[indices]);
      this.#sparseIndices.delete(index);
    }
    return this.arrays[index]!;
  }

  /** The numbers as floats, normalised integers decoded as glTF 2.0 §3.11 says. Shared: not to be written to. */
  floats(index: number): Float32Array {
    const floats = this.#floats.get(index) ?? toFloats(this.elements(index), this.definition(index));
    this.#floats.set(index, floats);
    return floats;
  }

  /** glTF-Transform drops overrides of elements that do not exist. */
  #checkSparse(index: number, indices: TypedArray): void {
    const { count } = this.definition(index);
    for (const at of indices) {
      if (at < count) continue;
      const path = pointer('accessors', index, 'sparse', 'indices');
      refuse('GLTF_INDEX_OUT_OF_RANGE', path, `sparse index ${at} of ${count} elements`);
    }
  }
}

function toFloats(values: TypedArray, { componentType, normalized }: GLTF.IAccessor): Float32Array {
  if (values instanceof Float32Array) return values;
  // glTF has no normalised 32-bit integers
  if (normalized !== true || componentType === 5125) return new Float32Array(values);
  const floats = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) floats[i] = MathUtils.decodeNormalizedInt(values[i], componentType);
  return floats;
}
