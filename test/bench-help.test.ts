// Benches list their options without opening a device.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { some } from './support/setup.ts';
import { trackedFiles } from './support/tracked-files.ts';

const root = path.resolve(import.meta.dirname, '..');
/** This bench reads its options in a way of its own. */
const OTHER = 'bench/impostors.ts';
const benches = trackedFiles().filter((file) => /^bench\/[\w-]+\.ts$/.test(file) && file !== OTHER);

const run = (bench: string, ...options: string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', bench, ...options], {
    cwd: root,
    encoding: 'utf8',
    // opening a device would fail
    env: { ...process.env, MANIPLE_GPU: 'nothing' },
  });

describe('benches', () => {
  test.each(some(benches, 1))('%s lists its options, and those of all benches', (bench) => {
    const { status, stdout, stderr } = run(bench, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [about, ...lines] = stdout.trimEnd().split('\n');
    expect(about).toMatch(/^[A-Z].*[.:]$/);
    const options = lines.filter((line) => line.startsWith('  --'));
    expect(options.length).toBeGreaterThan(3);
    for (const line of options) expect(line).toMatch(/^ {2}--[\w-]+( \S+)? {2,}\S/);
    expect(options.at(-1)).toMatch(/^ {2}--help +lists these options$/);
  });

  test.each(some(benches, 1))('%s refuses an option that it lacks', (bench) => {
    const { status, stdout, stderr } = run(bench, '--nonsense', '3');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/Unknown option '--nonsense'[^]*With --help the bench lists its options\.\n$/);
  });
});
