import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { packCharacter } from '../../character/pack/index.ts';
import { tuningCache } from '../../node/tuning-file.ts';
import { randomModel } from '../../../test/support/random-model.ts';
import { Random } from '../../../test/support/random.ts';
import { readSkinRecords, SKIN_RECORDS_KEY, writeSkinRecords, type SkinRecord } from './skin-records.ts';
import { tuneSkinning } from './tune-skinning.ts';

const record = (mesh: string, adapter = 'acme'): SkinRecord => {
  return { adapter, mesh, name: 'knight', level: 0, variant: { cached: false, sharers: 2 }, nanoseconds: 12.5 };
};

describe('what was measured', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'maniple-tuning-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is read back from a map and from a file', async () => {
    for (const cache of [new Map<string, string>(), tuningCache(path.join(folder, 'deep', 'er'))]) {
      expect(await readSkinRecords(cache)).toEqual({ records: [], issues: [] });
      const records = [record('a'), record('b', 'other')];
      expect(await writeSkinRecords(cache, records)).toEqual([]);
      expect(await readSkinRecords(cache)).toEqual({ records, issues: [] });
    }
    expect(readdirSync(path.join(folder, 'deep', 'er'))).toEqual([`${SKIN_RECORDS_KEY}.json`]);
  });

  test('stays bounded: the oldest go first', async () => {
    const cache = new Map<string, string>();
    await writeSkinRecords(
      cache,
      Array.from({ length: 1500 }, (_, i) => record(`${i}`)),
    );
    const { records } = await readSkinRecords(cache);
    expect([records.length, records[0]!.mesh, records.at(-1)!.mesh]).toEqual([1024, '476', '1499']);
  });

  test.each([
    ['no JSON', '{"version":1,', /JSON/],
    ['nothing', 'null', /ignored/],
    ['another version', '{"version":2,"records":[]}', /version 2, not 1/],
    ['no list', '{"version":1,"records":{}}', /malformed records/],
    ['a record of another form', '{"version":1,"records":[{"adapter":"acme"}]}', /malformed records/],
    ['sharers beyond four', JSON.stringify({ version: 1, records: [{ ...record('a'), variant: { cached: true, sharers: 1e9 } }] }), /malformed/],
    ['an invalid time', JSON.stringify({ version: 1, records: [{ ...record('a'), nanoseconds: null }] }), /malformed/],
    ['too much', `"${'x'.repeat(2 ** 20)}"`, /letters/],
  ])('is ignored with a warning when it is %s', async (_, text, message) => {
    const cache = new Map([[SKIN_RECORDS_KEY, text]]);
    const { records, issues } = await readSkinRecords(cache);
    expect(records).toEqual([]);
    expect(issues).toMatchObject([{ code: 'TUNING_CACHE_UNUSABLE', severity: 'warning', path: 'cache' }]);
    expect(issues[0]!.message).toMatch(message);
  }); // prettier-ignore

  test('warns where it can be neither read nor kept', async () => {
    const file = path.join(folder, 'a-file');
    writeFileSync(file, '');
    const cache = tuningCache(file);
    expect((await readSkinRecords(cache)).issues).toMatchObject([{ code: 'TUNING_CACHE_UNUSABLE', path: file }]);
    expect(await writeSkinRecords(cache, [])).toMatchObject([{ code: 'TUNING_CACHE_UNUSABLE', path: file }]);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('is taken for the same mesh on the same adapter, and for no other', async () => {
    const shape = { joints: 3, depth: 2, influences: 2, morphs: 0, clips: 0, keys: 1, scales: false } as const;
    const pack = (seed: number) =>
      packCharacter(randomModel(new Random(seed), { ...shape, vertices: 9, meshes: 1, interpolations: ['LINEAR'] }));
    const [known, other] = [pack(1), pack(2)];
    const device = (vendor: string) =>
      ({ adapterInfo: { vendor }, features: new Set<string>(), createBuffer: () => 0 }) as unknown as GPUDevice;
    const cache = new Map<string, string>();
    const { meshes: fresh } = await tuneSkinning(device('acme'), [known, other], { cache });
    expect(fresh[0]!.digest).not.toBe(fresh[1]!.digest);
    cache.set(SKIN_RECORDS_KEY, JSON.stringify({ version: 1, records: [record(fresh[0]!.digest)] }));
    const sources = async (vendor: string) =>
      (await tuneSkinning(device(vendor), [known, other], { cache })).meshes.map(({ source }) => source);
    expect(await sources('acme')).toEqual(['cache', 'rule']);
    expect(await sources('ajax')).toEqual(['rule', 'rule']);
    expect((await tuneSkinning(device('acme'), [known], { cache })).meshes[0]!.variant).toEqual(record('').variant);
    cache.set(SKIN_RECORDS_KEY, 'spoilt');
    const { meshes, issues } = await tuneSkinning(device('acme'), [known], { cache });
    expect([meshes[0]!.source, issues[0]!.code]).toEqual(['rule', 'TUNING_CACHE_UNUSABLE']);
  });
});
