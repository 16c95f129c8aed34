// `maniple simulate` on kernels: the same answers as on their twins.
import path from 'node:path';
import { describe, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { full, hasTurn, some } from '../support/setup.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectSteps, runCaseOn } from './run-case.ts';
import { SIMULATE_CASES } from './simulate-cases.ts';

const folder = temporaryFolder();
/** Some take kernels of their own, which software adapters compile for ten seconds: full runs have them. */
const CASES = some(
  Object.entries(SIMULATE_CASES).filter(([name]) => full || !/synced|root motion/.test(name)),
  3,
);

describe.skipIf(noGpu() || !hasTurn(0))('simulate on kernels', () => {
  test.each(CASES)('%s', async (name, one) => {
    const { device } = await testDevice();
    expectSteps(await runCaseOn(device, path.join(folder, name.replace(/\W+/g, '-')), one), one);
  });
});
