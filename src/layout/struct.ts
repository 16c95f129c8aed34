/**
 * One definition of a struct gives its WGSL text, its byte offsets and typed views of it, by WGSL's layout rules
 * (WGSL §14.4.1, "Alignment and Size"). No offset is counted by hand anywhere in Maniple.
 */

const PRIMITIVES = {
  f32: { size: 4, align: 4, words: 'f', count: 1 },
  i32: { size: 4, align: 4, words: 'i', count: 1 },
  u32: { size: 4, align: 4, words: 'u', count: 1 },
  'atomic<u32>': { size: 4, align: 4, words: 'u', count: 1 },
  'atomic<vec2u>': { size: 8, align: 8, words: 'u', count: 2 },
  vec2f: { size: 8, align: 8, words: 'f', count: 2 },
  vec2u: { size: 8, align: 8, words: 'u', count: 2 },
  vec3f: { size: 12, align: 16, words: 'f', count: 3 },
  vec3u: { size: 12, align: 16, words: 'u', count: 3 },
  vec4f: { size: 16, align: 16, words: 'f', count: 4 },
  vec4u: { size: 16, align: 16, words: 'u', count: 4 },
  /** Three rows of a 3 × 4 matrix, of math/affine.wesl. */
  Affine: { size: 48, align: 16, words: 'f', count: 12 },
  mat4x4f: { size: 64, align: 16, words: 'f', count: 16 },
} as const;

export type Primitive = keyof typeof PRIMITIVES;
/** A primitive, a struct, or a fixed-size array of either: `['vec4f', 8]`. */
export type Field = Primitive | Struct | readonly [Primitive | Struct, number];
export type Fields = Readonly<Record<string, Field>>;

export interface Struct<F extends Fields = Fields> {
  readonly name: string;
  readonly fields: F;
  /** Bytes, rounded up to the alignment: the stride in an array. */
  readonly size: number;
  readonly align: number;
  /** Byte offset of every field. */
  readonly offsets: { readonly [K in keyof F]: number };
  /** `struct Name { … }` */
  readonly wgsl: string;
}

/**
 * Defines a struct. Fields keep their order. Padding follows WGSL's rules. Layouts mark calls as `@__PURE__`, so that
 * bundles drop structs that only shaders use.
 */
export function struct<const F extends Fields>(name: string, fields: F): Struct<F> {
  const offsets: Record<string, number> = {};
  const lines: string[] = [];
  let end = 0;
  let align = 4;
  for (const [key, field] of Object.entries(fields)) {
    const measure = measureField(field);
    end = roundUp(end, measure.align);
    offsets[key] = end;
    end += measure.size;
    align = Math.max(align, measure.align);
    lines.push(`  ${key}: ${measure.wgsl},`);
  }
  const wgsl = `struct ${name} {\n${lines.join('\n')}\n}`;
  return { name, fields, size: roundUp(end, align), align, offsets: offsets as Struct<F>['offsets'], wgsl };
}

interface Measure {
  readonly size: number;
  readonly align: number;
  readonly wgsl: string;
}

export function measureField(field: Field): Measure {
  if (typeof field === 'string') return { ...PRIMITIVES[field], wgsl: field };
  if (isStruct(field)) return { size: field.size, align: field.align, wgsl: field.name };
  const [element, count] = field;
  const measure = measureField(element);
  const stride = roundUp(measure.size, measure.align);
  return { size: stride * count, align: measure.align, wgsl: `array<${measure.wgsl}, ${count}>` };
}

export function isStruct(field: Field): field is Struct {
  return typeof field === 'object' && 'fields' in field;
}

/** Offsets of fields in words, for loops that read records without a `View`: `words[at + MOTION.weight]`. */
export function wordOffsets<F extends Fields>({
  offsets,
  size,
}: Struct<F>): {
  readonly [K in keyof F]: number;
} & { readonly SIZE: number } {
  const words = Object.entries<number>(offsets).map(([key, offset]) => [key, offset / 4]);
  return { ...Object.fromEntries(words), SIZE: size / 4 };
}

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

type Value<T> = T extends 'f32' | 'i32' | 'u32' ? number : T extends Primitive ? ArrayLike<number> : never;
type PrimitiveKeys<F extends Fields> = { [K in keyof F]: F[K] extends Primitive ? K : never }[keyof F] & string;

/**
 * Reads and writes rows of a struct in a buffer: `view.set(row, 'position', [x, y, z])`, `view.get(row, 'weight')`.
 * Primitive fields only; `words` gives raw access for hot loops.
 */
export class View<F extends Fields> {
  readonly count: number;
  readonly floats: Float32Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly ints: Int32Array<ArrayBuffer>;

  constructor(
    readonly struct: Struct<F>,
    /** A row count for a new, zeroed buffer, or an existing buffer. */
    source: number | ArrayBuffer,
    byteOffset = 0,
    count?: number,
  ) {
    const buffer = typeof source === 'number' ? new ArrayBuffer(source * struct.size) : source;
    this.count = count ?? Math.floor((buffer.byteLength - byteOffset) / struct.size);
    const words = (this.count * struct.size) / 4;
    this.floats = new Float32Array(buffer, byteOffset, words);
    this.words = new Uint32Array(buffer, byteOffset, words);
    this.ints = new Int32Array(buffer, byteOffset, words);
  }

  get<K extends PrimitiveKeys<F>>(row: number, key: K): F[K] extends 'f32' | 'i32' | 'u32' ? number : number[];
  get(row: number, key: string): number | number[] {
    const { array, at, count } = this.#locate(row, key);
    return count === 1 ? array[at]! : Array.from(array.subarray(at, at + count));
  }

  set<K extends PrimitiveKeys<F>>(row: number, key: K, value: Value<F[K]>): void;
  set(row: number, key: string, value: number | ArrayLike<number>): void {
    const { array, at, count } = this.#locate(row, key);
    if (typeof value === 'number') array[at] = value;
    else for (let c = 0; c < count; c++) array[at + c] = value[c]!;
  }

  assign(row: number, values: { readonly [K in PrimitiveKeys<F>]?: Value<F[K]> }): void {
    for (const key of Object.keys(values)) this.set(row, key as never, values[key as never]);
  }

  #locate(row: number, key: string): { array: Float32Array | Uint32Array | Int32Array; at: number; count: number } {
    const primitive = PRIMITIVES[this.struct.fields[key] as Primitive];
    const array = primitive.words === 'f' ? this.floats : primitive.words === 'u' ? this.words : this.ints;
    return { array, at: (row * this.struct.size + this.struct.offsets[key]!) / 4, count: primitive.count };
  }
}
