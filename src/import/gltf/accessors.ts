import type { GLTF } from '@gltf-transform/core';
import { pointer, refuse } from './issue-list.ts';
import { componentBytes, elementBytes, TYPE_WIDTH } from './layout.ts';
import type { CheckedGltf } from './schema.ts';

export type TypedArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Uint32Array | Float32Array;

/** An accessor's numbers, packed, without sparse overrides left to apply. Not to be written to: it may be the file. */
export interface Elements {
  readonly values: TypedArray;
  /** Numbers per element. */
  readonly width: number;
  readonly count: number;
  readonly normalized: boolean;
}

/**
 * Reads accessors straight from their buffer views. `checkLayout` has made sure that every run lies in its view.
 *
 * glTF-Transform would do this too, but it makes several graph objects per accessor, 25 to 30 µs each: half a second
 * for a character with 76 clips, where this takes milliseconds. A test holds the two against each other.
 */
export class AccessorReader {
  readonly #json: CheckedGltf;
  readonly #viewBytes: (viewIndex: number) => Uint8Array;
  /** Accessors that do not stand in a view: what Draco decoded. */
  readonly #decoded: ReadonlyMap<number, Elements>;
  readonly #floats = new Map<number, Float32Array>();

  constructor(
    json: CheckedGltf,
    viewBytes: (viewIndex: number) => Uint8Array,
    decoded: ReadonlyMap<number, Elements> = new Map(),
  ) {
    this.#json = json;
    this.#viewBytes = viewBytes;
    this.#decoded = decoded;
  }

  /** The bytes of a buffer view, decompressed. @throws ManipleError GLTF_RESOURCE_MISSING if it has no data */
  view(index: number): Uint8Array {
    return this.#viewBytes(index);
  }

  definition(index: number): GLTF.IAccessor {
    return this.#json.accessors![index]!;
  }

  /** @throws ManipleError GLTF_INDEX_OUT_OF_RANGE if a sparse index is past the end */
  elements(index: number): Elements {
    const accessor = this.definition(index);
    const width = TYPE_WIDTH[accessor.type];
    const decoded = this.#decoded.get(index);
    const count = decoded?.count ?? accessor.count;
    let values = decoded?.values ?? this.#base(accessor, width);
    if (accessor.sparse) values = this.#override(values, accessor, accessor.sparse, index);
    return { values, width, count, normalized: accessor.normalized === true };
  }

  /** The numbers as floats, normalised integers decoded as glTF 2.0 §3.11 says. Shared: not to be written to. */
  floats(index: number): Float32Array {
    let floats = this.#floats.get(index);
    if (!floats) {
      const { values, normalized } = this.elements(index);
      floats = toFloats(values, normalized);
      this.#floats.set(index, floats);
    }
    return floats;
  }

  #base(accessor: GLTF.IAccessor, width: number): TypedArray {
    if (accessor.bufferView === undefined) {
      const zeros = new ArrayBuffer(accessor.count * elementBytes(accessor));
      return typed(accessor.componentType, zeros, 0, accessor.count * width);
    }
    const { bufferView, byteOffset = 0, count } = accessor;
    return this.#run(bufferView, { byteOffset, count, width, componentType: accessor.componentType });
  }

  #run(
    viewIndex: number,
    run: { byteOffset: number; count: number; width: number; componentType: number },
  ): TypedArray {
    const view = this.#viewBytes(viewIndex);
    const size = componentBytes(run.componentType);
    const bytes = run.width * size;
    const stride = this.#json.bufferViews![viewIndex]!.byteStride || bytes;
    const start = view.byteOffset + run.byteOffset;
    if (stride === bytes && start % size === 0) {
      return typed(run.componentType, view.buffer as ArrayBuffer, start, run.count * run.width);
    }
    const packed = new Uint8Array(run.count * bytes);
    for (let i = 0; i < run.count; i++) {
      const from = run.byteOffset + i * stride;
      for (let b = 0; b < bytes; b++) packed[i * bytes + b] = view[from + b]!;
    }
    return typed(run.componentType, packed.buffer, 0, run.count * run.width);
  }

  #override(base: TypedArray, accessor: GLTF.IAccessor, sparse: GLTF.IAccessorSparse, index: number): TypedArray {
    const width = TYPE_WIDTH[accessor.type];
    const { count } = sparse;
    const { bufferView, byteOffset = 0, componentType } = sparse.indices;
    const indices = this.#run(bufferView, { byteOffset, count, width: 1, componentType });
    const overrides = this.#run(sparse.values.bufferView, {
      byteOffset: sparse.values.byteOffset ?? 0,
      count,
      width,
      componentType: accessor.componentType,
    });
    const values = base.slice();
    for (let i = 0; i < count; i++) {
      const at = indices[i]!;
      if (at * width >= values.length) {
        const path = pointer('accessors', index, 'sparse', 'indices');
        refuse('GLTF_INDEX_OUT_OF_RANGE', path, `sparse index ${at} of ${values.length / width} elements`);
      }
      for (let c = 0; c < width; c++) values[at * width + c] = overrides[i * width + c]!;
    }
    return values;
  }
}

function typed(componentType: number, buffer: ArrayBuffer, byteOffset: number, length: number): TypedArray {
  switch (componentType) {
    case 5120:
      return new Int8Array(buffer, byteOffset, length);
    case 5121:
      return new Uint8Array(buffer, byteOffset, length);
    case 5122:
      return new Int16Array(buffer, byteOffset, length);
    case 5123:
      return new Uint16Array(buffer, byteOffset, length);
    case 5125:
      return new Uint32Array(buffer, byteOffset, length);
    default:
      return new Float32Array(buffer, byteOffset, length);
  }
}

function toFloats(values: TypedArray, normalized: boolean): Float32Array {
  if (values instanceof Float32Array) return values;
  if (!normalized || values instanceof Uint32Array) return new Float32Array(values);
  const signed = values instanceof Int8Array || values instanceof Int16Array;
  const most = 2 ** (8 * values.BYTES_PER_ELEMENT - (signed ? 1 : 0)) - 1;
  const floats = new Float32Array(values.length);
  // the most negative integer has no positive twin and stands for -1 as well
  for (let i = 0; i < values.length; i++) floats[i] = Math.max(values[i]! / most, -1);
  return floats;
}
