// Root motion and what the host does to joints, on the GPU.
import { beforeAll, describe, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { checkJoints, checkLook, checkMany } from '../support/modifier-cases.ts';
import { checkReported, checkRoot } from '../support/root-cases.ts';
import { full } from '../support/setup.ts';

describe.skipIf(noGpu())('characters on the GPU', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  test('are carried along by root motion', () => checkRoot(device));
  // it takes kernels that no other test has built: seconds on a software adapter
  test.skipIf(!full)('get the distance that it would have moved them', () => checkReported(device));
  test('have joints set and turned', () => checkJoints(device));
  test('have all joints set, and morph weights, as far as there are places', () => checkMany(device));
  test('look at places', () => checkLook(device));
});
