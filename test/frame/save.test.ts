// Save and restore on the twins; what GPUs add stands in save.gpu.test.ts.
import { describe, expect, test } from 'vitest';
import { crc32 } from '../../src/character/file/crc32.ts';
import { type CharacterId, ManipleError, type CrowdOptions } from '../../src/index.ts';
import { saveSnapshot, readSnapshot, type CrowdSnapshot } from '../../src/state/index.ts';
import { SnapshotHeader } from '../../src/state/snapshot.ts';
import { coded } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { full, runSeed, someSeeds } from '../support/setup.ts';
import { recruit, soldier } from '../support/soldiers.ts';
import {
  CAST,
  contents,
  doSomething,
  fighter,
  follower,
  idsOf,
  mote,
  randomFrame,
  rover,
  shown,
  stateCrowd,
} from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const HEADER = SnapshotHeader.size / 4;
const SEEDS = someSeeds(1, 30, 100);

describe('a snapshot', () => {
  test.each(SEEDS)('goes on as the crowd that it was taken of, whatever it does: seed %i', async (seed) => {
    const crowd = stateCrowd(undefined);
    for (let i = 0; i < 50; i++) await randomFrame(crowd, 1000 * seed + i);
    doSomething(crowd, new Random(seed)); // what no frame has taken yet is part of it
    const snapshot = await saveSnapshot(crowd);
    expect([snapshot.frame, snapshot.time, snapshot.count]).toEqual([crowd.frame, crowd.time, crowd.count]);
    const restored = stateCrowd(undefined, { from: readSnapshot(snapshot.bytes) });
    expect(restored.ids).toEqual(crowd.ids);
    expect(contents(await saveSnapshot(restored))).toEqual(contents(snapshot));
    for (let i = 50; i < 90; i++) {
      await randomFrame(crowd, 1000 * seed + i);
      await randomFrame(restored, 1000 * seed + i);
    }
    await updateAndWait(crowd, { dt: 0.1 });
    await updateAndWait(restored, { dt: 0.1 });
    expect(contents(await saveSnapshot(restored))).toEqual(contents(await saveSnapshot(crowd)));
    expect(await shown(restored)).toEqual(await shown(crowd));
  });
});

/** Bytes of a snapshot with one word changed and the checksum put right, so that only what is read can tell. */
function changed(bytes: ArrayBuffer, word: number, value: number): ArrayBuffer {
  const copy = bytes.slice(0);
  const words = new Uint32Array(copy);
  words[word] = value;
  if (word !== 3) {
    words[3] = 0;
    words[3] = crc32(new Uint8Array(copy));
  }
  return copy;
}

