import { fail } from '../errors.ts';
import { placeOf } from '../frame/tables/cull-results.ts';
import { unpackVertices } from '../frame/tables/unpack-vertices.ts';
import { struct, View, type Struct } from '../layout/index.ts';
import { unpackOctahedral, unpackTangent } from '../math/packing.ts';
import { scratchRows } from '../stages/pose-joints/plan.ts';
import { BinRecord, EXTRA_BINS } from '../stages/cull-characters/layout.ts';
import { FrameParams, ROW_NONE, VISIBLE_WORDS, VISIBLE_WORDS_SHIFT, VisibleCharacter } from '../stages/layout.ts';
import { Attachment, PreviousLocal, SocketJoint } from '../stages/place-sockets/layout.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS } from '../stages/step-controllers/layout.ts';
import { animatorRegions, arraysOf, isOutput, type CapturedSpace } from './arrays.ts';
import type { CapturedArrays, CapturedStage } from './capture.ts';

/** Difference of one field of an array. */
export interface ArrayDifference {
  readonly array: string;
  readonly field: string;
  /** Count of numbers that differ. */
  readonly count: number;
  /**
   * The largest difference: of floats and integers as numbers, of packed directions the length between the unpacked.
   */
  readonly largest: number;
  /** Row of the largest difference, and the two values there. */
  readonly row: number;
  readonly captured: number;
  readonly replayed: number;
}

/** Difference that replaces NaN, or infinity on one side only. */
const FAR = 3.4028234663852886e38;

interface Part {
  readonly label: string;
  readonly row: Struct;
  readonly first: number;
  readonly end: number;
}

/** Compares the outputs of a replay with captured ones, field by field, for a stage that passed `checkArrays`. */
export function compareOutputs(
  captured: CapturedStage,
  replayed: CapturedArrays,
  space: CapturedSpace,
): ArrayDifference[] {
  const found: ArrayDifference[] = [];
  for (const [name, form] of arraysOf(captured.stage, space)) {
    if (!isOutput(captured.stage, name, space)) continue;
    const [before, after] = [captured.outputs[name]!, replayed[name]];
    if (!after) return fail('INTERNAL', captured.stage, `The replay gives no ${name}.`);
    const comparable = comparableForm(name, captured, space);
    const [a, b] = [comparable(before), comparable(after)];
    const row = name.startsWith('skinned/') ? SkinnedVertex : form.row;
    const parts = partsOf(name, { label: name, row, first: 0, end: a.length }, captured, space);
    const byField = new Map<string, ArrayDifference>();
    for (const part of parts) comparePart(part, a, b, byField);
    found.push(...byField.values());
  }
  return found;
}

type Words = Uint32Array<ArrayBuffer>;

/** Returns a function that changes the words of an array into numbers to compare. Most arrays need none. */
function comparableForm(name: string, captured: CapturedStage, space: CapturedSpace): (words: Words) => Words {
  if (name === 'events') return sortedEvents;
  const [array, page] = name.split('/');
  return array === 'skinned' ? (words) => posedVertices(words, Number(page), captured, space) : (words) => words;
}

