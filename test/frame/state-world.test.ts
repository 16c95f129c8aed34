// State of what stands around characters: ground, origin, tints, things that are carried, rows of providers.
import { describe, expect, test } from 'vitest';
import { crc32 } from '../../src/character/file/crc32.ts';
import { type Crowd, type Ground } from '../../src/index.ts';
import { saveSnapshot, rebuildCrowd, recordInputs, readSnapshot, replayInputs } from '../../src/state/index.ts';
import { sectionsOf } from '../../src/state/snapshot.ts';
import { coded } from '../support/crowd-truth.ts';
import { contents, mote, rover, shown, stateCrowd } from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const SLOPE: Ground = { heights: Float32Array.of(0, 1, 2, 3), columns: 2, rows: 2, spacing: 10, lean: 1 };

/** Motes and rovers on a slope far off, of which some carry things and one ignores the ground. */
async function someWorld(options = {}): Promise<Crowd> {
  const crowd = stateCrowd(undefined, options);
  crowd.moveOrigin([1e7, 0, 0]);
  crowd.setGround({ ...SLOPE, origin: [1e7, 0, 0] });
  const place = (i: number, at: { position: { set(x: number, y: number, z: number): void } }) =>
    at.position.set(1e7 + i, 5, 2);
  const [motes, rovers] = [crowd.spawn(mote, { count: 4, place }), crowd.spawn(rover, { count: 2, place })];
  motes.play(0);
  motes.setTint([1, 0.5, 0, 1], [1]);
  crowd.followGround([motes.id(2), rovers.id(1)], 'ignore');
  const held = motes.attach('bone 1', { offset: { position: [0, 1, 0] } });
  crowd.attach(motes.id(0), 2, { whenCulled: 'hide' });
  held.detach([1]);
  crowd.setProviderRows('breeze', Float32Array.of(1, 2, 3, 4), 1);
  await updateAndWait(crowd, { dt: 0.4 });
  return crowd;
}

describe('a snapshot of a world', () => {
  test('holds ground, origin, tints, what is carried, and rows of providers', async () => {
    const crowd = await someWorld();
    const restored = stateCrowd(undefined, { from: readSnapshot((await saveSnapshot(crowd)).bytes) });
    expect(restored.origin).toEqual([1e7, 0, 0]);
    expect(restored.attachmentCount).toBe(4);
    const [first, second] = crowd.ids as [(typeof crowd.ids)[0], (typeof crowd.ids)[0]];
    const [hiding, held] = restored.attachmentsOf(first);
    expect([hiding!.index, held!.index]).toEqual(crowd.attachmentsOf(first).map(({ index }) => index));
    expect(restored.attachmentsOf(second)).toEqual([]);
    // nothing has been placed in its matrices yet
    expect([...(await restored.readSockets([held!]))]).toEqual([undefined]);
    for (const each of [crowd, restored]) await updateAndWait(each, { dt: 0.1 });
    expect(await shown(restored)).toEqual(await shown(crowd));
    const heights = (await restored.readTransforms(restored.ids)).map(({ position }) => position.y);
    expect(heights[2]).toBe(5); // it ignores the ground
    expect(heights[3]).toBeCloseTo(0.7, 5); // of the slope at 3, 2
    // rows that have been given back go to whom they would have gone to
    for (const each of [crowd, restored]) each.attach(second, 1);
    held!.detach();
    crowd.attachmentsOf(first)[1]!.detach();
    expect(contents(await saveSnapshot(restored))).toEqual(contents(await saveSnapshot(crowd)));
    expect(held!.isAttached).toBe(false);
  });

  test('holds what no frame has taken: a moved origin, things that were only attached', async () => {
    const crowd = await someWorld();
    crowd.moveOrigin([1e7 + 64, 0, 0]);
    crowd.attach(crowd.ids[1]!, 0);
    const restored = stateCrowd(undefined, { from: await saveSnapshot(crowd) });
    expect(contents(await saveSnapshot(restored))).toEqual(contents(await saveSnapshot(crowd)));
    for (const each of [crowd, restored]) await updateAndWait(each, { dt: 0.1 });
    expect(await shown(restored)).toEqual(await shown(crowd));
    expect(contents(await saveSnapshot(restored))).toEqual(contents(await saveSnapshot(crowd)));
  });

  test('keeps the pose of what is carried out of sight', async () => {
    const crowd = await someWorld();
    const [held] = crowd.attachmentsOf(crowd.ids[3]!);
    const [before] = await crowd.readSockets([held!]);
    const restored = stateCrowd(undefined, { from: await saveSnapshot(crowd) });
    await updateAndWait(restored, { dt: 0, views: [] });
    expect((await restored.readSockets(restored.attachmentsOf(restored.ids[3]!)))[0]).toEqual(before);
  });

  test('is refused by crowds with other providers, and where it leads nowhere', async () => {
    const from = await saveSnapshot(await someWorld());
    expect(() => stateCrowd(undefined, { from, providers: [] })).toThrow(coded('SNAPSHOT_MISMATCH'));
    const wrong = (write: (sections: ReturnType<typeof sectionsOf>) => void) => () => {
      const bytes = from.bytes.slice(0);
      write(sectionsOf(bytes));
      const words = new Uint32Array(bytes);
      words[3] = 0;
      words[3] = crc32(new Uint8Array(bytes));
      return stateCrowd(undefined, { from: readSnapshot(bytes) });
    };
    const NAN = 0x7fc00000;
    expect(wrong(() => undefined)().count).toBe(6);
    for (const write of [
      ({ attachments }) => (attachments[0] = 33),
      ({ attachments }) => (attachments[1] = 1),
      ({ attachments }) => (attachments[2] = 2),
      ({ attachments }) => (attachments[9] = NAN),
      ({ attachmentJoints }) => (attachmentJoints[3] = NAN),
      ({ attachmentOrder }) => (attachmentOrder[0] = attachmentOrder[1]!),
      ({ freedAttachments }) => (freedAttachments[0] = 77),
      ({ heights }) => (heights[2] = NAN),
      ({ world }) => (world[1] = 0x7ff80000),
      ({ world }) => (world[17] = 0x40000000), // leans by 2
    ] as ((sections: ReturnType<typeof sectionsOf>) => number)[]) {
      expect(wrong(write), String(write)).toThrow(coded('SNAPSHOT_INVALID'));
    }
  });
});

