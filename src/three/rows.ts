import { type Node, StorageBufferAttribute, type Texture } from 'three/webgpu';
import { bitcast, ivec2, select, storage, textureLoad, uint } from 'three/tsl';
import { TEXEL_ROW_BYTES } from '../frame/tables/texel-rows.ts';
import type { Fields, Struct } from '../layout/index.ts';

/** One row of structs in a table, read field by field. */
export interface RowNode<F extends Fields> {
  /** One number as raw bits. */
  word(field: keyof F & string): Node<'uint'>;
  /** The 16 bytes that begin with a field. For a vec3f this includes the next word. */
  quad(field: keyof F & string): Node<'uvec4'>;
}

/** Texels in a row of a table's texture, and their binary logarithm. */
export const TEXELS_PER_ROW: number = TEXEL_ROW_BYTES / 16;
export const TEXEL_SHIFT: number = Math.log2(TEXELS_PER_ROW);

/**
 * A table in a texture of format RGBA32UI, `TEXELS_PER_ROW` texels wide. Each texel is 16 bytes of the table, as a buffer
 * would have them. Tables may share a texture.
 */
export interface TexelTable {
  readonly texture: Texture;
  /** Texel of the table's first row. */
  readonly firstTexel: number;
}

/** A table that shaders read: a storage buffer, or texels with the same bytes. */
export type Table = StorageBufferAttribute | TexelTable;

const COMPONENTS = ['x', 'y', 'z', 'w'] as const;

/** Reads a table as rows of a struct, in units of 16 bytes. Field offsets are from the struct's schema. */
export function readRows<F extends Fields>(table: Table, struct: Struct<F>): (row: Node<'uint'>) => RowNode<F> {
  const quads = quadsOf(table);
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

/** Reads a table in units of 16 bytes. Call the result inside an `Fn`. */
export function quadsOf(table: Table): (row: Node<'uint'>) => Node<'uvec4'> {
  if (table instanceof StorageBufferAttribute) {
    const node = storage(table, 'uvec4', 0).toReadOnly();
    return (row) => node.element(row) as unknown as Node<'uvec4'>;
  }
  const { texture, firstTexel } = table;
  return (row) => {
    const texel = firstTexel === 0 ? row : row.add(uint(firstTexel)).toVar();
    const column = texel.bitAnd(uint(TEXELS_PER_ROW - 1)).toInt();
    return textureLoad(texture, ivec2(column, texel.shiftRight(uint(TEXEL_SHIFT)).toInt())) as unknown as Node<'uvec4'>;
  };
}

/** Reads a table of pairs of words. Call the result inside an `Fn`. */
export function pairsOf(table: Table): (row: Node<'uint'>) => Node<'uvec2'> {
  if (table instanceof StorageBufferAttribute) {
    const node = storage(table, 'uvec2', 0).toReadOnly();
    return (row) => node.element(row) as unknown as Node<'uvec2'>;
  }
  const quads = quadsOf(table);
  return (row) => {
    const quad = quads(row.shiftRight(uint(1))).toVar();
    return select(row.bitAnd(uint(1)).equal(uint(0)), quad.xy, quad.zw) as unknown as Node<'uvec2'>;
  };
}

/** One of four words. */
export function component(quad: Node<'uvec4'>, index: Node<'uint'>): Node<'uint'> {
  const { x, y, z, w } = quad;
  const is = (i: number) => index.equal(uint(i));
  return select(is(0), x, select(is(1), y, select(is(2), z, w))) as unknown as Node<'uint'>;
}

/** Reads a table as words. Call the result inside an `Fn`. */
export function wordsOf(table: Table): (index: Node<'uint'>) => Node<'uint'> {
  if (!(table instanceof StorageBufferAttribute)) {
    const quads = quadsOf(table);
    return (index) => component(quads(index.shiftRight(uint(2))).toVar(), index.bitAnd(uint(3)).toVar());
  }
  const node = storage(table, 'uint', 0).toReadOnly();
  return (index) => node.element(index) as unknown as Node<'uint'>;
}

/** Reinterprets four words as floats. */
export const asFloats = (quad: Node): Node<'vec4'> => bitcast(quad, 'vec4') as unknown as Node<'vec4'>;

/** Reinterprets a word as a float. */
export const asFloat = (word: Node): Node<'float'> => bitcast(word, 'float') as unknown as Node<'float'>;
