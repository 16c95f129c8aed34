import { type GLTF, MathUtils, type TypedArray } from '@gltf-transform/core';
import { pointer, refuse } from '../model-builder/issue-list.ts';
import type { CheckedGltf, GltfJson } from './schema.ts';

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
