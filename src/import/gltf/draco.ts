import type { GLTF } from '@gltf-transform/core';
import { listed } from '../../errors.ts';
import { type IssueList, pointer, quote, refuse } from '../model-builder/issue-list.ts';
import { viewBytes } from './resources.ts';
import { type CheckedGltf, extensionOf, type GltfJson } from './schema.ts';
import { isObject } from '../../forms/rules.ts';

/** A primitive under KHR_draco_mesh_compression. */
export interface DracoPrimitive {
  readonly path: string;
  readonly definition: GLTF.IMeshPrimitive;
  /** The view that holds its data. */
  readonly bufferView: number;
  /** By semantic, the id that an attribute has in the data. */
  readonly attributes: Readonly<Record<string, number>>;
}

/** Makes a `draco3dgltf` decoder module. */
export type DracoModule = () => Promise<unknown>;

/** Size of the decoder's heap before it decodes anything, with room for its stack and small allocations. */
const BASE_HEAP_BYTES = 32 * 2 ** 20;
const PAGE_BYTES = 65_536;

/**
 * The primitives under KHR_draco_mesh_compression, checked as far as that can be done without decoding them.
 * @throws ManipleError GLTF_DECODE_FAILED, GLTF_INVALID or GLTF_LIMIT
 */
export function checkDraco(
  { json, limits, issues }: GltfJson,
  buffers: readonly (Uint8Array | undefined)[],
): DracoPrimitive[] {
  const primitives = dracoPrimitives(json);
  if (primitives.length > limits.meshes) {
    const message = `${primitives.length} primitives are Draco-compressed, the limit is ${limits.meshes}`;
    refuse('GLTF_LIMIT', '/meshes', message);
  }
  let triangles = 0;
  let attributes = 0;
  for (const primitive of primitives) {
    triangles += checkPrimitive(primitive, json, viewBytes(json, buffers, primitive.bufferView), issues);
    attributes += Object.keys(primitive.attributes).length;
  }
  const over = (what: string, value: number, limit: number): void => {
    if (value > limit)
      issues.error('GLTF_LIMIT', '/meshes', `Draco data holds ${value} ${what}, the limit is ${limit}`);
  };
  over('triangles', triangles, limits.triangles);
  over('attributes', attributes, limits.accessors);
  issues.throwIfErrors();
  return primitives;
}

/**
 * Limits the memory of the decoder: its heap, and the data that is copied out of it. A small file can declare hundreds
 * of attributes that cost only memory and time. How many points each has is known only while they are decoded. Over
 * the limit decoding fails.
 */
export function limitMemory(module: unknown, decodedBytes: number): unknown {
  if (!isObject(module)) return module;
  limitHeap(module, BASE_HEAP_BYTES + decodedBytes);
  let left = decodedBytes;
  // glTF-Transform asks for room for every array that it is going to copy
  const allocate = (bytes: number): unknown => {
    left -= bytes;
    if (left < 0) throw new RangeError(`more than ${decodedBytes} bytes are decoded`);
    return (module as { _malloc(bytes: number): unknown })._malloc(bytes);
  };
  // not put into the module itself, because its own function would replace it at its first call
  return Object.create(module, { _malloc: { value: allocate } });
}

function limitHeap(module: Record<string, unknown>, bytes: number): void {
  const exported = isObject(module.asm) ? Object.values(module.asm) : [];
  const memory = exported.find((each) => each instanceof WebAssembly.Memory);
  if (!memory) return;
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > bytes) throw new RangeError('the heap may not grow further');
    return grow(pages);
  };
}

function dracoPrimitives(json: CheckedGltf): DracoPrimitive[] {
  return (json.meshes ?? []).flatMap((mesh, m) =>
    mesh.primitives.flatMap((definition, p) => {
      const extension = extensionOf(definition, 'KHR_draco_mesh_compression');
      if (!extension) return [];
      const { bufferView, attributes } = extension as Pick<DracoPrimitive, 'bufferView' | 'attributes'>;
      return [{ path: pointer('meshes', m, 'primitives', p), definition, bufferView, attributes }];
    }),
  );
}

