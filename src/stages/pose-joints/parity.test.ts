import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { expectSamePoses, posesScene } from '../../../test/support/random-poses.ts';
import { SEEDS, describeCase, randomCharacters, recordedCharacter } from '../../../test/support/random-rigs.ts';
import { sample, some } from '../../../test/support/setup.ts';
import type { Character } from '../../character/character.ts';

describe.skipIf(noGpu())('pose-joints against its twin (metric 1e-5 of size as posed)', () => {
  // each seed compiles kernels of three paths: the short run takes every ninth of its seeds
  test.each(sample(SEEDS, 9))('random rigs, motions, layers, masks, mirrors and modifiers: seed %i', async (seed) => {
    await expectParity(seed, randomCharacters(seed));
  });

  // the three paths: in workgroup memory, in storage, joint after joint; a short run compiles one of them
  test.each(some([2, 3, 7], 1))('clips in sampled form, beside others: seed %i', async (seed) => {
    const recorded = recordedCharacter(seed);
    expect(recorded.clips.every(({ form }) => form === 'sampled')).toBe(true);
    await expectParity(seed, [recorded, ...randomCharacters(seed).slice(0, 1)], seed === 7);
  });

  async function expectParity(seed: number, made: readonly Character[], serialPoses = seed % 3 === 0): Promise<void> {
    const scene = posesScene(new Random(seed), made, seed, serialPoses);
    const { device } = await testDevice();
    const gpu = await scene.onGpu(device, 'pose-joints');
    expectSamePoses(scene, scene.onTwin('pose-joints'), gpu, describeCase(seed, made));
  }
});
