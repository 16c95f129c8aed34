// Save and restore on the twins; what GPUs add stands in save.gpu.test.ts.
import { describe, expect, test } from 'vitest';
import { readSnapshot } from '../../src/index.ts';
import { Random } from '../support/random.ts';
import { full } from '../support/setup.ts';
import { contents, doSomething, randomFrame, shown, stateCrowd } from '../support/state-scene.ts';

const SEEDS = Array.from({ length: full ? 30 : 4 }, (_, i) => 100 + i);

describe('a snapshot', () => {
  test.each(SEEDS)('goes on as the crowd that it was taken of, whatever it does: seed %i', async (seed) => {
    const crowd = stateCrowd(undefined);
    for (let i = 0; i < 60; i++) await randomFrame(crowd, 1000 * seed + i);
    doSomething(crowd, new Random(seed)); // what no frame has taken yet is part of it
    const snapshot = await crowd.save();
    expect([snapshot.frame, snapshot.time, snapshot.count]).toEqual([crowd.frame, crowd.time, crowd.count]);
    const restored = stateCrowd(undefined, { from: readSnapshot(snapshot.bytes) });
    expect(restored.ids).toEqual(crowd.ids);
    expect(contents(await restored.save())).toEqual(contents(snapshot));
    for (let i = 60; i < 120; i++) {
      await randomFrame(crowd, 1000 * seed + i);
      await randomFrame(restored, 1000 * seed + i);
    }
    await crowd.update({ dt: 0.1 });
    await restored.update({ dt: 0.1 });
    expect(contents(await restored.save())).toEqual(contents(await crowd.save()));
    expect(await shown(restored)).toEqual(await shown(crowd));
  });
});
