// Crowds that grow and take on characters, on the GPU: buffers are copied to larger ones.
import { beforeAll, describe, expect, test } from 'vitest';
import { createForwardRenderer } from '../../src/render/forward/forward.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { checkCast, checkGrowth } from '../support/grow-scene.ts';
import { coded } from '../support/crowd-truth.ts';
import { hasTurn, someSeeds } from '../support/setup.ts';
import { pictureOf } from '../support/state-picture.ts';
import { mote, rover, stateCrowd } from '../support/state-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const SEEDS = someSeeds(1, 6, 700);

// software adapters take their time
describe.skipIf(noGpu() || !hasTurn(0))('a crowd on the GPU', { timeout: 300_000 }, () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  test.each(SEEDS)('grows with nothing lost: seed %i', (seed) => checkGrowth(device, seed));
  test.each(SEEDS)('takes on characters and gives them up: seed %i', (seed) => checkCast(device, seed));

  test('is drawn as before by the renderer that it had', async () => {
    const crowd = stateCrowd(device, { characters: [mote] });
    crowd.spawn(mote, { count: 3, place: (i, at) => at.position.set(i - 1, 0, 0) }).play(0);
    const renderer = await createForwardRenderer(device, crowd, { shadowResolution: 256 });
    const take = () => pictureOf(device, renderer);
    await updateAndWait(crowd, { dt: 0.3 });
    const before = await take();
    crowd.grow(500);
    expect(await take()).toEqual(before);
    await updateAndWait(crowd, { dt: 0 });
    expect(await take()).toEqual(before);
    expect(new Set(before).size).toBeGreaterThan(20);
    crowd.addCharacter(rover);
    await expect(take()).rejects.toThrow(coded('RENDER_FAILED'));
    [renderer, crowd].forEach((owned) => owned.destroy());
  });
});
