// State of crowds on the GPU: saved, restored, replayed, and handed to the twins and back.
import { beforeAll, describe, expect, test } from 'vitest';
import { saveSnapshot, readSnapshot, recordInputs, replayInputs } from '../../src/state/index.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { full, someSeeds } from '../support/setup.ts';
import { contents, doSomething, randomFrame, shown, stateCrowd } from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const FRAMES = full ? 200 : 20;
const HALF = full ? 40 : 10;
const SEEDS = someSeeds(1, 8, 300);

// software adapters take their time
describe.skipIf(noGpu())('state on the GPU', { timeout: 300_000 }, () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  test.each(SEEDS)('random frames, replayed, end where they ended bit by bit: seed %i', async (seed) => {
    const crowd = stateCrowd(device);
    const log = recordInputs(crowd);
    for (let i = 0; i < FRAMES; i++) await randomFrame(crowd, 1000 * seed + i, i > FRAMES - 3 ? true : undefined);
    const [state, look] = [contents(await saveSnapshot(crowd)), await shown(crowd)];
    for (const shows of ['all', 'last'] as const) {
      const again = stateCrowd(device);
      expect(await replayInputs(again, log.since(), { shows })).toBe(FRAMES);
      expect(again.ids).toEqual(crowd.ids);
      expect(contents(await saveSnapshot(again))).toEqual(state);
      expect(await shown(again)).toEqual(look);
      again.destroy();
    }
    console.log(`seed ${seed}: ${log.byteLength} bytes of log, ${crowd.count} characters`);
    crowd.destroy();
  });

  test.each(SEEDS)('a snapshot goes on as the crowd that it was taken of: seed %i', async (seed) => {
    const crowd = stateCrowd(device);
    for (let i = 0; i < HALF; i++) await randomFrame(crowd, 1000 * seed + i);
    doSomething(crowd, new Random(seed));
    const snapshot = await saveSnapshot(crowd);
    const restored = stateCrowd(device, { from: readSnapshot(snapshot.bytes), capacity: 100 });
    expect(contents(await saveSnapshot(restored))).toEqual(contents(snapshot));
    for (let i = HALF; i < 2 * HALF; i++) {
      const seen = i > 2 * HALF - 3 ? true : undefined;
      await Promise.all([crowd, restored].map((each) => randomFrame(each, 1000 * seed + i, seen)));
    }
    expect(contents(await saveSnapshot(restored))).toEqual(contents(await saveSnapshot(crowd)));
    expect(await shown(restored)).toEqual(await shown(crowd));
    crowd.destroy();
    restored.destroy();
  });

  test.each(SEEDS)('goes to the twins, and back, with nothing lost: seed %i', async (seed) => {
    const crowd = stateCrowd(device);
    for (let i = 0; i < HALF; i++) await randomFrame(crowd, 1000 * seed + i);
    doSomething(crowd, new Random(seed));
    const snapshot = await saveSnapshot(crowd);
    const twin = stateCrowd(undefined, { from: snapshot });
    const moved = await saveSnapshot(twin);
    expect(contents(moved)).toEqual(contents(snapshot));
    const back = stateCrowd(device, { from: moved });
    expect(contents(await saveSnapshot(back))).toEqual(contents(snapshot));
    // one frame of each: what they show is alike
    for (const each of [crowd, twin, back]) await updateAndWait(each, { dt: 0.01 });
    expect(await shown(back)).toEqual(await shown(crowd));
    const expected = await Promise.all(twin.ids.map((id) => twin.readTransforms(id)));
    const actual = await Promise.all(back.ids.map((id) => back.readTransforms(id)));
    actual.forEach(([at], i) => expect(at!.position.z).toBeCloseTo(expected[i]![0]!.position.z, 4));
    for (const each of [crowd, twin, back]) each.destroy();
  });
});
