// `maniple simulate` on kernels: the same answers as on their twins.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { full, noShared, shared } from '../support/setup.ts';
import { answer, temporaryFolder } from './maniple.ts';
import { expectClose, expectSteps, runCaseOn } from './run-case.ts';
import { SIMULATE_CASES, type SimulateAnswer } from './simulate-cases.ts';

const folder = temporaryFolder();
/** Some take kernels of their own, which software adapters compile for ten seconds: full runs have them. */
const CASES = Object.entries(SIMULATE_CASES).filter(([name]) => full || !/synced|root motion/.test(name));
/** A software adapter takes ten milliseconds for each. */
const STEPS = 2000;

describe.skipIf(noGpu())('simulate on kernels', () => {
  test.each(CASES)('%s', async (name, one) => {
    const { device } = await testDevice();
    expectSteps(await runCaseOn(device, path.join(folder, name.replace(/\W+/g, '-')), one), one);
  });

  // test/controller/unity-files.gpu.test.ts plays it in short runs, too
  test.skipIf(!full || noShared())(
    `${STEPS} steps of a large controller, as on twins and in time (seed 21)`,
    async () => {
      const random = new Random(21);
      const steps = Array.from({ length: STEPS }, () => ({
        dt: 1 / 64,
        ...(random.chance(0.1) && {
          set: { Speed: random.range(0, 2), VX: random.range(-1, 1), Grounded: random.chance(0.7) },
        }),
        ...(random.chance(0.03) && { trigger: [random.pick(['Attack', 'Hit'])] }),
      }));
      const script = path.join(folder, 'steps.json');
      writeFileSync(script, JSON.stringify(steps));
      const controller = path.join(shared, 'unity/synthetic-all-features.controller');
      const run = (backend: string) =>
        answer<SimulateAnswer>(['simulate', controller, '--script', script, '--backend', backend]);
      const start = performance.now();
      const gpu = await run('gpu');
      expect(performance.now() - start).toBeLessThan(30 * STEPS);
      const cpu = await run('cpu');
      expect(gpu.issues).toEqual(cpu.issues);
      gpu.steps.forEach((step, i) => expectClose(step, cpu.steps[i], `step ${i}`));
    },
  );
});
