import { describe, expect, it } from 'vitest';
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { GeometryHeader, MeshChannels, SkinBatch, VertexChannel } from '../../src/character/format/geometry-layout.ts';
import {
  CHANNEL_DELTA_NORMAL,
  CHANNEL_NORMAL,
  CHANNEL_POSITION,
  CHANNEL_TANGENT,
  CHANNEL_TEXCOORD,
  CHANNEL_WIND,
} from '../../src/vertex/vertex-format.ts';
import { refusalOf, reseal, viewOf } from './damage.ts';
import { type Json, type Table, withDescription, withTable } from './edit.ts';
import { strayFetches } from './kernel-fetches.ts';
import { patchedMote } from './mote.ts';
import { playAll } from './play.ts';

/** A file with channel tables, whose checksums are right, and one statement in which is a lie. */
const character = patchedMote();
const file = writeBaked(character);
/** Tables, by their place in the chain: two packed, one general. */
const [EARS, CLOAK, FACE] = [0, 1, 2];

type Edit = (table: Table) => void;

function tableWord(table: Table, index: number): number {
  let row = table.get(GeometryHeader, 0, 'channelRow');
  for (let i = 0; i < index; i++) row = table.get(MeshChannels, 4 * row, 'nextRow');
  return 4 * row;
}

function batchWord(table: Table, index: number): number {
  return 4 * table.get(GeometryHeader, 0, 'batchRow') + (index * SkinBatch.size) / 4;
}

const mesh =
  (index: number, key: keyof (typeof MeshChannels)['fields'], value: number): Edit =>
  (table) =>
    table.set(MeshChannels, tableWord(table, index), key, value);

function channelWord(table: Table, index: number, channel: number): number {
  return tableWord(table, index) + (MeshChannels.size + channel * VertexChannel.size) / 4;
}

const channel =
  (index: number, which: number, key: keyof (typeof VertexChannel)['fields'], value: number): Edit =>
  (table) =>
    table.set(VertexChannel, channelWord(table, index, which), key, value);

const batch =
  (index: number, key: keyof (typeof SkinBatch)['fields'], value: number): Edit =>
  (table) =>
    table.set(SkinBatch, batchWord(table, index), key, value);

/** Sets 16 bits of what a channel holds. */
const half =
  (index: number, which: number, value: number): Edit =>
  (table) => {
    const word = table.get(VertexChannel, channelWord(table, index, which), 'byteOffset') >>> 2;
    table.words[word] = ((table.words[word]! & 0xffff0000) | value) >>> 0;
  };

const box =
  (value: number): Edit =>
  (table) =>
    void (table.floats[tableWord(table, FACE) + MeshChannels.offsets.positionScale / 4] = value);

