import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { importPlayCanvasGraph } from '../../src/import/playcanvas/import-graph.ts';
import { PLAYCANVAS_VERSION } from '../support/playcanvas-judge.ts';
import { PLAYCANVAS_CASES, type PlayCanvasCase, type Seen } from './playcanvas-cases.ts';
import { distance, isSame, playCanvasTable, theirTrace, type Trace } from './playcanvas-compare.ts';
import { judgeAll, playCase } from './playcanvas-ours.ts';

const importCase = ({ graph }: PlayCanvasCase) => importPlayCanvasGraph(graph, { name: 'case' });

function expectSeen(actual: Trace[number][number], expected: Partial<Seen>): void {
  for (const [field, value] of Object.entries(expected)) {
    const found = actual[field as keyof Seen];
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'number') expect(found, field).toBeCloseTo(value, 9);
      else expect(found, field).toBe(value);
      continue;
    }
    expect(Object.keys(found as object).sort(), field).toEqual(Object.keys(value).sort());
    for (const [clip, number] of Object.entries(value)) {
      expect((found as Record<string, number>)[clip], `${field} of ${clip}`).toBeCloseTo(number, 9);
    }
  }
}

describe(`PlayCanvas ${PLAYCANVAS_VERSION}`, () => {
  test.each(PLAYCANVAS_CASES)('$topic', (judged) => {
    const trace = theirTrace(judged);
    for (const [step, expected, name] of judged.observed) {
      expectSeen(
        trace[step]!.find((layer) => name === undefined || layer.name === name)!,
        expected,
      );
    }
  });

  test('drops the sign of directional bands', () => {
    // weights by the published formula of gradient bands, with |dot| in place of dot and angles from 0 for a zero vector
    const points = [
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 0],
      [-1, 0],
    ] as const;
    const angle = (a: readonly number[], b: readonly number[]) =>
      2 * Math.atan2(a[0]! * b[1]! - a[1]! * b[0]!, a[0]! * b[0]! + a[1]! * b[1]!);
    const p = [0.5, 0.5];
    const heights = points.map((own) =>
      Math.min(
        ...points
          .filter((other) => other !== own)
          .map((other) => {
            const mean = (Math.hypot(...own) + Math.hypot(...other)) / 2;
            const toOther = [(Math.hypot(...other) - Math.hypot(...own)) / mean, angle(own, other)];
            const toPoint = [(Math.hypot(...p) - Math.hypot(...own)) / mean, angle(own, p)];
            const share =
              (toPoint[0]! * toOther[0]! + toPoint[1]! * toOther[1]!) / (toOther[0]! ** 2 + toOther[1]! ** 2);
            return Math.max(0, 1 - Math.abs(share));
          }),
      ),
    );
    const sum = heights.reduce((total, height) => total + height);
    const weights = Object.fromEntries(
      heights.flatMap((height, index) => (height === 0 ? [] : [[`A.${'abcde'[index]!}`, height / sum] as const])),
    );
    const judged = PLAYCANVAS_CASES.find(({ topic }) => topic === '2D directional weights')!;
    expectSeen(theirTrace(judged)[0]![0]!, { weights });
  });
});

describe('the importer', () => {
  test.each(PLAYCANVAS_CASES)('reports where it matters: $topic', (judged) => {
    const places = importCase(judged).issues!.map(({ code, path }) => `${code} ${path}`);
    expect(places.sort()).toEqual((judged.warns ?? []).map((path) => `PLAYCANVAS_DIFFERS ${path}`).sort());
  });
});

describe('Maniple compared with PlayCanvas', () => {
  test.each(PLAYCANVAS_CASES)('$topic', async (judged) => {
    const ours = await playCase(judged);
    const theirs = theirTrace(judged);
    const apart = (field: Parameters<typeof distance>[0]) => [field, distance(field, ours, theirs)] as const;
    expect(judged.agree.map(apart).filter(([field, by]) => !isSame(field, by))).toEqual([]);
    expect((judged.differ ?? []).map(apart).filter(([field, by]) => isSame(field, by))).toEqual([]);
  });
});

test('docs/tables/playcanvas.md is what tools/playcanvas-table.ts writes', async () => {
  const file = path.resolve(import.meta.dirname, '../../docs/tables/playcanvas.md');
  expect(readFileSync(file, 'utf8')).toBe(playCanvasTable(await judgeAll()));
});
