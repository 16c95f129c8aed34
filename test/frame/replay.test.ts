// Input logs on the twins; what GPUs add stands in replay.gpu.test.ts.
import { describe, expect, test } from 'vitest';
import { crc32 } from '../../src/character/file/crc32.ts';
import { ManipleError, type Crowd } from '../../src/index.ts';
import { saveSnapshot, readSnapshot, recordInputs, replayInputs, type InputLog } from '../../src/state/index.ts';
import type { Change } from '../../src/crowd/changes.ts';
import { coded } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { full, hasTurn, runSeed, someSeeds } from '../support/setup.ts';
import {
  contents,
  doSomething,
  fighter,
  mote,
  randomFrame,
  shown,
  someViews,
  stateCrowd,
} from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const FRAMES = full ? 200 : 70;
const SEEDS = someSeeds(1, 30, 200);

describe.runIf(hasTurn(0))('a replay', () => {
  test.each(SEEDS)('of random frames ends where they ended: seed %i', async (seed) => {
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd);
    for (let i = 0; i < FRAMES; i++) await randomFrame(crowd, 1000 * seed + i, i === FRAMES - 1 ? true : undefined);
    const again = stateCrowd(undefined);
    expect(await replayInputs(again, log.since())).toBe(FRAMES);
    expect(again.ids).toEqual(crowd.ids);
    expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
    expect(await shown(again)).toEqual(await shown(crowd));
    const last = stateCrowd(undefined);
    await replayInputs(last, log.since(), { shows: 'last' });
    expect(await shown(last)).toEqual(await shown(crowd));
  });

  test.each(SEEDS)('goes on from a snapshot, and holds what no frame has taken yet: seed %i', async (seed) => {
    const crowd = stateCrowd(undefined);
    for (let i = 0; i < 30; i++) await randomFrame(crowd, 1000 * seed + i);
    const log = recordInputs(crowd);
    for (let i = 30; i < 60; i++) await randomFrame(crowd, 1000 * seed + i);
    const random = new Random(seed);
    for (let i = 0; i < 3; i++) doSomething(crowd, random);
    const snapshot = await saveSnapshot(crowd);
    for (let i = 0; i < 3; i++) doSomething(crowd, random);
    for (let i = 60; i < 120; i++) await randomFrame(crowd, 1000 * seed + i);
    for (let i = 0; i < 5; i++) doSomething(crowd, random);
    const again = stateCrowd(undefined, { from: snapshot });
    await replayInputs(again, log.since(snapshot));
    expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
    await updateAndWait(again, { dt: 0.1 });
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await shown(again)).toEqual(await shown(crowd));
  });
});

/** Words of who is listed in the last frame: where it is drawn, at which level, how often it is posed. */
async function listed(crowd: Crowd): Promise<(readonly number[] | undefined)[]> {
  const rows = crowd.ids.map((id) => internalsOf(crowd).host.backend.read(internalsOf(crowd).host.ids.index(id)));
  return (await Promise.all(rows)).map(
    (read) => read && [...read.row.words, ...read.vertices, ...read.previousVertices],
  );
}

describe.runIf(hasTurn(0))('a replay of what cameras saw', () => {
  test.each(SEEDS)('lists, poses and skins the same: seed %i', async (seed) => {
    const options = {
      updateRates: { halfBelowPx: 2000, quarterBelowPx: 800, eighthBelowPx: 200 },
      maxPoses: 12,
    } as const;
    const crowd = stateCrowd(undefined, options);
    const log = recordInputs(crowd);
    const random = new Random(seed);
    const army = crowd.spawn(fighter, { count: 12, place: (i, at) => at.position.set(i - 6, 0, -i) });
    crowd.setPoseSource(army.ids.slice(8), army.id(2));
    const frames = 40;
    const still = someViews(new Random(1));
    for (let i = 0; i < frames; i++) {
      const views = random.chance(0.5) ? still : someViews(random);
      if (i === 20) crowd.teleport(army.id(3), (at) => at.position.set(1, 0, 1));
      await updateAndWait(crowd, { dt: 0.05, views: i > frames - 20 ? still : views });
    }
    const again = stateCrowd(undefined, options);
    expect(await replayInputs(again, log.since())).toBe(frames);
    expect(await listed(again)).toEqual(await listed(crowd));
    expect(await again.readStats()).toEqual(await crowd.readStats());
    expect((await crowd.readStats()).posed).toBeLessThan((await crowd.readStats()).listed);
    // poses that are kept come from frames before the last
    const last = stateCrowd(undefined, options);
    await replayInputs(last, log.since(), { shows: 'last' });
    expect(await shown(last)).toEqual(await shown(crowd));
  });

  test('takes the same options, and 2 bytes for views that stay where they are', async () => {
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd);
    const views = someViews(new Random(1));
    const view = views[0]!;
    const sizes: number[] = [];
    for (const each of [[view], [view], [{ ...view, detail: 0.1 }], [view, view], undefined, [view, view], []]) {
      const before = log.byteLength;
      await updateAndWait(crowd, { dt: 0, ...(each && { views: each }) });
      sizes.push(log.byteLength - before);
    }
    // the first one tells its seconds; 0.1 is no 32-bit float
    expect(sizes).toEqual([10 + 74, 2, 2 + 146, 2 + 147, 2, 2, 2]);
    const others = [
      { updateRates: false },
      { maxPoses: 5 },
      { lodTolerancePx: 2 },
      { maxVertexBytes: 2 ** 30 },
      { poseSharing: SHARING },
      { providers: [] },
    ] as const;
    for (const options of others) {
      await expect(replayInputs(stateCrowd(undefined, options), log.since())).rejects.toThrow(coded('LOG_MISMATCH'));
    }
  });
});