const cases: [what: string, edit: Edit, message: RegExp][] = [
  ['tables outside', (t) => t.set(GeometryHeader, 0, 'channelRow', 0x0ffffff0), /MeshChannels.*would end/],
  ['no tables at all', (t) => t.set(GeometryHeader, 0, 'channelRow', 0), /has no channel table/],
  ['a chain that comes back', (t) => mesh(FACE, 'nextRow', t.get(GeometryHeader, 0, 'channelRow'))(t), /overlaps another table/],
  ['a chain that ends early', mesh(CLOAK, 'nextRow', 0), /channel tables end at vertex 11 of 14/],
  ['a table of no vertices', mesh(EARS, 'vertexCount', 0), /vertexCount is 0; 1 to 10/],
  ['a table of more vertices than there are', mesh(FACE, 'vertexCount', 4), /vertexCount is 4; 1 to 3/],
  ['a table of vertices behind the last', mesh(EARS, 'firstVertex', 0xffffffff), /vertexCount is 3; 1 to 0/],
  ['tables that share vertices', mesh(CLOAK, 'firstVertex', 5), /firstVertex is 5; the table before makes it 7/],
  ['vertices that nobody has', mesh(EARS, 'firstVertex', 3), /firstVertex is 7; the table before makes it 6/],
  ['channels that do not exist', mesh(FACE, 'activeChannels', 0x3ff), /activeChannels is 1023/],
  ['a channel that is hidden, with a place', mesh(FACE, 'activeChannels', 0b111), /is not 0, but the mesh has no wind/],
  ['a channel without a place', mesh(FACE, 'activeChannels', 0b111101111), /byteStride is 0; one texcoord takes 8/],
  ['a box that is not finite', box(Number.NaN), /shares of the box .*NaN/],
  ['padding that holds something', (t) => void (t.words[tableWord(t, CLOAK) + 11] = 1), /pad0 has to be 0/],
  ['a format that does not exist', channel(FACE, CHANNEL_POSITION, 'format', 9), /format is 9; position may be float32/],
  ['a format that the channel cannot have', channel(FACE, CHANNEL_POSITION, 'format', 7), /format is octahedral16; position may be/],
  ['components between bytes', channel(FACE, CHANNEL_POSITION, 'byteOffset', 1), /byteOffset is 1, not a multiple of 2/],
  ['elements that overlap', channel(FACE, CHANNEL_POSITION, 'byteStride', 4), /byteStride is 4; one position takes 6/],
  ['a stride between components', channel(FACE, CHANNEL_POSITION, 'byteStride', 7), /byteStride is 7, not a multiple of 2/],
  ['a channel outside', channel(FACE, CHANNEL_POSITION, 'byteOffset', 0xfffffff0), /puts the end of position at/],
  ['a stride that leaves', channel(FACE, CHANNEL_NORMAL, 'byteStride', 0xfffffffe), /puts the end of normal at/],
  ['sets of what has none', channel(FACE, CHANNEL_TANGENT, 'setByteStride', 4), /setByteStride is 4; tangent has one set/],
  ['sets that leave', channel(FACE, CHANNEL_DELTA_NORMAL, 'setByteStride', 0x7ffffffe), /puts the end of deltaNormal at/],
  ['more targets than there are', mesh(FACE, 'targetCount', 1000), /puts the end of delta/],
  ['targets that batches do not have', mesh(FACE, 'targetCount', 1), /morphTargets counts 2; its channel table has 1/],
  ['targets of a mesh without', mesh(FACE, 'targetCount', 0), /there are no morph targets/],
  ['a half that is not finite', half(FACE, CHANNEL_DELTA_NORMAL, 0x7c00), /deltaNormal is a half that is not finite/],
  ['a float that is not finite', (t) => void (t.floats[t.get(VertexChannel, channelWord(t, CLOAK, CHANNEL_POSITION), 'byteOffset') / 4] = Infinity), /position is Infinity/],
  ['a packed table with a general stride', channel(CLOAK, CHANNEL_POSITION, 'byteStride', 12), /not in the packed layout/],
  ['packed normals elsewhere', channel(CLOAK, CHANNEL_NORMAL, 'byteOffset', 16), /not in the packed layout/],
  ['packed normals in another format', channel(CLOAK, CHANNEL_NORMAL, 'format', 3), /not in the packed layout/],
  ['packed wind elsewhere', channel(CLOAK, CHANNEL_WIND, 'byteOffset', 0), /not in the packed layout/],
  ['packed tangents in another format', channel(CLOAK, CHANNEL_TANGENT, 'format', 3), /not in the packed layout/],
  ['texture coordinates in a normals’ format', channel(FACE, CHANNEL_TEXCOORD, 'format', 6), /format is not 0, but the mesh has no texcoord/],
  ['a batch with the table of another', (t) => batch(1, 'channelRow', tableWord(t, CLOAK) / 4)(t), /channelRow is .*; the chain of tables makes it/],
  ['a standard batch with a table', (t) => batch(0, 'channelRow', tableWord(t, CLOAK) / 4)(t), /channelRow is .*; its loader variant makes it 0/],
  ['a general batch with deltas of its own', batch(3, 'morphWord', 4), /morphWord is 4; its loader variant makes it 0/],
  ['a general batch with weights that are not there', batch(3, 'morphTargets', 0x00020001), /names weights 1 to 3 of 2/],
]; // prettier-ignore

describe('a lie in a channel table', () => {
  it.each(cases)('%s', (_, edit, message) => {
    const refusal = refusalOf(withTable(file, 'GEOM', edit));
    expect(refusal.code).toBe('BAKED_CORRUPT');
    expect(refusal.message).toMatch(message);
  });

  const withVariant = (run: number, variant: number) =>
    withDescription(file, (json) => void ((json.batchRuns as Json[])[run]!.variant = variant));

  it.each([
    ['no variant at all', 3, 0x1000, /integer from 0 to 4095/],
    ['two loaders at once', 3, 0xc02, /two loaders at once/],
    ['packed, where the table is general', 3, 0x406, /not in the packed layout/],
    ['standard, where there is a table', 1, 0x3, /channelRow is .*; its loader variant makes it 0/],
    ['general without morph targets, where the table has them', 3, 0x800, /morphTargets/],
  ])('%s', (_, run, variant, message) => {
    expect(refusalOf(withVariant(run, variant)).message).toMatch(message);
  });

  it('channel tables in a file of version 1', () => {
    const old = file.slice();
    viewOf(old).setUint32(8, 1, true);
    expect(refusalOf(reseal(old)).message).toMatch(/files of version 1 have no channel tables/);
  });

  it('tables that hold the same bytes again and again', () => {
    const broken = withTable(file, 'GEOM', (table) => {
      // 10,000 sets over each other, all inside the blob
      mesh(FACE, 'targetCount', 10_000)(table);
      for (const delta of [6, 7, 8]) channel(FACE, delta, 'setByteStride', 0)(table);
    });
    expect(refusalOf(broken).message).toMatch(/more than the blob holds/);
  });
});

describe('channel tables', () => {
  it('that are right pass, and play', async () => {
    const read = readBaked(file);
    expect(read).toEqual(character);
    expect(viewOf(file).getUint32(8, true)).toBe(2);
    expect(strayFetches(read)).toEqual([]);
    expect(await playAll(read)).toBe(true);
  });
});