/** Returns how many triangles the data holds. */
function checkPrimitive(
  { path, definition, attributes }: DracoPrimitive,
  json: CheckedGltf,
  data: Uint8Array | undefined,
  issues: IssueList,
): number {
  const invalid = (message: string): void => issues.error('GLTF_INVALID', path, message);
  const accessorOf = (index: number): GLTF.IAccessor => json.accessors![index]!;
  const { indices } = definition;
  const decoded = indices === undefined ? [] : [indices];
  for (const semantic of Object.keys(attributes)) {
    if (Object.hasOwn(definition.attributes, semantic)) decoded.push(definition.attributes[semantic]!);
    else invalid(`Draco compresses ${quote(semantic)}, which is not an attribute of the primitive`);
  }
  for (const index of decoded) {
    // glTF does not define which applies first, and glTF-Transform overrides zeros
    if (accessorOf(index).sparse) invalid(`accessor ${index} is both Draco-compressed and sparse`);
  }
  const counts = new Set(Object.values(definition.attributes).map((index) => accessorOf(index).count));
  if (counts.size > 1) invalid(`the attributes have different counts of vertices: ${listed([...counts].map(String))}`);
  const triangles = data && dracoTriangleCount(data);
  const counted = indices ?? definition.attributes.POSITION;
  const declared = counted === undefined ? 0 : Math.ceil(accessorOf(counted).count / 3);
  if (triangles === undefined) {
    issues.error('GLTF_DECODE_FAILED', path, 'the Draco data is not a mesh of bitstream version 2.2');
  } else if (triangles > declared) {
    invalid(`the Draco data holds ${triangles} triangles, ${declared} are declared`);
  }
  return triangles ?? 0;
}

/**
 * The number of triangles of a Draco mesh, read from its header (bitstream 2.2, the one that glTF allows). It is not
 * decoded for this, because a few bytes can declare billions. Undefined if the data is not such a mesh.
 */
export function dracoTriangleCount(bytes: Uint8Array): number | undefined {
  const cursor = new Cursor(bytes);
  if (String.fromCharCode(...bytes.subarray(0, 5)) !== 'DRACO') return undefined;
  cursor.skip(5);
  const [major, minor, type, method] = [cursor.byte(), cursor.byte(), cursor.byte(), cursor.byte()];
  const flags = cursor.byte() | (cursor.byte() << 8);
  if (major !== 2 || minor !== 2 || type !== 1) return undefined;
  if (flags & METADATA_FLAG) skipMetadata(cursor);
  if (method !== 0) {
    cursor.skip(1); // traversal method
    cursor.varint(); // encoded vertices
  }
  const faces = cursor.varint();
  return cursor.overrun ? undefined : faces;
}

const METADATA_FLAG = 0x8000;

function skipMetadata(cursor: Cursor): void {
  const attributes = cursor.varint();
  for (let i = 0; i < attributes && !cursor.overrun; i++) {
    cursor.varint(); // attribute id
    skipElement(cursor);
  }
  skipElement(cursor);
}

/** Entries, then nested elements; walked with a counter of what is still to come, not by recursion. */
function skipElement(cursor: Cursor): void {
  for (let pending = 1; pending > 0 && !cursor.overrun; pending--) {
    const entries = cursor.varint();
    for (let i = 0; i < entries && !cursor.overrun; i++) {
      cursor.skip(cursor.byte()); // name
      cursor.skip(cursor.varint()); // value
    }
    pending += cursor.varint();
    // a nested element begins with its name
    if (pending > 1) cursor.skip(cursor.byte());
  }
}

/** Reads forward; past the end it returns zeros and remembers it. */
class Cursor {
  #at = 0;

  constructor(readonly bytes: Uint8Array) {}

  get overrun(): boolean {
    return this.#at > this.bytes.length;
  }

  skip(count: number): void {
    this.#at += count;
  }

  byte(): number {
    return this.bytes[this.#at++] ?? 0;
  }

  /** LEB128 of at most 32 bits. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  }
}
