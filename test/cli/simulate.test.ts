// `maniple simulate` on the CPU: what it answers, whose clips play, and what it refuses.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from './maniple.ts';
import { expectSteps, runCase } from './run-case.ts';
import { SIMULATE_CASES } from './simulate-cases.ts';

const folder = temporaryFolder();

describe('simulate answers what was computed by hand', () => {
  test.concurrent.each(Object.entries(SIMULATE_CASES))('%s', async (name, one) => {
    const got = await runCase(path.join(folder, name.replace(/\W+/g, '-')), one);
    expectSteps(got, one);
    const missing = got.issues.filter(({ code }) => code === 'CONTROLLER_CLIP_MISSING');
    expect(missing.map((issue) => issue.path)).toEqual(name.includes('missing') ? ['clips/missing'] : []);
    expect(got.issues).toHaveLength(missing.length);
  });
});
