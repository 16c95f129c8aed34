import type { ImportLimits } from '../gltf/limits.ts';
import { refuse } from '../model-builder/issue-list.ts';
import { inflate } from './inflate.ts';

/** A value of a node. 64-bit integers beyond 2^53 are bigint, so that identifiers stay distinct. */
export type FbxValue = number | bigint | string | Uint8Array | FbxArray;

/** Elements of arrays: 32-bit and 64-bit floats, 32-bit and 64-bit integers, bytes. */
export type ElementType = 'f' | 'd' | 'i' | 'l' | 'b';

export const ELEMENT_BYTES: Readonly<Record<ElementType, number>> = { f: 4, d: 8, i: 4, l: 8, b: 1 };

/** Numbers of a node, decoded when they are asked for. */
export interface FbxArray {
  readonly length: number;
  /** The numbers in double precision. Integers beyond 2^53 lose their last bits. */
  decode(): Float64Array;
}

/** The cost of a file: counts of everything read so far, against the limits of the import. */
export class Budget {
  #nodes = 0;
  #values = 0;
  #bytes = 0;

  constructor(readonly limits: ImportLimits) {}

  addNode(values: number): void {
    this.#nodes++;
    this.#values += values;
    // every node has a name and lists, which cost as much as some values
    const total = 8 * this.#nodes + this.#values;
    if (total > this.limits.jsonValues) this.over('nodes and values', total, this.limits.jsonValues);
  }

  /** Counts memory before it is allocated. */
  addBytes(bytes: number): void {
    this.#bytes += bytes;
    if (!(this.#bytes <= this.limits.decodedBytes)) this.over('bytes of arrays', this.#bytes, this.limits.decodedBytes);
  }

  over(what: string, value: number, limit: number): never {
    const suggestion = 'Simplify the model, split it, or raise `limits`.';
    return refuse('FBX_LIMIT', '', `the file has ${value} ${what}, the limit is ${limit}`, suggestion);
  }
}

const NO_CHILDREN: readonly FbxNode[] = [];

/** A record of an FBX file: a name, values and further records. */
export class FbxNode {
  #children: FbxNode[] | undefined;

  constructor(
    readonly name: string,
    readonly values: readonly FbxValue[],
  ) {}

  get children(): readonly FbxNode[] {
    return this.#children ?? NO_CHILDREN;
  }

  add(child: FbxNode): void {
    this.#children ??= [];
    this.#children.push(child);
  }

  child(name: string): FbxNode | undefined {
    return this.children.find((child) => child.name === name);
  }

  childrenNamed(name: string): FbxNode[] {
    return this.children.filter((child) => child.name === name);
  }

  /** A value as text; undefined for other values. */
  text(index: number): string | undefined {
    const value = this.values[index];
    return typeof value === 'string' ? value : undefined;
  }

  /** A value as a number; undefined for other values. */
  number(index: number): number | undefined {
    const value = this.values[index];
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
  }

  /** The text of a child, if it has one. */
  childText(name: string): string | undefined {
    return this.child(name)?.text(0);
  }

  /** How many numbers a child has, without decoding them. */
  count(name: string): number {
    const values = this.child(name)?.values ?? [];
    const [first] = values;
    return typeof first === 'object' && 'decode' in first ? first.length : values.length;
  }

  /** The array of a child, or its values one by one; empty if it has none. */
  numbers(name: string): Float64Array {
    const values = this.child(name)?.values ?? [];
    const [first] = values;
    if (typeof first === 'object' && 'decode' in first) return first.decode();
    return Float64Array.from(
      values.flatMap((value) => (typeof value === 'number' || typeof value === 'bigint' ? [Number(value)] : [])),
    );
  }
}

/** An array of a binary file, possibly deflated. */
export class PackedArray implements FbxArray {
  constructor(
    readonly type: ElementType,
    readonly length: number,
    readonly packed: Uint8Array,
    readonly isDeflated: boolean,
    readonly place: string,
    readonly budget: Budget,
  ) {}

  decode(): Float64Array {
    const { type, length, place, budget } = this;
    const byteLength = length * ELEMENT_BYTES[type];
    budget.addBytes(byteLength + 8 * length);
    const bytes = this.isDeflated ? inflate(this.packed, byteLength) : this.packed;
    if (typeof bytes === 'string') {
      const message = `an array of ${length} numbers cannot be inflated: ${bytes}`;
      return refuse('FBX_INVALID', place, message, 'Export it again.');
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const out = new Float64Array(length);
    const read = READERS[type];
    for (let i = 0, at = 0; i < length; i++, at += ELEMENT_BYTES[type]) out[i] = read(view, at);
    return out;
  }
}

const READERS: Readonly<Record<ElementType, (view: DataView, at: number) => number>> = {
  f: (view, at) => view.getFloat32(at, true),
  d: (view, at) => view.getFloat64(at, true),
  i: (view, at) => view.getInt32(at, true),
  l: (view, at) => view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true),
  b: (view, at) => view.getUint8(at),
};