/** Everybody who shows one clip shares its poses. */
const SHARING = { belowPx: 1e9, phases: 2, minWeight: 0.51 };

describe.runIf(hasTurn(0))('a replay of far characters that share poses', () => {
  test.each(SEEDS)('ends where they ended: seed %i', async (seed) => {
    const crowd = stateCrowd(undefined, { poseSharing: SHARING });
    const log = recordInputs(crowd);
    let saved = 0;
    for (let i = 0; i < FRAMES; i++) {
      await randomFrame(crowd, 1000 * seed + i);
      // neither more poses than those who show them, nor always as many
      const { listed: shows, posed } = await crowd.readStats();
      saved += shows - posed;
    }
    expect(saved).toBeGreaterThan(0);
    const again = stateCrowd(undefined, { poseSharing: SHARING });
    expect(await replayInputs(again, log.since())).toBe(FRAMES);
    expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
    await Promise.all([crowd, again].map((each) => updateAndWait(each, { dt: 0.1 })));
    expect(await listed(again)).toEqual(await listed(crowd));
    expect(await shown(again)).toEqual(await shown(crowd));
  });

  test('writes no row after those of characters', async () => {
    const { ids } = internalsOf(stateCrowd(undefined, { poseSharing: SHARING })).host;
    for (const column of [0, 1, 2]) {
      for (const row of [ids.capacity - 1, ids.capacity]) {
        const crowd = stateCrowd(undefined, { poseSharing: SHARING });
        const log = recordInputs(crowd);
        const { columns } = internalsOf(crowd).host;
        const first = row * internalsOf(crowd).host.rowsPerCharacter(column);
        columns[column]!.view.words.fill(0x7fc00000, first * 8, (first + 1) * 8);
        columns[column]!.changed(first);
        await updateAndWait(crowd, { dt: 0 });
        const done = replayInputs(stateCrowd(undefined, { poseSharing: SHARING }), log.since());
        if (row < ids.capacity) expect(await done).toBe(1); // nobody lives there
        else await expect(done, `column ${column}`).rejects.toThrow(coded('LOG_INVALID'));
      }
    }
  });
});

/** A crowd, a log of some frames of it, and what stands in the log. */
async function someLog(
  seed: number,
  frames = 40,
): Promise<{ crowd: Crowd; log: InputLog; bytes: Uint8Array<ArrayBuffer> }> {
  const crowd = stateCrowd(undefined);
  const log = recordInputs(crowd);
  for (let i = 0; i < frames; i++) await randomFrame(crowd, 1000 * seed + i);
  return { crowd, log, bytes: log.since() };
}

