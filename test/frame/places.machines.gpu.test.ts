// Ground and origin, on the GPU.
import { describe, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { PLACE_CASES } from '../support/place-cases.ts';

describe.skipIf(noGpu())('places', () => {
  // software adapters take a minute to compile what steps controllers with root motion
  test.each(Object.entries(PLACE_CASES))('%s', { timeout: 300_000 }, async (_, run) =>
    run((await testDevice()).device),
  );
});
