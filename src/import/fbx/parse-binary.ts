import { type IssueList, refuse } from '../model-builder/issue-list.ts';
import { type Budget, ELEMENT_BYTES, type ElementType, FbxNode, type FbxValue, PackedArray } from './node.ts';

const MAGIC = 'Kaydara FBX Binary  \0';
/** Offset of the version, which follows the magic and two more bytes. */
const VERSION_AT = 23;
/** Files of this version and later have 64-bit offsets. */
const WIDE_VERSION = 7500;
/** Records below each other. Files of exporters have up to 6. */
export const MAX_DEPTH = 64;

export function isBinary(bytes: Uint8Array): boolean {
  return Array.from(MAGIC).every((letter, i) => bytes[i] === letter.charCodeAt(0));
}

/** Reads the records of a binary file. @throws ManipleError FILE_TRUNCATED, FBX_INVALID, FBX_VERSION, FBX_LIMIT */
export function parseBinary(bytes: Uint8Array, budget: Budget, issues: IssueList): { root: FbxNode; version: number } {
  if (bytes.length < VERSION_AT + 4) truncated(bytes.length, 'its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(VERSION_AT, true);
  checkVersion(version);
  const root = new FbxNode('', []);
  new RecordReader(bytes, view, version >= WIDE_VERSION, budget).readInto(root, VERSION_AT + 4, Infinity, 0);
  if (!root.child('Objects')) issues.error('FBX_INVALID', '', 'the file has no Objects');
  return { root, version };
}

/** @throws ManipleError FBX_VERSION unless it is 7.x */
export function checkVersion(version: number): void {
  if (version >= 7000 && version < 8000) return;
  const message = `the file is FBX ${version / 1000}; versions 7.0 to 7.7 are read`;
  refuse('FBX_VERSION', '', message, 'Save it as FBX 2014 or later, for example with Blender.');
}

function truncated(at: number, what: string): never {
  return refuse('FILE_TRUNCATED', `+${at}`, `the file ends inside ${what}`, 'Download or export it again.');
}

class RecordReader {
  constructor(
    readonly bytes: Uint8Array,
    readonly view: DataView,
    readonly isWide: boolean,
    readonly budget: Budget,
  ) {}

  /**
   * Reads records until one is empty, or up to `end`. Returns where the next byte is.
   *
   * @param end End of the parent; infinite for the file's own records, which an empty one must end.
   */
  readInto(parent: FbxNode, start: number, end: number, depth: number): number {
    if (depth > MAX_DEPTH) {
      const message = `records are nested deeper than ${MAX_DEPTH}`;
      refuse('FBX_LIMIT', `+${start}`, message, 'Export it again.');
    }
    const headerBytes = this.isWide ? 25 : 13;
    let at = start;
    while (at < end) {
      this.#need(at, headerBytes, 'a record');
      const [endOffset, count, listBytes] = [0, 1, 2].map((field) => this.#size(at, field)) as [number, number, number];
      const nameLength = this.bytes[at + headerBytes - 1]!;
      const nameAt = at + headerBytes;
      if (endOffset === 0) return nameAt;
      const listEnd = nameAt + nameLength + listBytes;
      if (endOffset > this.bytes.length) truncated(this.bytes.length, `the record at ${at}`);
      if (listEnd > endOffset || endOffset > end) this.#broken(at, 'its parts do not fit into it');
      const name = textOf(this.bytes.subarray(nameAt, nameAt + nameLength));
      const values = this.#values(nameAt + nameLength, listEnd, count);
      this.budget.addNode(values.length);
      const node = new FbxNode(name, values);
      parent.add(node);
      if (listEnd < endOffset) this.readInto(node, listEnd, endOffset, depth + 1);
      at = endOffset;
    }
    return at;
  }

  #size(at: number, field: number): number {
    if (!this.isWide) return this.view.getUint32(at + 4 * field, true);
    const [low, high] = [this.view.getUint32(at + 8 * field, true), this.view.getUint32(at + 8 * field + 4, true)];
    return high * 2 ** 32 + low;
  }

  #need(at: number, count: number, what: string): void {
    if (at + count > this.bytes.length) truncated(this.bytes.length, what);
  }

  #broken(at: number, why: string): never {
    return refuse('FBX_INVALID', `+${at}`, `the record cannot be read: ${why}`, 'Export it again.');
  }

  #values(start: number, end: number, count: number): FbxValue[] {
    const values: FbxValue[] = [];
    let at = start;
    for (let i = 0; i < count; i++) {
      if (at >= end) this.#broken(start, `it has ${i} values, ${count} are declared`);
      const letter = String.fromCharCode(this.bytes[at]!);
      const next = this.#valueEnd(letter, at + 1, end);
      if (next > end) this.#broken(at, 'a value reaches beyond it');
      values.push(this.#value(letter, at + 1, next));
      at = next;
    }
    if (at !== end) this.#broken(start, `its values end ${end - at} bytes early`);
    return values;
  }

  /** Where the value of a type ends that begins at `at`. */
  #valueEnd(letter: string, at: number, end: number): number {
    const size = SCALAR_BYTES[letter];
    if (size !== undefined) return at + size;
    const isText = letter === 'S' || letter === 'R';
    const header = isText ? 4 : 12;
    if (!isText && !(letter in ARRAY_TYPES)) this.#broken(at - 1, `${JSON.stringify(letter)} is not a type of values`);
    if (at + header > end) return Infinity;
    return at + header + this.view.getUint32(at + header - 4, true);
  }

  #value(letter: string, at: number, end: number): FbxValue {
    const { view } = this;
    switch (letter) {
      case 'C':
      case 'B':
        return view.getUint8(at);
      case 'Y':
        return view.getInt16(at, true);
      case 'I':
        return view.getInt32(at, true);
      case 'F':
        return view.getFloat32(at, true);
      case 'D':
        return view.getFloat64(at, true);
      case 'L': {
        const wide = view.getBigInt64(at, true);
        const value = Number(wide);
        return Number.isSafeInteger(value) ? value : wide;
      }
      case 'S':
        return textOf(this.bytes.subarray(at + 4, end));
      case 'R':
        return this.bytes.subarray(at + 4, end);
      default:
        return this.#array(ARRAY_TYPES[letter]!, at, end);
    }
  }

  #array(type: ElementType, at: number, end: number): PackedArray {
    const length = this.view.getUint32(at, true);
    const encoding = this.view.getUint32(at + 4, true);
    const packed = this.bytes.subarray(at + 12, end);
    if (encoding > 1) this.#broken(at, `an array has the encoding ${encoding}, known are 0 and 1`);
    if (encoding === 0 && packed.length !== length * ELEMENT_BYTES[type]) {
      this.#broken(at, `an array of ${length} numbers has ${packed.length} bytes`);
    }
    return new PackedArray(type, length, packed, encoding === 1, `+${at}`, this.budget);
  }
}

const SCALAR_BYTES: Readonly<Record<string, number>> = { C: 1, B: 1, Y: 2, I: 4, F: 4, D: 8, L: 8 };
const ARRAY_TYPES: Readonly<Record<string, ElementType>> = { f: 'f', d: 'd', i: 'i', l: 'l', b: 'b', c: 'b' };

const decoder = new TextDecoder();

function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
