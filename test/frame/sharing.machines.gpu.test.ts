// Far characters that share poses, on the GPU.
import { describe, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { CONTROLLER_SHARING_CASES, SHARING_CASES } from '../support/sharing-cases.ts';

describe.skipIf(noGpu())('sharing', () => {
  // software adapters take a minute to compile what steps controllers
  test.each(Object.entries({ ...SHARING_CASES, ...CONTROLLER_SHARING_CASES }))(
    '%s',
    { timeout: 300_000 },
    async (_, run) => run((await testDevice()).device),
  );
});
