// Input logs on the twins; what GPUs add stands in replay.gpu.test.ts.
import { describe, expect, test } from 'vitest';
import { recordInputs, replay } from '../../src/index.ts';
import { Random } from '../support/random.ts';
import { full } from '../support/setup.ts';
import { contents, doSomething, randomFrame, shown, stateCrowd } from '../support/state-scene.ts';

const SEEDS = Array.from({ length: full ? 30 : 4 }, (_, i) => 200 + i);

describe('a replay', () => {
  test.each(SEEDS)('of 200 random frames ends where they ended: seed %i', async (seed) => {
    const crowd = stateCrowd(undefined);
    const log = recordInputs(crowd);
    for (let i = 0; i < 200; i++) await randomFrame(crowd, 1000 * seed + i, i === 199 ? true : undefined);
    const again = stateCrowd(undefined);
    expect(await replay(again, log.since())).toBe(200);
    expect(again.ids).toEqual(crowd.ids);
    expect(contents(await again.save())).toEqual(contents(await crowd.save()));
    expect(await shown(again)).toEqual(await shown(crowd));
    const last = stateCrowd(undefined);
    await replay(last, log.since(), { shows: 'last' });
    expect(await shown(last)).toEqual(await shown(crowd));
  });

  test.each(SEEDS)('goes on from a snapshot, and holds what no frame has taken yet: seed %i', async (seed) => {
    const crowd = stateCrowd(undefined);
    for (let i = 0; i < 30; i++) await randomFrame(crowd, 1000 * seed + i);
    const log = recordInputs(crowd);
    for (let i = 30; i < 60; i++) await randomFrame(crowd, 1000 * seed + i);
    const random = new Random(seed);
    for (let i = 0; i < 3; i++) doSomething(crowd, random);
    const snapshot = await crowd.save();
    for (let i = 0; i < 3; i++) doSomething(crowd, random);
    for (let i = 60; i < 120; i++) await randomFrame(crowd, 1000 * seed + i);
    for (let i = 0; i < 5; i++) doSomething(crowd, random);
    const again = stateCrowd(undefined, { from: snapshot });
    await replay(again, log.since(snapshot));
    expect(contents(await again.save())).toEqual(contents(await crowd.save()));
    await again.update({ dt: 0.1 });
    await crowd.update({ dt: 0.1 });
    expect(await shown(again)).toEqual(await shown(crowd));
  });
});
