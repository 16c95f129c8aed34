// Characters that are hidden, on the GPU.
import { describe, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { HIDDEN_CASES } from '../support/hidden-cases.ts';

describe.skipIf(noGpu())('hidden characters', () => {
  test.each(Object.entries(HIDDEN_CASES))('%s', async (_, run) => run((await testDevice()).device));
});
