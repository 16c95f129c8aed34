// What must never go wrong, however a crowd is treated: too little memory, too many views, nobody, everybody anew.
import { beforeAll, describe, expect, test } from 'vitest';
import type { CharacterId, Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { farthest, largeActor, smallActor } from '../support/crowd-truth.ts';
import { Company, flightViews, shownBy, type Shown } from '../support/flight.ts';
import { noGpu, takeGpuErrors, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const small = smallActor();
const large = largeActor();
const characters = [small.character, large.character];
/** Slots hold vertices at every level. */
const shape = { characters, skin: 'compute' } as const;
const METRIC = 1e-5;
/** Bytes of one slot of each. */
const SLOT_BYTES = 2 * 12 * (80 + 224);

const around = (i: number) => ({ x: 3 * (i % 8), z: 3 * Math.floor(i / 8) });
const wide = (height = 400) => ({
  clipFromWorld: clipFromWorld({ eye: [10, 60, 60], target: [10, 0, 10], fovY: 1.4 }, 16 / 9),
  height,
});

function armies(crowd: Crowd, each: number): CharacterId[] {
  return characters.flatMap((character, type) => {
    const group = crowd.spawn(character, {
      count: each,
      place: (i, at) => at.position.set(around(i).x, 0, around(i).z + 30 * type),
    });
    group.play(0, { speed: 0, time: 0.2 });
    return [...group.ids];
  });
}

describe.skipIf(noGpu())('fault drills', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  /** Everyone who is shown has the vertices of a crowd with room for all. */
  function expectWhole(shown: ReadonlyMap<number, Shown>, whole: ReadonlyMap<number, Shown>): void {
    for (const [row, { current }] of shown) {
      const actor = whole.get(row)!.current.length / 3 === large.character.vertexCount ? large : small;
      expect(farthest(actor, current, whole.get(row)!.current), `character ${row}`).toBeLessThan(METRIC);
    }
  }

  test('pools ten times too small: as many as fit are drawn, the largest first, and none wrongly', async () => {
    const each = 40;
    const [tight, roomy] = [SLOT_BYTES * (each / 10), 2 ** 30].map((vertexMemory) =>
      createCrowd(device, { ...shape, capacity: 2 * each, maxVertexBytes: vertexMemory, updateRates: false }),
    ) as [Crowd, Crowd];
    const rows = armies(tight, each).map((id) => id % 2 ** 24);
    armies(roomy, each);
    const near = { clipFromWorld: clipFromWorld({ eye: [10, 4, -12], target: [10, 0, 20], fovY: 1 }, 1), height: 400 };
    for (let frame = 0; frame < 6; frame++) {
      // the view turns round: others are large now
      const views = [frame < 3 ? near : wide()];
      await Promise.all([tight, roomy].map((crowd) => updateAndWait(crowd, { dt: 0.1, views })));
      const [shown, whole] = [await shownBy(device, tight, rows), await shownBy(device, roomy, rows)];
      const stats = await tight.readStats();
      expect(shown.size + stats.undrawn).toBe(whole.size);
      expect(shown.size).toBeGreaterThan(2);
      expectWhole(shown, whole);
    }
    expect(await takeGpuErrors()).toEqual([]);
    tight.destroy();
    roomy.destroy();
  });

  test('poses for one in ten: every character is drawn sooner or later, and none wrongly', async () => {
    const each = 10;
    const [tight, roomy] = [2, 2 * each].map((poses) =>
      createCrowd(device, { ...shape, capacity: 2 * each, maxPoses: poses }),
    ) as [Crowd, Crowd];
    const rows = armies(tight, each).map((id) => id % 2 ** 24);
    armies(roomy, each);
    const seen = new Set<number>();
    for (let frame = 0; frame < 60; frame++) {
      await Promise.all([tight, roomy].map((crowd) => updateAndWait(crowd, { dt: 0 })));
      const [shown, whole] = [await shownBy(device, tight, rows), await shownBy(device, roomy, rows)];
      expect((await tight.readStats()).posed).toBeLessThanOrEqual(2);
      expectWhole(shown, whole);
      for (const row of shown.keys()) seen.add(row);
    }
    expect(seen.size).toBe(2 * each);
    tight.destroy();
    roomy.destroy();
  });

  test('every character jumps in every frame: no motion except that of the jump', async () => {
    const crowd = createCrowd(device, { ...shape, capacity: 20 });
    const ids = armies(crowd, 10);
    const random = new Random(4);
    for (let frame = 0; frame < 4; frame++) {
      for (const id of ids)
        crowd.teleport(id, (at) => at.position.set(random.range(-20, 20), 0, random.range(-20, 20)));
      await updateAndWait(crowd, { dt: 0.1, views: [wide()] });
      const shown = await shownBy(
        device,
        crowd,
        ids.map((id) => id % 2 ** 24),
      );
      for (const { current, previous } of shown.values()) expect(current).toEqual(previous);
    }
    crowd.destroy();
  });

  test('no character is visible, then all are, in one view and in 32', async () => {
    const crowd = createCrowd(device, { ...shape, capacity: 20, updateRates: false });
    const rows = armies(crowd, 10).map((id) => id % 2 ** 24);
    const away = { clipFromWorld: clipFromWorld({ eye: [0, 500, 0], target: [0, 900, 1] }, 1), height: 100 };
    const counts = [];
    for (const views of [[away], [wide()], Array.from({ length: 32 }, (_, v) => (v % 2 ? wide() : away)), [away], []]) {
      await updateAndWait(crowd, { dt: 0.1, views });
      counts.push((await crowd.readStats()).listed);
      if (views.length === 32) {
        const shown = await shownBy(device, crowd, rows);
        for (const { views: bits } of shown.values()) expect(bits).toBe(0xaaaaaaaa);
      }
    }
    // a frame without views leaves the list of the one before alone
    expect(counts).toEqual([0, 20, 20, 0, 0]);
    await expect(async () =>
      updateAndWait(crowd, { dt: 0, views: Array.from({ length: 33 }, () => wide()) }),
    ).rejects.toThrow(/33/);
    crowd.destroy();
  });

  test('follows its views: 60 frames with everything going on, on little memory', async () => {
    const company = new Company(device, { ...shape, capacity: 40, maxVertexBytes: SLOT_BYTES * 5, maxPoses: 9 });
    const random = new Random(2);
    for (let frame = 0; frame < 60; frame++) {
      company.act(random, 36);
      await updateAndWait(company.crowd, { dt: 0.05, views: flightViews(frame, 60) });
    }
    const { posed } = await company.crowd.readStats();
    expect(posed).toBeLessThanOrEqual(9);
    expect(await takeGpuErrors()).toEqual([]);
    company.crowd.destroy();
  });
});
