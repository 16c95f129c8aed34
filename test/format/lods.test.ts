import { describe, expect, it } from 'vitest';
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { GeometryHeader } from '../../src/character/format/geometry-layout.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { addSockets } from '../../src/character/sockets.ts';
import { View } from '../../src/layout/index.ts';
import { assemble, refusalOf, sectionPlaces } from './damage.ts';
import { jsonOf, type Json, withDescription, withTable } from './edit.ts';
import { strayFetches } from './kernel-fetches.ts';
import { moteCharacter, moteModel } from './mote.ts';
import { asFinest, playAll, poseVertices } from './play.ts';

const character = moteCharacter();
const file = writeBaked(character);

describe('coarser LODs in a baked file', () => {
  it('are what was packed, tables looked at in place', async () => {
    const { lods } = readBaked(file);
    expect(lods).toEqual(character.lods);
    expect(lods[0]).toMatchObject({ vertexCount: 9, error: expect.any(Number) });
    expect(lods[0]!.primitives.map(({ name, vertexCount, indexCount }) => [name, vertexCount, indexCount])).toEqual([
      ['body', 3, 3],
      ['cloak', 3, 3],
      ['face', 3, 3],
      ['ears', 0, 0],
    ]);
    for (const table of [lods[0]!.geometry, lods[0]!.indices]) expect(table.buffer).toBe(file.buffer);
    expect(strayFetches(readBaked(file))).toEqual([]);
    expect(await playAll(readBaked(file))).toBe(true);
  });

  it('move as the finest mesh does where they share vertices', async () => {
    const coarse = asFinest(character, character.lods[0]!);
    const [fine, few] = [await poseVertices(character, 'Wave', 0.3), await poseVertices(coarse, 'Wave', 0.3)];
    for (const [p, primitive] of coarse.primitives.entries()) {
      const first = 3 * character.primitives[p]!.firstVertex;
      const same = fine.subarray(first, first + 3 * primitive.vertexCount);
      expect(few.subarray(3 * primitive.firstVertex, 3 * (primitive.firstVertex + primitive.vertexCount))).toEqual(
        same,
      );
    }
  });

  it('know of sockets', () => {
    const lods = addSockets(packCharacter(moteModel()), 'all').lods;
    expect(
      lods.map(({ geometry }) => new View(GeometryHeader, geometry.buffer, 0, 1).get(0, 'morphWeightRow')),
    ).toEqual([3 * 12]);
  });

  it('take no bytes when missing: the file is the same as before', () => {
    const plain = writeBaked({ ...character, lods: [] });
    expect(Object.keys(jsonOf(plain))).not.toContain('lods');
    expect(sectionPlaces(plain).map(({ kind }) => kind)).toEqual(['JSON', 'RIG ', 'GEOM', 'INDX', 'SRCV', 'IMAG']);
    expect(readBaked(plain).lods).toEqual([]);
  });

  it('are skipped by readers that do not know them: sections and field can go', () => {
    // what such a reader sees
    const kinds = sectionPlaces(file).map(({ kind }) => kind);
    expect(kinds).toEqual(['JSON', 'RIG ', 'GEOM', 'INDX', 'SRCV', 'LODG', 'LODI', 'IMAG']);
    const without = withDescription(file, (json) => void delete json.lods);
    expect(refusalOf(without).message).toContain('has 0 entries for 1 LODG and 1 LODI sections');
  });

  it('may be up to seven', () => {
    const seven = { ...character, lods: Array.from({ length: 7 }, () => character.lods[0]!) };
    expect(readBaked(writeBaked(seven)).lods).toHaveLength(7);
    const eight = { ...character, lods: Array.from({ length: 8 }, () => character.lods[0]!) };
    expect(() => writeBaked(eight)).toThrow(/json\/lods: Expected a list of at most 7/);
  });

  const lodOf = (json: Json) => (json.lods as Json[])[0]!;
  it.each<[string, (json: Json) => void, string]>([
    ['vertices', (json) => void (lodOf(json).vertexCount = 8), 'lods/0/geometry+0: GeometryHeader.vertexCount is 9'],
    ['an error', (json) => void (lodOf(json).error = -1), 'json/lods/0/error'],
    ['a primitive', (json) => void (lodOf(json).primitives as Json[]).pop(), 'has 3 entries; the finest mesh has 4'],
    ['a run', (json) => void ((lodOf(json).batchRuns as Json[])[0]!.firstBatch = 1), 'lods/0/json/batchRuns/0'],
    [
      'a range',
      (json) => void ((lodOf(json).primitives as Json[])[1]!.firstVertex = 4),
      'lods/0/json/primitives: body begins',
    ],
    ['indices', (json) => void ((lodOf(json).primitives as Json[])[0]!.indexCount = 6), 'begins at index 3'],
    ['posed joints', (json) => void (lodOf(json).posedJoints = 'all'), 'json/lods/0/posedJoints'],
    ['a posed joint', (json) => void (lodOf(json).posedJoints = [0, 99]), 'lods/0/json/posedJoints/1: is 99 of'],
    ['their order', (json) => void (lodOf(json).posedJoints = [0, 1, 1]), 'posedJoints/2: is 1; joints rise'],
    [
      'a parent',
      (json) => void (lodOf(json).posedJoints = [0, 2]),
      'posedJoints/1: is 2, and its parent 1 is not posed',
    ],
    ['the roots', (json) => void (lodOf(json).posedJoints = []), 'lods/0/json/posedJoints: lacks the root 0'],
  ])('are refused when the description of %s is wrong', (_, change, message) => {
    const { issues } = refusalOf(withDescription(file, change));
    expect(issues.map((issue) => `${issue.path}: ${issue.message}`).join('\n')).toContain(
      message.replace('body begins', ''),
    );
  });

  it('are refused when a table is wrong', () => {
    const index = refusalOf(withTable(file, 'LODI', (table) => void (table.words[4] = 0)));
    expect(index.issues[0]).toMatchObject({
      path: 'file:lods/0/indices+16',
      message: 'names vertex 0, outside 3 to 6.',
    });
    const header = refusalOf(withTable(file, 'LODG', (table) => table.set(GeometryHeader, 0, 'paletteCount', 99)));
    expect(header.issues[0]!.path).toMatch(/^file:lods\/0\/geometry\+/);
    const cut = assemble(file, (kind, bytes) => (kind === 'LODG' ? bytes.slice(0, -16) : bytes));
    expect(refusalOf(cut).issues[0]!.path).toMatch(/^file:lods\/0\/geometry/);
    const odd = assemble(file, (kind, bytes) => (kind === 'LODI' ? bytes.slice(0, -3) : bytes));
    expect(refusalOf(odd).issues[0]!.path).toBe('file:lods/0/indices');
  });
});
