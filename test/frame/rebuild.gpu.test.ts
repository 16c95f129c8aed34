// Crowds whose device is lost in mid-frame, and that go on on another.
import { describe, expect, test } from 'vitest';
import { nodeDevice } from '../../src/device/node.ts';
import { rebuildCrowd } from '../../src/index.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { checkRebuild } from '../support/rebuild-scene.ts';
import { full } from '../support/setup.ts';
import { fighter, rover, stateCrowd } from '../support/state-scene.ts';

const SEEDS = Array.from({ length: full ? 6 : 1 }, (_, i) => 500 + i);

// software adapters take their time
describe.skipIf(noGpu())('a crowd whose device is lost', { timeout: 600_000 }, () => {
  test.each(SEEDS)('is, on another device, as if nothing had happened: seed %i', async (seed) => {
    const { device: before } = await nodeDevice();
    const { device: after } = await testDevice();
    // another one, without snapshots
    const plain = stateCrowd(before);
    plain.spawn(fighter, { count: 3 }).parameter('speed').fill(3);
    const movers = plain.spawn(rover, { place: (_, at) => at.position.set(1, 2, 3) });
    await plain.update({ dt: 0.5 });
    let pending: Promise<void> | undefined;
    const lose = () => {
      pending = plain.update({ dt: 0.5 });
      pending.catch(() => undefined);
      before.destroy();
    };
    await checkRebuild({ snapshots: { everySeconds: 1 } }, seed, { before, lose, after });

    await expect(pending).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    await expect(plain.save()).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    const { crowd: rebuilt, from } = await rebuildCrowd(plain, after);
    expect([from, rebuilt.frame, rebuilt.time, rebuilt.count]).toEqual(['start', 2, 1, 4]);
    expect((await rebuilt.readTransforms(movers.ids))[0]!.position).toMatchObject({ x: 1, y: 2, z: 3 });
    await rebuilt.update({ dt: 0 });
    const states = await rebuilt.readState(rebuilt.ids);
    expect(states.map(({ layers }) => layers[0]!.state)).toEqual(['Walk', 'Walk', 'Walk', 'Walk']);
    rebuilt.destroy();
  });
});
