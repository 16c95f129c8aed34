// `maniple bench` on the adapter of tests.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { BenchReport, BenchRow } from '../../src/bench/report.ts';
import { percentOfFloor } from '../../src/bench/report.ts';
import { noCore } from '../support/gpu.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { maniple } from './maniple.ts';

/** The stage that makes what draws read. */
const LAST = noCore() ? 'keep-palettes' : 'skin-vertices';
const folder = temporaryFolder();
const file = path.join(folder, 'bench.json');
let report: BenchReport;

beforeAll(async () => {
  const plot = path.join(folder, 'bench.svg');
  const run = await maniple([
    'bench',
    'gallery',
    '--count',
    '40',
    '--seconds',
    '4',
    '--json',
    '--out',
    file,
    '--plot',
    plot,
  ]);
  expect(run.stderr).toBe('');
  expect(run.code).toBe(0);
  report = JSON.parse(run.stdout) as BenchReport;
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(report);
  expect(readFileSync(plot, 'utf8')).toContain('</svg>');
});

const row = (stage: string): BenchRow => report.rows.find((one) => one.stage === stage)!;

test('counts the work of every stage from the lists of the GPU', () => {
  expect(report).toMatchObject({ format: 'maniple-bench', version: 1, hasTimestamps: true, leftOut: [] });
  expect(report.rows.map(({ stage }) => stage)).toEqual([
    'cull-characters',
    'gather-motions',
    'pose-joints',
    LAST,
    'frame',
    'host',
  ]);
  // types 0 … 7 have two characters, the others one; type i has 16 + 2 i joints and 240 + 60 i vertices
  const types = Array.from({ length: 32 }, (_, i) => ({
    characters: i < 8 ? 2 : 1,
    joints: 16 + 2 * i,
    vertices: 240 + 60 * i,
  }));
  const sum = (of: 'joints' | 'vertices') => types.reduce((total, type) => total + type.characters * type[of], 0);
  expect(row('pose-joints').work).toBe(sum('joints'));
  // draws of the compatibility level skin, from three rows a joint
  expect(row(LAST).work).toBe(noCore() ? 3 * sum('joints') : sum('vertices'));
  expect(row(LAST).bytes).toBeGreaterThan(12 * row(LAST).work);
});

test('measures each stage beside its floor', () => {
  for (const one of report.rows.filter(({ stage }) => stage !== 'host')) {
    expect(one.milliseconds, one.stage).toBeGreaterThan(0);
    expect(one.floorMilliseconds, one.stage).toBeGreaterThan(0);
    expect(percentOfFloor(one), one.stage).toBeGreaterThan(0);
  }
  const stages = report.rows.filter(({ stage }) => stage !== 'host' && stage !== 'frame');
  const together = stages.reduce((total, { bytes }) => total + bytes!, 0);
  expect(row('frame').bytes).toBe(together);
});

test('compares with an earlier run: equal to itself, slower than one of half its times', async () => {
  const same = await maniple(['bench', '--from', file, '--compare', file]);
  expect(same.stdout).toContain('6 rows are the same within noise, 0 are not.');
  expect(same.code).toBe(0);
  const rows = report.rows.map((one) => ({ ...one, milliseconds: one.milliseconds / 4, spread: 0 }));
  const faster = path.join(folder, 'faster.json');
  writeFileSync(faster, JSON.stringify({ ...report, rows }));
  const exact = path.join(folder, 'exact.json');
  writeFileSync(exact, JSON.stringify({ ...report, rows: report.rows.map((one) => ({ ...one, spread: 0 })) }));
  const slower = await maniple(['bench', '--from', exact, '--compare', faster]);
  expect(slower.stdout).toMatch(new RegExp(`slower: gallery 40 ${LAST}: .* → .* ms \\(noise`));
  expect(slower.code).toBe(1);
});