/** A vertex that skin-vertices has written, unpacked. */
const SkinnedVertex = /* @__PURE__ */ struct('SkinnedVertex', {
  position: 'vec3f',
  normal: 'u32',
  tangent: 'u32',
  channel: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

/** Vertices of the characters that are posed in a page, in the order of the visible list. */
function posedVertices(
  words: Words,
  page: number,
  { inputs }: CapturedStage,
  { shape, numbers }: CapturedSpace,
): Words {
  const visible = new View(VisibleCharacter, inputs.visible!.slice().buffer);
  const bins = new View(BinRecord, inputs.bins!.slice().buffer);
  const runs = (bins.count - EXTRA_BINS) / Math.max(1, numbers.pageRows.length);
  const [first, last] = [bins.get(page * runs, 'first'), (page + 1) * runs - 1];
  const end = Math.min(visible.count, bins.get(last, 'first') + bins.get(last, 'count'));
  const found: Words[] = [];
  for (let row = first; row < end; row++) {
    const { type, level } = placeOf(shape.tables.types, visible, row);
    if (type.skin === 'vertex' || visible.get(row, 'paletteRow') === ROW_NONE) continue;
    const stride = (visible.get(row, 'detail') >>> VISIBLE_WORDS_SHIFT) & VISIBLE_WORDS;
    const word = visible.get(row, 'attributeWord');
    const rows = 2 * visible.get(row, 'currentVertexOffset');
    const vertices = unpackVertices(words.slice(rows, rows + 2 * level.vertexCount));
    const records = new View(SkinnedVertex, level.vertexCount);
    for (let v = 0; v < level.vertexCount; v++) {
      const own = words.subarray(word + stride * v, word + stride * (v + 1));
      records.words.set(vertices.subarray(4 * v, 4 * v + 3), (v * SkinnedVertex.size) / 4);
      records.assign(v, {
        normal: own[0]!,
        tangent: (type.levels[0]!.skinTraits.tangents && own[1]) || 0,
        channel: own[2] ?? 0,
      });
    }
    found.push(records.words);
  }
  const all = new Uint32Array(found.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of found) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Parts of an array that have one row type and are worth comparing. */
function partsOf(name: string, whole: Part, { inputs }: CapturedStage, space: CapturedSpace): Part[] {
  if (name === 'animators') return animatorRegions(space);
  const { socketCount, socketCapacity } = space.numbers;
  // kernels may place attachments that never existed
  if (name === 'matrices' || name === 'previousMatrices') return [{ ...whole, end: 16 * socketCount }];
  if (name === 'sockets') {
    const first = (socketCapacity * Attachment.size) / 4;
    const end = first + (socketCount * SocketJoint.size) / 4;
    const history = first + (socketCapacity * SocketJoint.size) / 4;
    return [
      { label: 'sockets (joints)', row: SocketJoint, first, end },
      { label: 'sockets (history)', row: PreviousLocal, first: history, end: history + end - first },
    ];
  }
  if (name !== 'palettes') return [whole];
  // after a palette there may be rows that only some kernels write
  const { types } = space.shape.tables;
  const visible = new View(VisibleCharacter, inputs.visible!.slice().buffer);
  const count = new View(FrameParams, inputs.params!.slice().buffer).get(0, 'visibleCount');
  return Array.from({ length: Math.min(count, visible.count) }, (_, i): Part => {
    const type = types.find(({ typeRow }) => typeRow === visible.get(i, 'typeRow'));
    const row = visible.get(i, 'paletteRow');
    if (!type || row === ROW_NONE) return { ...whole, end: 0 };
    const rows = type.paletteStride - scratchRows(type.laneCount, type.character.joints.length, space.shape.kernels);
    return { ...whole, first: 4 * row, end: 4 * (row + rows) };
  });
}

function comparePart(
  { label, row, first, end }: Part,
  a: Uint32Array<ArrayBuffer>,
  b: Uint32Array<ArrayBuffer>,
  found: Map<string, ArrayDifference>,
): void {
  const kinds = kindsOf(row);
  const stride = row.size / 4;
  const [floatsA, floatsB] = [floatsOf(a), floatsOf(b)];
  for (let word = first; word < Math.min(end, a.length); word++) {
    if (a[word] === b[word]) continue;
    const kind = kinds[(word - first) % stride];
    if (!kind) continue;
    const isFloat = kind.type === 'f';
    const [captured, replayed] = isFloat ? [floatsA[word]!, floatsB[word] ?? 0] : [a[word]!, b[word] ?? 0];
    const largest = kind.unpack ? apart(kind.unpack, captured, replayed) : distance(captured, replayed);
    if (largest === 0) continue;
    const known = found.get(`${label} ${kind.field}`);
    const count = (known?.count ?? 0) + 1;
    // palettes are parts of one array, regions are arrays of their own
    const here = { row: Math.floor((label === 'palettes' ? word : word - first) / stride) };
    const values = { captured: finite(captured), replayed: finite(replayed) };
    const own = { array: label, field: kind.field, largest, ...here, ...values };
    found.set(`${label} ${kind.field}`, { ...(known && known.largest >= largest ? known : own), count });
  }
}

type Unpack = (word: number, out: number[]) => void;

/** Unpacking functions for the packed fields of skin-vertices. */
const PACKED: Readonly<Record<string, Unpack>> = { normal: unpackOctahedral, tangent: unpackTangent };

interface Kind {
  readonly field: string;
  readonly type: 'f' | 'u';
  /** Set for packed directions. */
  readonly unpack?: Unpack | undefined;
}

/** Kind of each word of a row; undefined for padding. */
function kindsOf({ name, fields, offsets, size }: Struct): (Kind | undefined)[] {
  const kinds: (Kind | undefined)[] = Array.from({ length: size / 4 }, () => undefined);
  for (const [field, type] of Object.entries(fields)) {
    if (typeof type !== 'string' || /^pad\d*$/.test(field)) continue;
    const words = type.startsWith('mat4') ? 16 : Number(/^vec(\d)/.exec(type)?.[1] ?? 1);
    const unpack = name.startsWith('Skinned') ? PACKED[field] : undefined;
    const kind = { field, type: /f(32)?$/.test(type) ? 'f' : 'u', unpack } as const;
    for (let word = 0; word < words; word++) kinds[offsets[field]! / 4 + word] = kind;
  }
  return kinds;
}

function distance(a: number, b: number): number {
  if (Object.is(a, b) || a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  const difference = Math.abs(a - b);
  return Number.isFinite(difference) ? difference : FAR;
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : value < 0 ? -FAR : FAR;
}

function apart(unpack: Unpack, a: number, b: number): number {
  const [p, q]: [number[], number[]] = [[], []];
  unpack(a, p);
  unpack(b, q);
  return Math.hypot(...p.map((c, axis) => c - q[axis]!));
}

function floatsOf({ buffer, byteOffset, length }: Uint32Array<ArrayBuffer>): Float32Array {
  return new Float32Array(buffer, byteOffset, length);
}

/** Sorts events, because threads add them in any order. */
function sortedEvents(ring: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const room = Math.max(0, Math.floor((ring.length - EVENT_FIRST_WORD) / EVENT_WORDS));
  const at = (index: number) => EVENT_FIRST_WORD + index * EVENT_WORDS;
  const records = Array.from({ length: Math.min(ring[0] ?? 0, room) }, (_, index) =>
    Array.from(ring.subarray(at(index), at(index + 1))),
  );
  records.sort((p, q) => p.map((word, k) => word - q[k]!).find((difference) => difference !== 0) ?? 0);
  const sorted = ring.slice();
  sorted.set(records.flat(), EVENT_FIRST_WORD);
  return sorted;
}