describe('an input log of a world', () => {
  test('has transforms and moves of the origin in their order, within one frame as well', async () => {
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd);
    const motes = crowd.spawn(mote, { count: 2, place: (i, at) => at.position.set(5, 0, i) });
    await updateAndWait(crowd, { dt: 0.1 });
    // where it stood once the origin has moved is where it was placed before that
    crowd.setTransform(motes.id(0), (at) => at.position.set(7, 0, 0));
    crowd.moveOrigin([2, 0, 0]);
    crowd.setTransform(motes.id(1), (at) => at.position.set(7, 0, 0));
    crowd.moveOrigin([4, 0, 0]);
    await updateAndWait(crowd, { dt: 0.1 });
    const again = stateCrowd(undefined);
    await replayInputs(again, log.since());
    expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
    expect((await again.readTransforms(again.ids)).map(({ position }) => position.x)).toEqual([7, 7]);
  });

  test('records a row with an unchanged bit of the ground, though another character has it', async () => {
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd);
    const [first] = crowd.spawn(mote).ids;
    crowd.followGround(first!, 'ignore');
    await updateAndWait(crowd, { dt: 0 });
    crowd.despawn(first!);
    crowd.followGround(crowd.spawn(mote).ids, 'ignore');
    await updateAndWait(crowd, { dt: 0 });
    const again = stateCrowd(undefined);
    await replayInputs(again, log.since());
    expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
  });
});

test('a world is rebuilt, with a snapshot and without', async () => {
  for (const options of [{ keep: { intervalSeconds: 1 } }, {}]) {
    const crowd = await someWorld(options);
    const expected = contents(await saveSnapshot(crowd));
    const { crowd: rebuilt, from } = await rebuildCrowd(crowd, undefined);
    expect(from).toBe('keep' in options ? 'snapshot' : 'start');
    const actual = contents(await saveSnapshot(rebuilt));
    if (from === 'snapshot') expect(actual).toEqual(expected);
    for (const name of ['world', 'heights', 'looks', 'attachments', 'attachmentOrder', 'providerRows', 'placed']) {
      expect(actual[name], name).toEqual(expected[name]);
    }
    await updateAndWait(rebuilt, { dt: 0 });
    expect(rebuilt.attachmentCount).toBe(4);
    rebuilt.destroy();
  }
});