describe('a snapshot that is not what was saved', () => {
  async function someSnapshot(): Promise<CrowdSnapshot> {
    const crowd = stateCrowd(undefined);
    for (let i = 0; i < 40; i++) await randomFrame(crowd, 7000 + i);
    for (let i = 0; i < 6; i++) doSomething(crowd, new Random(i));
    return saveSnapshot(crowd);
  }

  test('is refused wherever it is cut off, lengthened, or has a bit that differs', async () => {
    const { bytes } = await someSnapshot();
    expect(readSnapshot(new Uint8Array(bytes)).bytes).toEqual(bytes);
    expect(readSnapshot(new Uint8Array([9, ...new Uint8Array(bytes)]).subarray(1)).bytes).toEqual(bytes);
    const lengths = Array.from({ length: bytes.byteLength }, (_, i) => i).filter((i) => i < 200 || i % 97 === 0);
    for (const length of lengths) expect(() => readSnapshot(bytes.slice(0, length))).toThrow(coded('SNAPSHOT_INVALID'));
    const longer = new Uint8Array(bytes.byteLength + 4);
    longer.set(new Uint8Array(bytes));
    expect(() => readSnapshot(longer)).toThrow(coded('SNAPSHOT_INVALID'));
    for (let at = 8; at < bytes.byteLength; at += 131) {
      const copy = new Uint8Array(bytes.slice(0));
      copy[at]! ^= 1 << (at % 8);
      expect(() => readSnapshot(copy), `byte ${at}`).toThrow(coded('SNAPSHOT_INVALID'));
    }
    expect(() => readSnapshot(changed(bytes, 0, 1))).toThrow(coded('SNAPSHOT_INVALID'));
    expect(() => readSnapshot(changed(bytes, 1, 1))).toThrow(coded('SNAPSHOT_VERSION'));
  });

  test('with whatever word in whatever place is refused with a code, or plays', { timeout: 300_000 }, async () => {
    const { bytes } = await someSnapshot();
    const words = new Uint32Array(bytes);
    const random = new Random(runSeed);
    const fates = new Map<string, number>();
    const VALUES = [0, 1, 7, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x7f800000];
    for (let i = 0; i < (full ? 4000 : 100); i++) {
      const word = i < HEADER ? i : random.integer(HEADER, words.length - 1);
      const value = random.chance(0.5) ? random.pick(VALUES) : (words[word]! ^ (1 << random.integer(0, 31))) >>> 0;
      let fate = 'plays';
      try {
        const crowd = stateCrowd(undefined, { from: readSnapshot(changed(bytes, word, value)) });
        await updateAndWait(crowd, { dt: 0.1 });
        await updateAndWait(crowd, { dt: 0.5 });
        readSnapshot((await saveSnapshot(crowd)).bytes);
      } catch (thrown) {
        fate = thrown instanceof ManipleError ? thrown.code : `${word} = ${value}: ${String(thrown)}`;
      }
      fates.set(fate, (fates.get(fate) ?? 0) + 1);
    }
    console.log([...fates]);
    const codes = new Set(['plays', 'SNAPSHOT_INVALID', 'SNAPSHOT_VERSION', 'SNAPSHOT_MISMATCH']);
    expect([...fates.keys()].filter((fate) => !codes.has(fate))).toEqual([]);
    expect(fates.get('SNAPSHOT_INVALID')).toBeGreaterThan(10);
  });

  test('is refused by crowds that it does not fit', async () => {
    const from = await someSnapshot();
    const wrong = (options: Partial<CrowdOptions>) => () => stateCrowd(undefined, { from, ...options });
    expect(wrong({ capacity: 5 })).toThrow(coded('SNAPSHOT_MISMATCH'));
    expect(wrong({ maxClips: 2 })).toThrow(coded('SNAPSHOT_MISMATCH'));
    expect(wrong({ maxModifiers: 2 })).toThrow(coded('SNAPSHOT_MISMATCH'));
    expect(wrong({ characters: [fighter, mote] })).toThrow(coded('SNAPSHOT_MISMATCH'));
    expect(wrong({ characters: [recruit(), ...CAST.slice(1)] })).toThrow(coded('SNAPSHOT_MISMATCH'));
    expect(wrong({ maxVertexBytes: 1_000 })).toThrow(coded('CROWD_FULL'));
    // another order, others beside them, more room; characters packed anew
    const fits = wrong({ characters: [recruit(), mote, rover, soldier(), follower], capacity: 99, maxClips: 5 })();
    expect(fits.ids.length).toBe(from.count);
    const again = fits.group(idsOf(fits, mote));
    again.play(0);
    expect(() => fits.group(fits.ids)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => fits.group([])).toThrow(coded('CROWD_BAD_ARGUMENT'));
    await updateAndWait(fits, { dt: 0.1 });
  });

  test('with only controllers fits crowds that share poses, whatever the limits of other types', async () => {
    const crowd = stateCrowd(undefined, { maxClips: 4 });
    crowd.spawn(fighter, { count: 3 });
    await updateAndWait(crowd, { dt: 0.1 });
    const from = await saveSnapshot(crowd);
    const sharing = { belowPx: 100 };
    const restored = stateCrowd(undefined, { from, characters: [fighter], poseSharing: sharing, maxClips: 2 });
    await Promise.all([crowd, restored].map((each) => updateAndWait(each, { dt: 0.1 })));
    expect(await restored.readControllers(restored.ids)).toEqual(await crowd.readControllers(crowd.ids));
    expect(() =>
      stateCrowd(undefined, { from, characters: [fighter, mote], poseSharing: sharing, maxClips: 2 }),
    ).toThrow(coded('SNAPSHOT_MISMATCH'));
  });

  test('holds no number that single precision does not', async () => {
    const crowd = stateCrowd(undefined);
    const [id] = crowd.spawn(mote).ids as [CharacterId];
    const [runner] = crowd.spawn(fighter).ids as [CharacterId];
    const held = crowd.attach(id, 0);
    crowd.play(id, 0);
    const ground = { heights: new Float32Array(4), columns: 2, rows: 2 };
    const far = 1e39;
    const deeds: readonly (() => unknown)[] = [
      () => crowd.play(id, 0, { fade: far }),
      () => crowd.setClips(id, [{ clip: 0, weight: far }]),
      () => crowd.setMorph(id, mote.morphNames[0]!, far),
      () => crowd.modifyJoint(id, 0, { translation: [0, far, 0] }),
      () => crowd.modifyJoint(id, 0, { rotation: [1e200, 1e200, 0, 0] }),
      () => crowd.attach(id, 0, { offset: { position: [far, 0, 0] } }),
      () => held.setOffset({ scale: far }),
      () => held.setOffset({ scale: [1, 1, Infinity] }),
      () => crowd.setTransform(id, (at) => at.position.set(far, 0, 0)),
      () => crowd.moveOrigin([0, far, 0]),
      () => crowd.setGround({ ...ground, origin: [0, far, 0] }),
      () => crowd.setParameter(runner, 'speed', far),
      () => crowd.setSpeed(runner, far),
      () => crowd.crossFade(runner, 'Walk', { duration: far }),
      () => crowd.playState(runner, 'Walk', { phase: far }),
    ];
    deeds.forEach((deed, i) => expect(deed, `${i}`).toThrow(coded('CROWD_BAD_ARGUMENT')));
    // what it holds is large, and goes on
    crowd.setClips(id, [{ clip: 0, weight: 1e38, phase: far, speed: far, loops: true }]);
    crowd.lookAt(id, 0, { target: [far, 1e300, 0] });
    held.setOffset({ position: [3e38, 0, 0], rotation: [1e-30, 0, 0, 1e-30] });
    crowd.setGround({ ...ground, origin: [0, 1e38, 0] });
    for (let i = 0; i < 2; i++) await updateAndWait(crowd, { dt: 0.1 });
    expect(stateCrowd(undefined, { from: readSnapshot((await saveSnapshot(crowd)).bytes) }).ids).toEqual(crowd.ids);
  });

  test('holds what was saved when the crowd has gone on, or is gone', async () => {
    const crowd = stateCrowd(undefined);
    for (let i = 0; i < 20; i++) await randomFrame(crowd, i);
    const expected = contents(await saveSnapshot(crowd));
    const pending = saveSnapshot(crowd);
    for (let i = 20; i < 25; i++) await randomFrame(crowd, i);
    crowd.destroy();
    expect(contents(await pending)).toEqual(expected);
    await expect(saveSnapshot(crowd)).rejects.toThrow(coded('CROWD_DESTROYED'));
  });
});
