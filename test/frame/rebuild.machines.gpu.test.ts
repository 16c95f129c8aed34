// Crowds whose device is lost in mid-frame, and that go on on another.
import { describe, expect } from 'vitest';
import { nodeDevice } from '../../src/node/node-gpu.ts';
import { type Crowd } from '../../src/index.ts';
import { saveSnapshot, rebuildCrowd } from '../../src/state/index.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { checkRebuild } from '../support/rebuild-scene.ts';
import { full, someSeeds, testInTurn } from '../support/setup.ts';
import { pictureAnew } from '../support/state-picture.ts';
import { CAST, fighter, mote, stateCrowd } from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

/** Software adapters compile state machines for seconds, and here on two devices: the twins' test has them always. */
const characters = full ? CAST : [mote];
const SEEDS = someSeeds(1, 6, 500);

// software adapters take their time
describe.skipIf(noGpu())('a crowd with a lost device', { timeout: 300_000 }, () => {
  testInTurn(2).each(SEEDS)('is, on another device, as if nothing had happened: seed %i', async (seed) => {
    const { device: before } = await nodeDevice();
    const { device: after } = await testDevice();
    // another one, without snapshots
    const plain = stateCrowd(before, { characters });
    if (full) plain.spawn(fighter, { count: 3 }).parameter('speed').fill(3);
    const movers = plain.spawn(characters.at(full ? 2 : 0)!, { place: (_, at) => at.position.set(1, 2, 3) });
    const motes = plain.spawn(mote, { count: 2 });
    motes.play(0);
    motes.attach('bone 2');
    await updateAndWait(plain, { dt: 0.5 });
    let pending: Promise<void> | undefined;
    const lose = () => {
      pending = updateAndWait(plain, { dt: 0.5 });
      pending.catch(() => undefined);
      before.destroy();
    };
    const compare = async (rebuilt: Crowd, twin: Crowd) => {
      for (const each of [rebuilt, twin]) {
        each.moveOrigin([0, 0, 0]);
        each.despawn(each.ids.slice(0, 3));
        each.spawn(mote, { count: 3, place: (i, at) => at.position.set(i - 1, 0, 0) }).play(0);
        await updateAndWait(each, { dt: 0.2 });
      }
      const [picture, expected] = [await pictureAnew(after, rebuilt), await pictureAnew(after, twin)];
      expect(picture).toEqual(expected);
      expect(new Set(picture).size).toBeGreaterThan(20);
    };
    await checkRebuild({ keep: { intervalSeconds: 1 }, characters }, seed, { before, lose, after, compare });

    await expect(pending).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    await expect(saveSnapshot(plain)).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    const { crowd: rebuilt, from } = await rebuildCrowd(plain, after);
    expect([from, rebuilt.frame, rebuilt.time, rebuilt.count]).toEqual(['start', 2, 1, full ? 6 : 3]);
    expect((await rebuilt.readTransforms(movers.ids))[0]!.position).toMatchObject({ x: 1, y: 2, z: 3 });
    await updateAndWait(rebuilt, { dt: 0 });
    if (full) {
      const states = await rebuilt.readControllers(rebuilt.ids.slice(0, 4));
      expect(states.map(({ layers }) => layers[0]!.state)).toEqual(['Walk', 'Walk', 'Walk', 'Walk']);
    }
    // clips of the host go on by the clock, and hold what they held
    const twin = stateCrowd(after, { characters });
    const same = twin.spawn(mote, { count: 2 });
    same.play(0);
    const held = same.attach('bone 2');
    await updateAndWait(twin, { dt: 1 });
    const again = await rebuilt.readSockets(motes.ids.flatMap((id) => rebuilt.attachmentsOf(id)));
    expect(again.length).toBe(2);
    expect([...again]).toEqual([...(await twin.readSockets(held))]);
    for (const each of [rebuilt, twin]) each.destroy();
  });
});
