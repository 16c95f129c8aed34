// `maniple simulate` on kernels: a large controller, many steps.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { noGpu } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { full, noShared, shared } from '../support/setup.ts';
import { answer } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectClose } from './run-case.ts';
import type { SimulateAnswer } from './simulate-cases.ts';

const folder = temporaryFolder();
/** A software adapter takes ten milliseconds for each. */
const STEPS = 2000;

// test/controller/unity-files.machines.gpu.test.ts plays such files in short runs, too
describe.skipIf(!full || noGpu() || noShared())('simulate on kernels', () => {
  test(`${STEPS} steps of a large controller, as on twins and in time (seed 21)`, async () => {
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
  });
});
