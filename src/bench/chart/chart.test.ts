import { describe, expect, test } from 'vitest';
import type { BenchReport, BenchRow } from '../report.ts';
import { benchChart } from './chart.ts';
import { spreadApart } from './growth.ts';
import { LogAxis, timeLabel } from './log-axis.ts';

const row = (stage: string, count: number, milliseconds: number, more: Partial<BenchRow> = {}): BenchRow => {
  const common = { scene: 'parade', subject: 'maniple', work: count, unit: 'characters', spread: 0 };
  return { ...common, stage, count, milliseconds, bytes: 1000, floorMilliseconds: milliseconds / 4, ...more };
};
const rows = [10, 100, 1000].flatMap((count) => [
  row('pose-joints', count, count / 1000),
  row('skin-vertices', count, count / 500),
  row('frame', count, count / 200),
]);
const report: BenchReport = {
  format: 'maniple-bench',
  version: 1,
  maniple: '0.1.0',
  adapter: { vendor: '', architecture: '', device: '', description: 'A <GPU>' },
  kind: 'hardware',
  hasTimestamps: true,
  rounds: 3,
  seconds: 1,
  rows: [...rows, row('frame', 1000, 50, { subject: 'vertex skinning' })],
  leftOut: [],
};

describe('the chart of a bench', () => {
  const svg = benchChart(report);

  test('has stages of the largest number, their share of the floor, and the ratio of baselines', () => {
    expect(svg).toContain('1,000 characters');
    expect(svg).not.toContain('>100 characters');
    expect(svg).toContain('25 %');
    expect(svg).toContain('10.0 ×');
  });

  test('escapes names of adapters, and contains no NaN', () => {
    expect(svg).toContain('A &lt;GPU&gt;');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('of a report without rows is a title', () => {
    const empty = benchChart({ ...report, rows: [] });
    expect(empty).toContain('maniple bench');
    expect(empty).not.toContain('Growth');
  });

  test('draws rows with a time of 0', () => {
    expect(benchChart({ ...report, rows: rows.map((one) => ({ ...one, milliseconds: 0 })) })).not.toMatch(
      /NaN|Infinity/,
    );
  });
});

test('a logarithmic axis begins and ends at powers of ten', () => {
  const axis = new LogAxis([0.02, 3], 0, 300);
  expect(axis.ticks.map((tick) => Number(tick.toPrecision(3)))).toEqual([0.01, 0.1, 1, 10]);
  expect(axis.at(0.1)).toBeCloseTo(100);
  expect(new LogAxis([1], 0, 10).ticks).toEqual([1, 10]);
});

test('labels of times have units without leading zeros', () => {
  expect([0.0001, 0.01, 1, 100, 10_000].map(timeLabel)).toEqual(['0.1 µs', '10 µs', '1 ms', '100 ms', '10 s']);
});

test('labels that overlap are moved apart and keep their order', () => {
  expect(spreadApart([0, 100])).toEqual([0, 100]);
  expect(spreadApart([50, 50])).toEqual([42.5, 57.5]);
  const placed = spreadApart([10, 12, 11]);
  expect(placed[0]).toBeLessThan(placed[2]!);
  expect(placed[2]).toBeLessThan(placed[1]!);
});