describe.runIf(hasTurn(0))('an input log', () => {
  test('takes two bytes for a frame in which nothing changes, and of what changes the words', async () => {
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd);
    const army = crowd.spawn(fighter, { count: 30 });
    const motes = crowd.spawn(mote, { count: 2 });
    const grownBy = async (deed: () => void) => {
      await updateAndWait(crowd, { dt: 1 / 60 });
      const before = log.byteLength;
      deed();
      await updateAndWait(crowd, { dt: 1 / 60 });
      return log.byteLength - before;
    };
    await updateAndWait(crowd, { dt: 1 / 60 });
    expect(await grownBy(() => undefined)).toBe(2);
    expect(await grownBy(() => army.parameter('speed').fill(0))).toBe(2); // as it was
    const sizes = {
      place: await grownBy(() => crowd.setTransform(army.id(3), (at) => at.position.set(1, 2, 3))),
      parameter: await grownBy(() => army.parameter('speed').fill(2)),
      trigger: await grownBy(() => army.trigger('attack')),
      play: await grownBy(() => motes.play(0, { fade: 0.25 })),
      spawn: await grownBy(() => crowd.spawn(fighter, { count: 5 })),
      despawn: await grownBy(() => army.despawn([0, 1, 2])),
    };
    console.log('bytes of log:', sizes);
    expect(sizes.place).toBeLessThan(30);
    expect(sizes.parameter).toBeLessThan(30 * 6);
    expect(sizes.trigger).toBeLessThan(30 * 14);
    expect(sizes.play).toBeLessThan(2 * 70);
    expect(sizes.spawn).toBeLessThan(5 * 80);
    expect(sizes.despawn).toBeLessThan(3 * 40);
  });

  test('holds failed spawns, and callbacks by what they left', async () => {
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd);
    let calls = 0;
    crowd.spawn(mote, { count: 3, place: (i, at) => at.position.set(++calls, i, 0.5) });
    const broken = () => {
      crowd.spawn(fighter, { count: 4, place: (i) => i === 2 && fail('no more') });
    };
    const fail = (why: string): never => {
      throw new Error(why);
    };
    expect(broken).toThrow('no more');
    crowd.setTransform(crowd.ids[0]!, (at) => at.rotation.setYaw(++calls));
    await updateAndWait(crowd, { dt: 0.1 });
    crowd.spawn(fighter);
    const again = stateCrowd(undefined);
    await replayInputs(again, log.since());
    expect(calls).toBe(4);
    expect(again.ids).toEqual(crowd.ids);
    expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
  });

  test('is the same bytes for the same inputs, from the start or after a snapshot', async () => {
    const [a, b] = [await someLog(3), await someLog(3)];
    expect(a.bytes).toEqual(b.bytes);
    const snapshots = [await saveSnapshot(a.crowd), await saveSnapshot(b.crowd)];
    expect(snapshots[0]!.bytes).toEqual(snapshots[1]!.bytes);
    for (const { crowd } of [a, b]) for (let i = 0; i < 5; i++) await randomFrame(crowd, i);
    expect(a.log.since(snapshots[0])).toEqual(b.log.since(snapshots[1]));
  });

  test('drops the part that it may drop, and reports when its limit was reached', async () => {
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd, { maxLogBytes: 4096 });
    const old = await saveSnapshot(stateCrowd(undefined));
    expect(() => log.since(old)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    const first = await saveSnapshot(crowd);
    for (let i = 0; i < 10; i++) await randomFrame(crowd, i);
    const second = await saveSnapshot(crowd);
    for (let i = 10; i < 15; i++) await randomFrame(crowd, i);
    const [all, half] = [log.since(first).length, log.since(second).length];
    expect(half).toBeLessThan(all);
    log.rotate(second);
    expect(() => log.since(first)).toThrow(coded('LOG_OVERFLOW'));
    expect(log.since().length).toBe(half);
    for (let i = 0; log.isComplete; i++) await randomFrame(crowd, i);
    expect(() => log.since()).toThrow(coded('LOG_OVERFLOW'));
    expect(() => log.since(second)).toThrow(coded('LOG_OVERFLOW'));
    await randomFrame(crowd, 77);
    expect(log.byteLength).toBe(0);
    const third = await saveSnapshot(crowd); // it begins again here
    await randomFrame(crowd, 78);
    const again = stateCrowd(undefined, { from: third });
    await replayInputs(again, log.since(third));
    expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
    log.rotate();
    expect(await replayInputs(again, log.since())).toBe(0);
    log.stop();
    await randomFrame(crowd, 79);
    expect(await replayInputs(again, log.since())).toBe(0);
    expect(() => recordInputs(crowd, { maxLogBytes: 10 })).toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('is refused where it does not fit', async () => {
    const { bytes, crowd } = await someLog(5);
    await expect(replayInputs(crowd, bytes)).rejects.toThrow(coded('LOG_MISMATCH'));
    for (const options of [{ maxClips: 4 }, { maxModifiers: 1 }, { characters: [fighter, mote] }, { capacity: 3 }]) {
      await expect(replayInputs(stateCrowd(undefined, options), bytes)).rejects.toThrow(coded('LOG_MISMATCH'));
    }
    const other = stateCrowd(undefined);
    other.spawn(mote);
    await expect(replayInputs(other, bytes)).rejects.toThrow(coded('LOG_MISMATCH'));
    other.destroy();
    await expect(replayInputs(other, bytes)).rejects.toThrow(coded('CROWD_DESTROYED'));
    expect(() => recordInputs(other)).toThrow(coded('CROWD_DESTROYED'));
  });

  test('with ground that exceeds the device says so; invalid ground makes an invalid log', async () => {
    const heights = new Float32Array(12);
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd);
    crowd.setGround({ heights, columns: 3, rows: 4 });
    await updateAndWait(crowd, { dt: 0 });
    const small = stateCrowd(undefined);
    Object.defineProperty(internalsOf(small).host.backend.limits, 'bindingBytes', { value: 40 });
    await expect(replayInputs(small, log.since())).rejects.toThrow(coded('DEVICE_LIMIT'));
    internalsOf(crowd).host.setGround({ heights, columns: 3, rows: 4, origin: [0, 0, 0], spacing: [1, -1], lean: 0 });
    await expect(replayInputs(stateCrowd(undefined), log.since())).rejects.toThrow(coded('LOG_INVALID'));
  });

  test('is refused wherever it is cut off or has a bit that differs', async () => {
    const { bytes } = await someLog(6);
    const crowd = stateCrowd(undefined);
    for (let length = 0; length < bytes.length; length += length < 100 ? 1 : 211) {
      await expect(replayInputs(crowd, bytes.slice(0, length))).rejects.toThrow(coded('LOG_INVALID'));
    }
    for (let at = 8; at < bytes.length; at += 101) {
      const copy = bytes.slice();
      copy[at]! ^= 1 << (at % 8);
      await expect(replayInputs(crowd, copy), `byte ${at}`).rejects.toThrow(coded('LOG_INVALID'));
    }
    expect(crowd.frame).toBe(0);
  });

  test('with calls that a crowd refuses is not a log', async () => {
    const reshaped = (change: Change) => (crowd: Crowd) =>
      internalsOf(crowd).host.tell((watcher) => (watcher.before?.(change.kind), watcher.after?.(change)));
    const told =
      (dt: number, height = 1) =>
      (crowd: Crowd) =>
        internalsOf(crowd).host.tell((watcher) => watcher.frame?.(dt, [{ ...someViews(new Random(1))[0]!, height }]));
    const deeds: Readonly<Record<string, (crowd: Crowd) => void>> = {
      'no seconds': (crowd) => (told(0.1)(crowd), told(NaN)(crowd)),
      'seconds before': told(-1),
      'endless seconds': told(Infinity),
      'too many seconds': told(2 ** 31),
      'too many of them for its speed': (crowd) => ((internalsOf(crowd).host.timeScale = 1e6), told(1e4)(crowd)),
      'a view of no height': told(0.1, NaN),
      'a view of less': told(0.1, -1),
      'more than can live': reshaped({ kind: 'grow', fields: { capacity: 2 ** 24 + 1 } }),
      'a character that is there': reshaped({ kind: 'addCharacter', fields: { character: fighter } }),
      'to give up one that lives': (crowd) => (
        crowd.spawn(fighter),
        reshaped({ kind: 'removeCharacter', fields: { type: 0 } })(crowd)
      ),
    };
    for (const [name, deed] of Object.entries(deeds)) {
      const crowd = stateCrowd(undefined);
      const log = recordInputs(crowd);
      deed(crowd);
      const done = replayInputs(stateCrowd(undefined), log.since(), { maxCapacity: 2 ** 25, characters: [fighter] });
      await expect(done, name).rejects.toThrow(coded('LOG_INVALID'));
    }
  });

  test('does not answer for what listeners do', async () => {
    const { bytes } = await someLog(8);
    const again = stateCrowd(undefined);
    again.on('event', () => again.despawn(-1));
    await expect(replayInputs(again, bytes)).rejects.toThrow(coded('CROWD_BAD_ID'));
  });

  test('with whatever byte in whatever place is refused with a code, or plays', { timeout: 300_000 }, async () => {
    const { bytes } = await someLog(7, full ? 25 : 15);
    const random = new Random(runSeed);
    const fates = new Map<string, number>();
    for (let i = 0; i < (full ? 1200 : 60); i++) {
      const copy = bytes.slice();
      const at = i < 24 ? 4 + i : random.integer(4, copy.length - 1);
      copy[at] = random.chance(0.3) ? random.pick([0, 1, 0x7f, 0x80, 0xff]) : random.integer(0, 255);
      const words = new Uint32Array(copy.buffer, 0, 4);
      if (at < 8 || at > 15) words[3] = 0;
      if (words[3] === 0) words[3] = crc32(copy);
      let fate = 'plays';
      const crowd = stateCrowd(undefined);
      try {
        await replayInputs(crowd, copy);
        readSnapshot((await saveSnapshot(crowd)).bytes);
      } catch (thrown) {
        fate = thrown instanceof ManipleError ? thrown.code : `${at} = ${copy[at]}: ${String(thrown)}`;
      }
      fates.set(fate, (fates.get(fate) ?? 0) + 1);
    }
    console.log([...fates]);
    const codes = new Set(['plays', 'LOG_INVALID', 'LOG_VERSION', 'LOG_MISMATCH']);
    expect([...fates.keys()].filter((fate) => !codes.has(fate))).toEqual([]);
  });
});
