// A crowd that keeps within a budget of memory, on both backends.
import { expect, test } from 'vitest';
import { deviceTier } from '../../src/device/tier.ts';
import type { CrowdBudget, CrowdOptions } from '../../src/index.ts';
import { describeBackends } from '../support/backends.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded, largeActor, smallActor } from '../support/crowd-truth.ts';
import { testInTurn } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const small = smallActor();
const large = largeActor();
const CAPACITY = 300;
/** Counted for rings of uploads, whatever they take. */
const UPLOADS = 2 ** 20;

describeBackends('a budget of bytes', (backend) => {
  const create = (budget: CrowdBudget | undefined, options: Partial<CrowdOptions> = {}) =>
    createCrowd(backend.device, {
      characters: [small.character, large.character],
      capacity: CAPACITY,
      backend: backend.name,
      ...(budget && { budget }),
      ...options,
    });

  /** Fills a crowd with characters of the larger type, and runs frames. */
  async function fill(crowd: ReturnType<typeof create>) {
    crowd.spawn(large.character, { count: crowd.capacity, place: (i, at) => at.position.set(i, 0, 0) }).play(0);
    for (const dt of [0, 0.1, 0.1]) await updateAndWait(crowd, { dt });
    const stats = await crowd.readStats();
    expect(stats.listed).toBeGreaterThan(0);
    return { bytes: crowd.byteLength, stats };
  }

  testInTurn(0)('is kept by a full crowd, at any size, and in its statistics', { timeout: 120_000 }, async () => {
    const free = await fill(create(undefined));
    expect(free.stats.budget).toBeUndefined();
    expect(free.stats.undrawn).toBe(0);
    const seen: string[] = [];
    for (const share of [4, 0.8, 0.6, 0.4]) {
      const bytes = UPLOADS + Math.floor(share * free.bytes);
      const crowd = create({ bytes });
      const used = await fill(crowd);
      const { budget, undrawn, unposed } = used.stats;
      expect(used.bytes, `${share}`).toBeLessThanOrEqual(bytes);
      expect(budget).toMatchObject({ byteLength: used.bytes, maxBytes: bytes, detail: 1, milliseconds: undefined });
      seen.push(`${share}: ${budget!.skin.join()}, ${budget!.maxPoses} poses, ${undrawn} undrawn, ${unposed} unposed`);
      const skin = backend.device && deviceTier(backend.device) === 'compatibility' ? 'vertex' : 'compute';
      if (share > 1) expect([budget!.skin, undrawn, unposed]).toEqual([[skin, skin], 0, 0]);
      // a larger crowd has no more memory
      crowd.grow(CAPACITY + 20);
      await updateAndWait(crowd, { dt: 0.1 });
      expect(crowd.byteLength, `${share}, grown`).toBeLessThanOrEqual(bytes);
      crowd.destroy();
    }
    console.log(seen.join('\n'));
  });

  test('of milliseconds is followed by the detail of views, by the time of one frame in eight', async () => {
    const hasTimes = backend.name === 'cpu' || backend.device!.features.has('timestamp-query');
    const clipFromWorld = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const details: number[] = [];
    for (const milliseconds of [1e-6, 1e6]) {
      const crowd = create({ milliseconds });
      crowd.spawn(small.character, { count: 20 }).play(0);
      for (let frame = 0; frame < 25; frame++)
        await updateAndWait(crowd, { dt: 0.1, views: [{ clipFromWorld, height: 100 }] });
      const { budget } = await crowd.readStats();
      if (hasTimes) expect(budget!.milliseconds).toBeGreaterThan(0);
      else expect(budget!.milliseconds).toBeUndefined();
      details.push(budget!.detail);
      crowd.destroy();
    }
    // frames 8, 16 and 24 are timed
    expect(details).toEqual([hasTimes ? expect.closeTo(0.85 ** 3) : 1, 1]);
  });

  test('leaves options of the application as they are', async () => {
    const crowd = create({ bytes: 3e6 }, { skin: 'vertex', maxPoses: 7 });
    const { stats } = await fill(crowd);
    expect(stats.budget).toMatchObject({ skin: ['vertex', 'vertex'], maxPoses: 7 });
    crowd.destroy();
  });

  test('that holds not one character is refused, with the bytes that one takes', () => {
    expect(() => create({ bytes: 1000 })).toThrow(coded('CROWD_FULL'));
    expect(() => create({ bytes: 1000 })).toThrow(
      /Got 1000 bytes; the tables and columns of this crowd and one character take \d{6,}/,
    );
    for (const budget of [{ bytes: 0 }, { bytes: -1 }, { bytes: NaN }, { milliseconds: '4' }, { megabytes: 1 }, 5]) {
      expect(() => create(budget as CrowdBudget)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
  });
});
