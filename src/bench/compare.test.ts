import { expect, test } from 'vitest';
import { compareReports } from './compare.ts';
import type { BenchRow } from './report.ts';

const adapter = { vendor: '', architecture: '', device: '', description: 'A GPU' };
const row = (milliseconds: number, spread: number, stage = 'frame'): BenchRow => {
  return { scene: 'parade', count: 10, stage, subject: 'maniple', work: 10, unit: 'characters', milliseconds, spread };
};
const verdictOf = (before: BenchRow, after: BenchRow) =>
  compareReports({ adapter, rows: [before] }, { adapter, rows: [after] }).rows.map(({ verdict }) => verdict);

test('differences count beyond twice both spreads and 2 %', () => {
  expect(verdictOf(row(1, 0.05), row(1.2, 0.05))).toEqual(['same']);
  expect(verdictOf(row(1, 0.05), row(1.23, 0.05))).toEqual(['slower']);
  expect(verdictOf(row(1.23, 0.05), row(1, 0.05))).toEqual(['faster']);
  // a spread of one run alone counts as well
  expect(verdictOf(row(1, 0), row(1.23, 0.12))).toEqual(['same']);
  expect(verdictOf(row(1, 0), row(1.015, 0))).toEqual(['same']);
  expect(verdictOf(row(0.001, 0), row(0.0029, 0))).toEqual(['same']);
});

test('times of the CPU vary more', () => {
  expect(verdictOf(row(1, 0, 'host'), row(1.2, 0, 'host'))).toEqual(['same']);
  expect(verdictOf(row(1, 0, 'host'), row(1.3, 0, 'host'))).toEqual(['slower']);
});

test('rows of one run only, and of other work, are not compared', () => {
  const { rows, unmatched } = compareReports(
    { adapter, rows: [row(1, 0), row(1, 0, 'host'), { ...row(1, 0, 'pose-joints'), work: 11 }] },
    { adapter, rows: [row(1, 0), row(1, 0, 'skin-vertices'), row(1, 0, 'pose-joints')] },
  );
  expect(rows.map(({ stage }) => stage)).toEqual(['frame']);
  expect(unmatched).toHaveLength(3);
});
