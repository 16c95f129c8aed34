// What controllers show, on the GPU, against an evaluation of layers in doubles.
import { describe, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { checkPoses } from '../support/layer-cases.ts';

describe.skipIf(noGpu())('controllers on the GPU', () => {
  test('layers, masks, trees, transitions and what is frozen of them pose as the evaluator says', async () => {
    await checkPoses((await testDevice()).device, 2e-5);
  });
});
