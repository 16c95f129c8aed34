// What controllers show, on the CPU backend, against an evaluation of layers in doubles.
import { test } from 'vitest';
import { checkPoses } from '../support/layer-cases.ts';

test('layers, masks, trees, transitions and what is frozen of them pose as the evaluator says', async () => {
  await checkPoses(undefined, 2e-5);
});
