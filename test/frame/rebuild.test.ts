// Crowds that are made anew, on the twins.
import { describe, expect, test } from 'vitest';
import { keepSnapshots, rebuildCrowd, recordInputs, saveSnapshot } from '../../src/state/index.ts';
import { coded } from '../support/crowd-truth.ts';
import { someSeeds } from '../support/setup.ts';
import { checkRebuild } from '../support/rebuild-scene.ts';
import { contents, fighter, idsOf, mote, randomFrame, rover, shown, stateCrowd } from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const SEEDS = someSeeds(1, 20, 400);

describe('a crowd that is rebuilt', () => {
  test.each(SEEDS)('from a snapshot and the log is as if nothing had happened: seed %i', async (seed) => {
    await checkRebuild({ keep: { intervalSeconds: 1 } }, seed, {});
  });

  test('takes a snapshot early where its log is nearly full', async () => {
    await checkRebuild({ keep: { intervalSeconds: 1e6, maxLogBytes: 2048 } }, 9, {});
  });

  test('is kept as well: it can be lost again, and again', async () => {
    let crowd = stateCrowd(undefined, { keep: { intervalSeconds: 0.7 } });
    const twin = stateCrowd(undefined);
    const [logs, same] = [recordInputs(crowd), recordInputs(twin)];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 6 * round + 12; i++) {
        for (const each of [crowd, twin]) await randomFrame(each, 100 * round + i, true);
      }
      // somebody's own log does not depend on when snapshots were taken
      if (round === 0) expect(logs.since()).toEqual(same.since());
      const rebuilt = await rebuildCrowd(crowd, undefined);
      expect(rebuilt.from).toBe('snapshot');
      ({ crowd } = rebuilt);
      expect(contents(await saveSnapshot(crowd))).toEqual(contents(await saveSnapshot(twin)));
    }
    // whose last snapshot is of the last frame has nothing to show before the next one
    for (const each of [crowd, twin]) await updateAndWait(each, { dt: 0.1 });
    expect(await shown(crowd)).toEqual(await shown(twin));
  });

  test('holds what hidden characters carry as they were last shown', async () => {
    const crowd = stateCrowd(undefined, { keep: { intervalSeconds: 1e6 } });
    const twin = stateCrowd(undefined);
    for (const each of [crowd, twin]) {
      const motes = each.spawn(mote, { count: 2 });
      motes.attach('bone 2');
      each.modifyJoint(motes.id(0), 'bone 2', { rotation: [0, 0, 1, 1] });
      await updateAndWait(each, { dt: 0.1 });
      each.hide(motes.id(0));
      for (let i = 0; i < 12; i++) await updateAndWait(each, { dt: 0.1 });
    }
    const { crowd: rebuilt } = await rebuildCrowd(crowd, undefined);
    expect(contents(await saveSnapshot(rebuilt))).toEqual(contents(await saveSnapshot(twin)));
  });

  test('is kept from the first snapshot on where it has run before', async () => {
    const [crowd, twin] = [stateCrowd(undefined), stateCrowd(undefined)];
    for (let i = 0; i < 20; i++) for (const each of [crowd, twin]) await randomFrame(each, 600 + i, true);
    await keepSnapshots(crowd, { intervalSeconds: 1e6 });
    for (let i = 20; i < 26; i++) for (const each of [crowd, twin]) await randomFrame(each, 600 + i, true);
    const { crowd: rebuilt, from, frames } = await rebuildCrowd(crowd, undefined);
    expect([from, frames]).toEqual(['snapshot', 6]);
    expect(contents(await saveSnapshot(rebuilt))).toEqual(contents(await saveSnapshot(twin)));
  });

  test('is kept as a later call wants it', async () => {
    const crowd = stateCrowd(undefined, { keep: { intervalSeconds: 1e6 } });
    crowd.spawn(mote, { count: 3 });
    await updateAndWait(crowd, { dt: 0.1 });
    await keepSnapshots(crowd, { intervalSeconds: 0 });
    await updateAndWait(crowd, { dt: 0.1 });
    expect((await rebuildCrowd(crowd, undefined)).frames).toBeLessThan(2);
  });

  test('begins to be kept between frames only', async () => {
    const crowd = stateCrowd(undefined);
    const frame = crowd.encode(undefined, { dt: 0.1 });
    await expect(keepSnapshots(crowd, { intervalSeconds: 1 })).rejects.toThrow(coded('CROWD_FRAME_OPEN'));
    await frame.submitted();
    crowd.destroy();
    await expect(keepSnapshots(crowd, { intervalSeconds: 1 })).rejects.toThrow(coded('CROWD_DESTROYED'));
  });

  test('without snapshots starts again with the transforms of the CPU, and says so', async () => {
    const crowd = stateCrowd(undefined);
    const [soldiers, movers, motes] = [fighter, rover, mote].map((character) =>
      crowd.spawn(character, { count: 2, place: (i, at) => at.position.set(i, 0, 5) }),
    );
    motes!.play(0, { fade: 0 });
    motes!.hideParts(mote.parts[0]!);
    soldiers!.parameter('speed').fill(3);
    crowd.timeScale = 0.5;
    await updateAndWait(crowd, { dt: 0.5 });
    await updateAndWait(crowd, { dt: 0.5 });
    soldiers!.trigger('attack', [1]);
    crowd.despawn(soldiers!.id(0));
    const { crowd: rebuilt, from, frames } = await rebuildCrowd(crowd, undefined);
    expect([from, frames, rebuilt.timeScale, rebuilt.frame, rebuilt.time]).toEqual(['start', 0, 0.5, 2, 0.5]);
    expect(rebuilt.ids).toEqual([...soldiers!.ids, ...movers!.ids, ...motes!.ids]);
    const [walked] = await rebuilt.readTransforms(movers!.id(0));
    expect(walked!.position).toMatchObject({ x: 0, z: 5 });
    expect(rebuilt.getParameter(soldiers!.id(1), 'speed')).toBe(3);
    await updateAndWait(rebuilt, { dt: 0.1 });
    const [state] = await rebuilt.readControllers(idsOf(rebuilt, fighter));
    expect(state!.layers[0]!.state).toBe('Attack');
    expect(() => crowd.spawn(mote)).toThrow();
    // clips of the host go on: they follow the clock
    const twin = stateCrowd(undefined);
    const same = twin.spawn(mote, { place: (_, at) => at.position.set(0, 0, 5) });
    same.play(0);
    same.hideParts(mote.parts[0]!);
    await updateAndWait(twin, { dt: 0.55 });
    const { modelFromJoint } = await twin.readPose(same.id(0));
    expect(await rebuilt.readPose(motes!.id(0))).toMatchObject({ modelFromJoint });
  });
});
