import { describe, expect, it } from 'vitest';
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { GeometryHeader, NamedChannel, NamedChannels, SkinBatch } from '../../src/character/format/geometry-layout.ts';
import { CHANNEL_KEY_TEXCOORD_1, channelKey } from '../../src/vertex/vertex-format.ts';
import { refusalOf, reseal, viewOf } from './damage.ts';
import { type Json, type Table, withDescription, withTable } from './edit.ts';
import { strayFetches } from './kernel-fetches.ts';
import { namedMote } from './mote.ts';
import { playAll } from './play.ts';

/** A file with named channels, whose checksums are right, and one statement in which is a lie. */
const character = namedMote();
const file = writeBaked(character);
/** Batches: body; ears, which has none of the game's own; cloak; face. */
const [BODY, EARS, CLOAK, FACE] = [0, 1, 2, 3];

type Edit = (table: Table) => void;

function batchWord(table: Table, index: number): number {
  return 4 * table.get(GeometryHeader, 0, 'batchRow') + (index * SkinBatch.size) / 4;
}

/** Word of the table that a batch names. */
function tableWord(table: Table, index: number): number {
  return 4 * table.get(SkinBatch, batchWord(table, index), 'namedRow');
}

const batch =
  (index: number, value: (table: Table) => number): Edit =>
  (table) =>
    table.set(SkinBatch, batchWord(table, index), 'namedRow', value(table));

const mesh =
  (index: number, key: keyof (typeof NamedChannels)['fields'], value: number): Edit =>
  (table) =>
    table.set(NamedChannels, tableWord(table, index), key, value);

const channel =
  (index: number, which: number, key: keyof (typeof NamedChannel)['fields'], value: number): Edit =>
  (table) => {
    const word = tableWord(table, index) + (NamedChannels.size + which * NamedChannel.size) / 4;
    table.set(NamedChannel, word, key, value);
  };

const cases: [what: string, edit: Edit, message: RegExp][] = [
  ['a table outside', batch(BODY, () => 0x0ffffff0), /NamedChannels.*would end/],
  ['a table of other vertices', batch(FACE, (t) => tableWord(t, CLOAK) / 4), /names a table of vertices 7 to 10 only/],
  ['a table for a mesh without', batch(EARS, (t) => tableWord(t, BODY) / 4), /names a table of vertices 0 to 3 only/],
  ['no tables at all', (t) => [BODY, CLOAK, FACE].forEach((b) => batch(b, () => 0)(t)), /flags say that some batch has named channels; none has/],
  ['tables that the flags hide', (t) => t.set(GeometryHeader, 0, 'flags', t.get(GeometryHeader, 0, 'flags') & 31), /flags say that no batch has named channels; one has/],
  ['a table of no vertices', mesh(BODY, 'vertexCount', 0), /vertexCount is 0; 1 to 14/],
  ['vertices behind the last', mesh(FACE, 'vertexCount', 4), /vertexCount is 4; 1 to 3/],
  ['no channels', mesh(BODY, 'channelCount', 0), /channelCount is 0; 1 to 8/],
  ['too many channels', mesh(BODY, 'channelCount', 9), /channelCount is 9; 1 to 8/],
  ['more channels than there are', mesh(BODY, 'channelCount', 8), /overlaps another table|of no name|has to be|may be/],
  ['padding that holds something', mesh(BODY, 'pad0', 1), /pad0 has to be 0/],
  ['a key of no name', channel(BODY, 1, 'key', 7), /key is 7, that of no name/],
  ['a key that is there twice', channel(BODY, 1, 'key', CHANNEL_KEY_TEXCOORD_1), /that of TEXCOORD_1, which the table has already/],
  ['a format that does not exist', channel(BODY, 0, 'format', 0x209), /format is 9; TEXCOORD_1 may be float32/],
  ['a format of directions', channel(BODY, 0, 'format', 0x207), /format is octahedral16; TEXCOORD_1 may be/],
  ['no components', channel(BODY, 1, 'format', 4), /format has 0 components; _HEAT may have 1 to 4/],
  ['five components', channel(BODY, 1, 'format', 0x504), /format has 5 components/],
  ['texture coordinates of three', channel(BODY, 0, 'format', 0x300), /format has 3 components; TEXCOORD_1 may have 2 to 2/],
  ['components between bytes', channel(BODY, 0, 'byteOffset', 2), /byteOffset is 2, not a multiple of 4/],
  ['a stride between components', channel(BODY, 0, 'byteStride', 10), /byteStride is 10, not a multiple of 4/],
  ['elements that overlap', channel(BODY, 0, 'byteStride', 4), /byteStride is 4; one TEXCOORD_1 takes 8/],
  ['a channel outside', channel(BODY, 0, 'byteOffset', 0xfffffff0), /puts the end of TEXCOORD_1 at/],
  ['a stride that leaves', channel(FACE, 1, 'byteStride', 0xfffffffe), /puts the end of _HEAT at/],
  ['a float that is not finite', (t) => void (t.floats[t.get(NamedChannel, tableWord(t, BODY) + 4, 'byteOffset') / 4] = Number.NaN), /TEXCOORD_1 is NaN/],
]; // prettier-ignore

