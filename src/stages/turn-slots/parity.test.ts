import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { randomModel } from '../../../test/support/random-model.ts';
import { Random } from '../../../test/support/random.ts';
import { StageScene } from '../../../test/support/stage-scene.ts';
import { packCharacter } from '../../asset/pack/index.ts';
import { View } from '../../layout/index.ts';
import { SLOT_FRESH, SlotState } from '../layout.ts';

const SHAPE = { joints: 2, depth: 2, influences: 1, morphs: 0, clips: 1, scales: false, meshes: 1, keys: 2 };

describe.skipIf(noGpu())('turn-slots against its twin (exact)', () => {
  test.each([1, 2, 3, 4])('slots that are fresh, current, or asleep since long ago: seed %i', async (seed) => {
    const random = new Random(seed);
    const models = [20, 300].map((vertices) => randomModel(random, { ...SHAPE, vertices, interpolations: ['LINEAR'] }));
    const scene = new StageScene(
      models.map((model) => packCharacter(model)),
      { each: random.integer(1, 150), motionCapacity: 1, kernels: { serialPoses: true, cachedPalettes: false } },
    );
    const frame = random.pick([0, 1, 77, 0xffffffff]);
    scene.params.set(0, 'frame', frame);
    const slots = new View(SlotState, scene.arrays.slots.buffer);
    for (let i = 0; i < slots.count; i++) {
      const { vertexOffset, slotCapacity } = scene.page.place(i)!;
      const last = random.pick([SLOT_FRESH, (frame - 1) >>> 0, (frame - random.integer(2, 500)) >>> 0]);
      slots.assign(i, { frame: last, currentVertexOffset: vertexOffset + random.pick([0, slotCapacity]) });
    }
    const { device } = await testDevice();
    const [twin, gpu] = [scene.onTwin('turn-slots'), await scene.onGpu(device, 'turn-slots')];
    expect(gpu.slots).toEqual(twin.slots);
    expect(gpu.visible).toEqual(twin.visible);
  });
});
