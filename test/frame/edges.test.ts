// Who stands at the edges of views, on the twins.
import { describe, expect, test } from 'vitest';
import { addSockets, type CharacterId, type Crowd, type CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { AHEAD } from '../support/cull-hand.ts';
import { lookFromNearby } from '../support/edge-cases.ts';
import { recruit } from '../support/soldiers.ts';
import { full } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { saveSnapshot } from '../../src/state/index.ts';

test.each([
  [1, {}],
  [2, {}],
  [3, { poseSharing: { belowPx: 1e9, phases: 2, minWeight: 0.51 } }],
])('a character that boxes of clips take out of a view has no vertex in it: seed %i, %o', async (seed, options) => {
  const met = await lookFromNearby([undefined], seed, full ? 60 : 24, options);
  console.log(`seed ${seed}: characters in views`, met);
  expect(Math.min(met.lost, met.unseen, met.outside)).toBeGreaterThan(full ? 100 : 40);
  expect(met.kept).toBeGreaterThan(full ? 1000 : 400);
});

test('spheres decide for characters with update rates: they show a pose other than the one that plays', async () => {
  const met = await lookFromNearby([undefined], 4, 20, {
    updateRates: { halfBelowPx: 1e30, quarterBelowPx: 0, eighthBelowPx: 0 },
  });
  expect(met.lost).toBe(0);
  expect(met.unseen).toBeGreaterThan(100);
});

describe('outside a view, and in it by its sphere only', () => {
  const walker = addSockets(recruit(), ['head']);

  /** How many are listed of one that plays its first clip; what a host does with it before. */
  async function listed(
    options: Partial<CrowdOptions>,
    deed: (crowd: Crowd, id: CharacterId) => void = () => undefined,
  ) {
    const crowd = createCrowd(undefined, {
      characters: [walker],
      capacity: 8,
      backend: 'cpu',
      updateRates: false,
      ...options,
    });
    const id = crowd.spawn(walker, { place: (_, at) => at.position.set(6, 0, -4) }).id(0);
    crowd.play(id, 0);
    deed(crowd, id);
    await updateAndWait(crowd, { dt: 0.1, views: [AHEAD] });
    const before = (await crowd.readStats()).listed;
    const again = createCrowd(undefined, { ...options, characters: [walker], backend: 'cpu', capacity: 8, updateRates: false, from: await saveSnapshot(crowd) }); // prettier-ignore
    await updateAndWait(again, { dt: 0.1, views: [AHEAD] });
    expect((await again.readStats()).listed).toBe(before);
    crowd.destroy();
    again.destroy();
    return before;
  }

  test('is a character that plays one clip, where all can be posed', async () => {
    expect(await listed({})).toBe(0);
    expect(await listed({ maxPoses: 7 })).toBe(1);
    expect(await listed({ maxPoses: 8 })).toBe(0);
  });

  test('is a character that carries nothing', async () => {
    expect(await listed({}, (crowd, id) => crowd.attach(id, 'head'))).toBe(1);
    expect(await listed({}, (crowd, id) => crowd.attach(id, 'head').detach())).toBe(0);
    const both = (crowd: Crowd, id: CharacterId) => [crowd.attach(id, 'head'), crowd.attach(id, 'head')] as const;
    expect(await listed({}, (crowd, id) => both(crowd, id)[0].detach())).toBe(1);
    expect(await listed({}, (crowd, id) => both(crowd, id).forEach((one) => one.detach()))).toBe(0);
  });
});
