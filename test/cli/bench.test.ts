// What `maniple bench` refuses, and what it does without a device.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BENCH_SCENES } from '../../src/bench/run-bench.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { maniple } from './maniple.ts';

const folder = temporaryFolder();

const row = { scene: 'parade', count: 10, stage: 'frame', subject: 'maniple', work: 10, unit: 'characters' };
const adapter = { vendor: 'v', architecture: 'a', device: 'd', description: 'A GPU' };
const report = {
  format: 'maniple-bench',
  version: 1,
  maniple: '0.1.0',
  adapter,
  kind: 'hardware',
  hasTimestamps: true,
  rounds: 1,
  seconds: 1,
  rows: [{ ...row, milliseconds: 1, spread: 0.01 }],
  leftOut: [{ scene: 'three', count: 10, reason: 'the package is missing' }],
};

function write(name: string, value: unknown): string {
  const file = path.join(folder, name);
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

describe('maniple bench', () => {
  test('has a help that names every scene', async () => {
    const { stdout, code } = await maniple(['bench', '--help']);
    expect(code).toBe(0);
    for (const name of Object.keys(BENCH_SCENES)) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  test('refuses unknown scenes, with those that exist', async () => {
    const { stdout, code } = await maniple(['bench', 'parade', 'regatta', '--json']);
    expect(code).toBe(2);
    const { errors } = JSON.parse(stdout) as { errors: { code: string; message: string; suggestion: string }[] };
    expect(errors).toMatchObject([{ code: 'USAGE', message: 'There is no scene "regatta".' }]);
    expect(errors[0]!.suggestion).toContain(Object.keys(BENCH_SCENES).join(', '));
  });

  test.each([
    ['not JSON', '{', /Not valid JSON/],
    ['another form', { format: 'maniple-log' }, /one of "maniple-bench"/],
    ['a negative time', { ...report, rows: [{ ...row, milliseconds: -1, spread: 0 }] }, /rows\/0\/milliseconds/],
    ['too many rows', { ...report, rows: Array.from({ length: 5000 }, () => report.rows[0]) }, /rows/],
  ])('refuses a report that is %s', async (name, value, message) => {
    const { stderr, code } = await maniple(['bench', '--from', write(`${name}.json`, value)]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('shows a report that it has written, and why scenes are missing', async () => {
    const { stdout, code } = await maniple(['bench', '--from', write('report.json', report)]);
    expect(code).toBe(0);
    expect(stdout).toContain('A GPU, maniple 0.1.0: 1 round');
    expect(stdout).toContain('left out: three, 10 characters: the package is missing');
  });

  test('warns where the runs used different adapters, and does not compare other work', async () => {
    const other = { ...report, adapter: { ...adapter, device: 'e' }, rows: [{ ...report.rows[0], work: 20 }] };
    const [now, before] = [write('now.json', report), write('before.json', other)];
    const { stdout } = await maniple(['bench', '--from', now, '--compare', before]);
    expect(stdout).toContain('different adapters');
    expect(stdout).toContain('1 rows are in one run only, or differ in work.');
  });

  test('joins runs of other scenes on one adapter, and refuses those of two', async () => {
    const three = { ...report, rows: [{ ...row, scene: 'three', milliseconds: 3, spread: 0 }], leftOut: [], rounds: 4 };
    const files = [write('one.json', report), write('two.json', three)];
    const { stdout } = await maniple(['bench', '--from', files[0]!, '--from', files[1]!]);
    expect(stdout).toContain('1 round in 2 s');
    expect(stdout).toContain('parade, 10 characters');
    expect(stdout).toContain('three, 10 characters');
    // the other run has measured it
    expect(stdout).not.toContain('left out');
    const other = write('other.json', { ...three, adapter: { ...adapter, description: 'Another' } });
    const refused = await maniple(['bench', '--from', files[0]!, '--from', other]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('The runs used d, A GPU and d, Another.');
  });

  test('refuses a device that runs nothing', async () => {
    const { code, stderr } = await maniple(['bench', 'gallery'], { env: { MANIPLE_GPU: 'null' } });
    expect(code).toBe(1);
    expect(stderr).toContain('DEVICE_UNAVAILABLE');
  });

  test('measures nothing with --from, and so takes no scenes', async () => {
    const { code, stderr } = await maniple(['bench', 'parade', '--from', write('report.json', report)]);
    expect(code).toBe(2);
    expect(stderr).toContain('--from');
  });
});
