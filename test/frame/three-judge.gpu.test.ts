import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { POSE_LIMITS } from '../support/pose-limits.ts';
import { referencedFiles } from '../support/references.ts';
import { noShared, sample } from '../support/setup.ts';
import { judge } from '../support/three-judge.ts';

const FILES = [
  'characters/robot-expressive.glb', // four skins, rigid parts and morph targets
  'characters/kenney-platformer-character.glb', // no skin: nodes move
  'creatures/spider.glb', // STEP and LINEAR
  'derived/spider-cubicspline.glb',
  'basics/MorphStressTest.glb',
  'derived/wolf-quantized.glb',
];

describe.skipIf(noShared() || noGpu())('poses of the GPU against three.js', () => {
  test.each(sample(FILES, 6))('%s', async (name) => {
    const file = referencedFiles().find((known) => known.file === name)!;
    const { worst, mean } = await judge(file, { backend: 'gpu' }, (await testDevice()).device);
    expect(worst).toBeLessThan(POSE_LIMITS.worst);
    expect(mean).toBeLessThan(POSE_LIMITS.mean);
  });
});
