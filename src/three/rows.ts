import type { Node, StorageBufferAttribute } from 'three/webgpu';
import { bitcast, storage, uint } from 'three/tsl';
import type { Fields, Struct } from '../layout/index.ts';

/** One row of structs in a storage buffer, read field by field. */
export interface RowNode<F extends Fields> {
  /** One number as raw bits. */
  word(field: keyof F & string): Node<'uint'>;
  /** The 16 bytes that begin with a field. For a vec3f this includes the next word. */
  quad(field: keyof F & string): Node<'uvec4'>;
}

const COMPONENTS = ['x', 'y', 'z', 'w'] as const;

/** Reads storage as rows of a struct, in units of 16 bytes. Field offsets are from the struct's schema. */
export function readRows<F extends Fields>(
  attribute: StorageBufferAttribute,
  struct: Struct<F>,
): (row: Node<'uint'>) => RowNode<F> {
  const quads = quadsOf(attribute);
  const stride = struct.size / 16;
  return (row) => {
    const first = row.mul(uint(stride)).toVar();
    const quadAt = (field: keyof F & string) => quads(first.add(uint(struct.offsets[field] >> 4)));
    return {
      word: (field) => quadAt(field)[COMPONENTS[(struct.offsets[field] >> 2) & 3]!],
      quad: quadAt,
    };
  };
}

/** Reads storage in units of 16 bytes. */
export function quadsOf(attribute: StorageBufferAttribute): (row: Node<'uint'>) => Node<'uvec4'> {
  const node = storage(attribute, 'uvec4', 0).toReadOnly();
  return (row) => node.element(row) as unknown as Node<'uvec4'>;
}

/** Reads storage as words. */
export function wordsOf(attribute: StorageBufferAttribute): (index: Node<'uint'>) => Node<'uint'> {
  const node = storage(attribute, 'uint', 0).toReadOnly();
  return (index) => node.element(index) as unknown as Node<'uint'>;
}

/** Reinterprets four words as floats. */
export const asFloats = (quad: Node): Node<'vec4'> => bitcast(quad, 'vec4') as unknown as Node<'vec4'>;

/** Reinterprets a word as a float. */
export const asFloat = (word: Node): Node<'float'> => bitcast(word, 'float') as unknown as Node<'float'>;
