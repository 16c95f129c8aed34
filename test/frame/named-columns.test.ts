// Named columns of floats per character, on the twins; what GPUs add is in named-columns.gpu.test.ts.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { crc32 } from '../../src/character/file/crc32.ts';
import { readBaked } from '../../src/character/file/index.ts';
import { type Crowd, ManipleError } from '../../src/index.ts';
import { saveSnapshot, readSnapshot, rebuildCrowd, recordInputs, replayInputs } from '../../src/state/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { sectionsOf } from '../../src/state/snapshot.ts';
import { coded } from '../support/crowd-truth.ts';
import { contents, fighter, mote, namedRows, rover, stateCrowd } from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const HEAT = { size: 4, default: [1, 0.5, 0.25, 0] } as const;

describe('a named column', () => {
  test('has a row per character, at its row, which is the same as long as it lives', () => {
    const crowd = stateCrowd(undefined);
    const army = crowd.spawn(fighter, { count: 3 });
    const heat = crowd.column('heat', HEAT);
    expect([heat.name, heat.size, heat.default]).toEqual(['heat', 4, HEAT.default]);
    expect(crowd.column('heat')).toBe(heat);
    expect(crowd.column('heat', { size: 4 })).toBe(heat);
    expect(army.ids.map((id) => heat.get(id))).toEqual(army.ids.map(() => HEAT.default));
    heat.set(army.id(1), [1, 2, 3, 4]);
    const row = crowd.row(army.id(1));
    army.despawn([0]);
    const reinforcements = crowd.spawn(rover, { count: 2 });
    crowd.grow(60);
    expect(crowd.row(army.id(1))).toBe(row);
    expect([...heat.values.subarray(4 * row, 4 * row + 4)]).toEqual([1, 2, 3, 4]);
    // one of them has the row of a character that left
    expect(reinforcements.ids.map((id) => heat.get(id))).toEqual([HEAT.default, HEAT.default]);
    expect(heat.values.length).toBe(4 * 60);
    expect([...heat.values.subarray(4 * 59)]).toEqual(HEAT.default);
    expect(() => crowd.row(army.id(0))).toThrow(coded('CROWD_BAD_ID'));
    expect(() => heat.get(army.id(0))).toThrow(coded('CROWD_BAD_ID'));
  });

  test('is read by shaders as of the last frame', async () => {
    const crowd = stateCrowd(undefined);
    const [first, second] = crowd.spawn(mote, { count: 2 }).ids as [number, number];
    const age = crowd.column('age', { default: 7 });
    const heat = crowd.column('heat', HEAT);
    const seen = async () => Object.values(await namedRows(crowd));
    expect(await seen()).toEqual([[7], [7], HEAT.default, HEAT.default]);
    age.set(first, 8);
    heat.set([second, first], Float32Array.of(9, 9, 9, 9));
    expect(await seen()).toEqual([[7], [7], HEAT.default, HEAT.default]);
    await updateAndWait(crowd, { dt: 0, views: [] });
    expect(await seen()).toEqual([[8], [7], [9, 9, 9, 9], [9, 9, 9, 9]]);
    age.fill(3);
    age.values[crowd.row(second)] = 4;
    age.changed(crowd.row(second), crowd.row(second) + 1);
    crowd.despawn(first);
    crowd.spawn(fighter);
    await updateAndWait(crowd, { dt: 0 });
    expect(await seen()).toEqual([[7], [4], HEAT.default, [9, 9, 9, 9]]);
    crowd.grow(99);
    age.values[5] = 12; // no character is there
    age.changed(5);
    crowd.spawn(fighter, { count: 5 });
    expect(age.get(crowd.ids[5]!)).toEqual([7]);
    heat.set(crowd.ids[5]!, [1, 2, 3, 4]);
    await updateAndWait(crowd, { dt: 0 });
    const shown = await seen();
    expect([shown.slice(0, 7), shown.at(-2)]).toEqual([
      [[7], [4], [7], [7], [7], [7], [7]],
      [1, 2, 3, 4],
    ]);
  });

  test('is written by groups in their order, past the dead', () => {
    const crowd = stateCrowd(undefined);
    crowd.spawn(fighter, { count: 2 });
    const army = crowd.spawn(rover, { count: 4 });
    const pair = army.column('pair', { size: 2 });
    expect(army.column('pair')).toBe(pair);
    expect(crowd.column('pair').size).toBe(pair.size);
    pair.set(2, [5, 6]);
    army.despawn([1]);
    expect([...pair.values]).toEqual([0, 0, 0, 0, 5, 6, 0, 0]);
    pair.values.set([1, 1, 2, 2, 3, 3, 4, 4]);
    pair.changed(0, 3);
    expect([0, 2, 3].map((i) => pair.get(i))).toEqual([
      [1, 1],
      [3, 3],
      [0, 0],
    ]);
    pair.changed();
    expect(pair.get(3)).toEqual([4, 4]);
    expect(() => pair.get(1)).toThrow(coded('CROWD_BAD_ID'));
    pair.fill(Float32Array.of(7, 8));
    expect([...crowd.column('pair').values.subarray(0, 12)]).toEqual([0, 0, 0, 0, 7, 8, 0, 0, 7, 8, 7, 8]);
    expect(() => pair.set(9, [0, 0])).toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('uploads only blocks of rows that have changed, and nothing where nothing has', () => {
    const crowd = stateCrowd(undefined, { capacity: 8192 });
    const army = crowd.spawn(mote, { count: 3000 });
    const heat = crowd.column('heat', { size: 4 });
    const changes = () => {
      const { words } = internalsOf(crowd).host.named.list[0]!;
      return words.takeChanges().map(({ byteOffset, bytes }) => [byteOffset, bytes.length]);
    };
    expect(changes()).toEqual([]); // its first rows are in its memory
    heat.set(army.ids, [0, 0, 0, 0]);
    expect(changes()).toEqual([]);
    heat.set([army.id(10), army.id(11), army.id(2000)], [1, 0, 0, 0]);
    // a 1,024th of the column: 8 rows
    expect(changes()).toEqual([
      [8 * 16, 8 * 16],
      [2000 * 16, 8 * 16],
    ]);
  });

  test('is refused where it cannot be, and stays as it was', () => {
    const crowd = stateCrowd(undefined);
    const heat = crowd.column('heat', HEAT);
    const [id] = crowd.spawn(mote).ids as [number];
    for (const name of ['', 'a b', '1st', '_a', 'ä', 'x'.repeat(65), 3, undefined]) {
      expect(() => crowd.column(name as string, {}), String(name)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    for (const options of [
      { size: 0 },
      { size: 5 },
      { size: 1.5 },
      { size: 2, default: 1 },
      { default: NaN },
      4,
      null,
    ]) {
      expect(() => crowd.column('other', options as object), JSON.stringify(options)).toThrow(
        coded('CROWD_BAD_ARGUMENT'),
      );
    }
    expect(() => crowd.column('heta')).toThrow('There are heat');
    expect(() => crowd.column('heat', { size: 3 })).toThrow('"heat" has 4 floats');
    expect(() => crowd.column('heat', { default: [0, 0, 0, 0] })).toThrow(coded('CROWD_BAD_ARGUMENT'));
    for (const value of [1, [1, 2, 3], [1, 2, 3, NaN], [1, 2, 3, 1e39], 'red', undefined]) {
      expect(() => heat.set(id, value as number), String(value)).toThrow(coded('CROWD_BAD_ARGUMENT'));
      expect(() => heat.fill(value as number), String(value)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect(() => heat.set([id, 5], [1, 2, 3, 4])).toThrow(coded('CROWD_BAD_ID'));
    expect(heat.get(id)).toEqual(HEAT.default);
    for (let i = 0; i < 15; i++) crowd.column(`c${i}`, { size: 4 });
    expect(() => crowd.column('more', {})).toThrow(coded('CROWD_LIMIT'));
    expect(internalsOf(crowd).host.named.list.length).toBe(16);
    crowd.destroy();
    expect(() => crowd.column('heat')).toThrow(coded('CROWD_DESTROYED'));
    expect(() => heat.fill(HEAT.default)).toThrow(coded('CROWD_DESTROYED'));
  });
});

/** A crowd with two columns, one of which came later. */
async function heated(options = {}): Promise<Crowd> {
  const crowd = stateCrowd(undefined, options);
  const heat = crowd.column('heat', HEAT);
  const [first, second] = [crowd.spawn(mote, { count: 3 }), crowd.spawn(fighter, { count: 2 })];
  heat.set(first.id(1), [4, 3, 2, 1]);
  await updateAndWait(crowd, { dt: 0.1 });
  first.despawn([0]);
  crowd.column('age', { default: 20 }).set(second.ids, 21);
  await updateAndWait(crowd, { dt: 0.1 });
  heat.set(second.id(0), [6, 6, 6, 6]); // no frame has taken it
  return crowd;
}

describe('the state of named columns', () => {
  test('is in snapshots, with the columns themselves', async () => {
    const crowd = await heated();
    const snapshot = readSnapshot((await saveSnapshot(crowd)).bytes);
    const restored = stateCrowd(undefined, { from: snapshot });
    expect(await namedRows(restored)).toEqual({ ...(await namedRows(crowd)), [`heat ${crowd.ids[2]}`]: [6, 6, 6, 6] });
    expect(restored.column('age', { default: 20 }).get(restored.ids[2]!)).toEqual([21]);
    expect(restored.spawn(mote).column('age').get(0)).toEqual([20]);
    crowd.spawn(mote);
    expect(contents(await saveSnapshot(restored))).toEqual(contents(await saveSnapshot(crowd)));
    // a crowd without any keeps to itself what rows without characters hold
    expect(() => restored.column('age', { size: 2 })).toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('is in logs, and in crowds that are rebuilt', async () => {
    const logged = stateCrowd(undefined);
    const log = recordInputs(logged);
    const army = logged.spawn(fighter, { count: 4 });
    const early = logged.column('early', { size: 2, default: [0, 1] });
    early.set(army.id(2), [5, 5]);
    await updateAndWait(logged, { dt: 0.1 });
    logged.column('late', {}).fill(3);
    early.values[0] = 9;
    early.changed(0, 1);
    army.despawn([3]);
    await updateAndWait(logged, { dt: 0.1 });
    const again = stateCrowd(undefined);
    // columns that the application has made already, in another order
    again.column('late', {});
    again.column('own', {});
    await replayInputs(again, log.since());
    expect(again.column('early').get(army.id(2))).toEqual([5, 5]);
    for (const name of ['early', 'late']) {
      expect(again.ids.map((id) => again.column(name).get(id))).toEqual(
        logged.ids.map((id) => logged.column(name).get(id)),
      );
    }
    const fresh = stateCrowd(undefined);
    await replayInputs(fresh, log.since());
    expect(contents(await saveSnapshot(fresh))).toEqual(contents(await saveSnapshot(logged)));
    const other = stateCrowd(undefined);
    other.column('early', { size: 2 });
    await expect(replayInputs(other, log.since())).rejects.toThrow(coded('LOG_MISMATCH'));

    for (const options of [{ keep: { intervalSeconds: 1 } }, {}]) {
      const crowd = await heated(options);
      const expected = contents(await saveSnapshot(crowd));
      const { crowd: rebuilt } = await rebuildCrowd(crowd, undefined);
      const actual = contents(await saveSnapshot(rebuilt));
      for (const name of ['columns', 'columnRows']) expect(actual[name]).toEqual(expected[name]);
    }
  });

  test.each([true, false])(
    'of a row is in the log, though the last character of it had the same: frame between %s',
    async (hasFrame) => {
      const crowd = stateCrowd(undefined);
      const log = recordInputs(crowd);
      const heat = crowd.column('heat', { size: 3 });
      const army = crowd.spawn(mote, { count: 4 });
      heat.set(army.id(3), [1, 2, 3]);
      await updateAndWait(crowd, { dt: 0 });
      army.despawn([3]);
      if (hasFrame) await updateAndWait(crowd, { dt: 0 });
      const snapshot = await saveSnapshot(crowd);
      if (!hasFrame) army.despawn([2]);
      heat.set(crowd.spawn(mote).ids, [1, 2, 3]);
      await updateAndWait(crowd, { dt: 0 });
      for (const from of [undefined, snapshot]) {
        const again = stateCrowd(undefined, from && { from });
        await replayInputs(again, log.since(from));
        expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
      }
    },
  );

  test('begins with the log, in the crowd that it is replayed on', async () => {
    const crowd = stateCrowd(undefined);
    const heat = crowd.column('heat', HEAT);
    const log = recordInputs(crowd);
    heat.set(crowd.spawn(mote).ids, [2, 2, 2, 2]);
    await updateAndWait(crowd, { dt: 0 });
    const again = stateCrowd(undefined);
    await replayInputs(again, log.since());
    expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
  });

  test('is refused in snapshots where it is not what was saved', async () => {
    const { bytes } = await saveSnapshot(await heated());
    const wrong = (write: (sections: ReturnType<typeof sectionsOf>) => void) => () => {
      const copy = bytes.slice(0);
      write(sectionsOf(copy));
      const words = new Uint32Array(copy);
      words[3] = 0;
      words[3] = crc32(new Uint8Array(copy));
      return stateCrowd(undefined, { from: readSnapshot(copy) });
    };
    expect(wrong(() => undefined)().count).toBe(4);
    expect(wrong(({ columnRows }) => columnRows.fill(0x7fc00000))().count).toBe(4); // as good as any
    for (const write of [
      ({ columns }) => (columns[0] = 5 | (4 << 8)),
      ({ columns }) => (columns[0] = 1 | (4 << 8)),
      ({ columns }) => (columns[0] = 4),
      ({ columns }) => (columns[0] = 4 | (65 << 8)),
      ({ columns }) => (columns[1] = 0x7fc00000),
      ({ columns }) => (columns[5] = 0x20202020),
      ({ columns }) => columns.copyWithin(21, 0, 21),
    ] as ((sections: ReturnType<typeof sectionsOf>) => unknown)[]) {
      expect(wrong(write), String(write)).toThrow(coded('SNAPSHOT_INVALID'));
    }
  });
});

describe('files of version 2', () => {
  const fixture = (name: string) =>
    new Uint8Array(readFileSync(new URL(`../format/versioning/${name}`, import.meta.url)));
  const character = readBaked(fixture('character-v3.maniple'));
  const options = { characters: [character], capacity: 4, maxClips: 2, backend: 'cpu' } as const;

  test('a snapshot is read: it has no columns', async () => {
    const from = readSnapshot(fixture('crowd-v2.snapshot'));
    expect([from.frame, from.time, from.count]).toEqual([2, 0.75, 2]);
    const crowd = createCrowd(undefined, { ...options, from });
    expect(crowd.origin).toEqual([16, 0, 0]);
    // written again, it is one of now
    expect(contents(readSnapshot((await saveSnapshot(crowd)).bytes))).toEqual(contents(readSnapshot(from.bytes)));
    await updateAndWait(crowd, { dt: 0, views: [] });
    expect((await crowd.readTransforms(crowd.ids)).map(({ position: { x, z } }) => [x, z])).toEqual([
      [0, 0],
      [2, -4],
    ]);
    expect(internalsOf(crowd).host.residents.column.view.get(2, 'tint')).toBe(0xff0080ff);
    expect(internalsOf(crowd).host.named.list).toEqual([]);
  });

  test('a log is replayed, to the state of the later snapshot', async () => {
    const crowd = createCrowd(undefined, options);
    expect(await replayInputs(crowd, fixture('crowd-v2.log'))).toBe(2);
    const [replayed, saved] = [await saveSnapshot(crowd), readSnapshot(fixture('crowd-v2.snapshot'))].map(contents);
    expect(replayed).toEqual(saved);
  });

  test('what is cut off is refused with a code', () => {
    const bytes = fixture('crowd-v2.snapshot');
    for (let length = 0; length < bytes.length; length++) {
      expect(() => readSnapshot(bytes.slice(0, length))).toThrow(ManipleError);
    }
  });
});