describe('a lie in a table of named channels', () => {
  it.each(cases)('%s', (_, edit, message) => {
    const refusal = refusalOf(withTable(file, 'GEOM', edit));
    expect(refusal.code).toBe('BAKED_CORRUPT');
    expect(refusal.message).toMatch(message);
  });

  const withNames = (channels: unknown) => withDescription(file, (json) => void (json.channels = channels));

  it.each([
    ['no names', undefined, /of no name in the description/],
    ['names that are no text', [1, 2, 3], /Expected a string/],
    [
      'two names of one key',
      ['TEXCOORD_1', '_HEAT', '_WIND', '_Heat'],
      /channels\/3.*cannot be distinguished from _HEAT/,
    ],
    ['a name of nothing', ['TEXCOORD_1', '_HEAT', '_WIND', ''], /has 0 characters/],
    ['a name of very much', ['TEXCOORD_1', '_HEAT', '_WIND', 'x'.repeat(65)], /has 65 characters/],
    ['65 names', Array.from({ length: 65 }, (_, i) => `_${i}`), /a list of at most 64/],
  ])('%s', (_, names, message) => {
    expect(refusalOf(withNames(names)).message).toMatch(message);
  });

  it('named channels, or a texture that takes one, in files of version 2', () => {
    const older = (bytes: Uint8Array) => {
      const old = bytes.slice();
      viewOf(old).setUint32(8, 2, true);
      return refusalOf(reseal(old)).message;
    };
    expect(older(file)).toMatch(/files of version 2 have/);
    expect(
      older(withDescription(file, (json) => void ((json.materials as Json[])[0]!.emissiveTexture = undefined))),
    ).toMatch(/files of version 2 have no named channels/);
  });

  it('a set of texture coordinates that there is not', () => {
    const third = withDescription(file, (json) => {
      ((json.materials as Json[])[0]!.emissiveTexture as Json).texcoordSet = 2;
    });
    expect(refusalOf(third).message).toMatch(/texcoordSet.*Expected one of 0, 1/);
  });
});

describe('named channels', () => {
  it('that are right pass, and play', async () => {
    const read = readBaked(file);
    expect(read).toEqual(character);
    expect(viewOf(file).getUint32(8, true)).toBe(3);
    expect(strayFetches(read)).toEqual([]);
    expect(await playAll(read)).toBe(true);
  });

  it('are found by FNV-1a of their names in upper case', () => {
    // of '' and 'A': http://www.isthe.com/chongo/tech/comp/fnv/
    expect([channelKey(''), channelKey('a')]).toEqual([0x811c9dc5, Math.imul(0x811c9dc5 ^ 0x41, 0x01000193) >>> 0]);
    expect(channelKey('_wind')).toBe(channelKey('_WIND'));
  });
});
