import { fail } from '../../errors.ts';
import { View } from '../../layout/index.ts';
import { PagePlan, RANGE_WORDS, RECORD_NONE, RUN_LIMIT, RunPlan } from './filter-triangles/layout.ts';
import {
  DrawnInstance,
  TRIANGLE_BATCH,
  TRIANGLE_BLENDED,
  TRIANGLE_DOUBLE_SIDED,
  TRIANGLE_MASKED,
  TrianglePrimitive,
  TriangleRun,
} from './triangles.ts';
import { partBit } from '../materials/material-table.ts';
import type { SourcePrimitive, TriangleSource } from './source.ts';

/** Tables that never change: runs, primitives, and where kernels read their counts. */
export interface TriangleTables {
  /** TriangleRun records, then TrianglePrimitive records: the beginning of `drawn`. */
  readonly words: Uint32Array<ArrayBuffer>;
  readonly plans: View<(typeof RunPlan)['fields']>;
  readonly pages: View<(typeof PagePlan)['fields']>;
  readonly runCount: number;
  /** Row of `drawn` where instances begin, and their capacity. */
  readonly instanceRow: number;
  readonly instanceCount: number;
  /** By source: its first run, how many it has, and its first instance. */
  readonly spans: readonly { readonly firstRun: number; readonly runCount: number; readonly firstInstance: number }[];
  /** Batches, and triangles, that one instance has at most. */
  readonly mostBatches: number;
  readonly mostTriangles: number;
  /** True if some primitive may have holes. */
  readonly masked: boolean;
}

/** @throws ManipleError RENDER_FAILED: more meshes, levels and pages than one renderer draws */
export function triangleTables(sources: readonly TriangleSource[]): TriangleTables {
  const pages = sources.flatMap((source) => source.pages);
  const runs = pages.flatMap((page) => page.runs);
  const primitives = runs.flatMap((run) => run.primitives.filter(({ indexCount }) => indexCount > 0));
  if (runs.length > RUN_LIMIT) {
    const message = `Got ${runs.length} meshes, by level of detail and page; the limit is ${RUN_LIMIT}.`;
    fail('RENDER_FAILED', 'crowd', message, 'Draw fewer types of characters, or give it larger pages.');
  }
  const [runRows, primitiveRows] = [TriangleRun.size / 16, TrianglePrimitive.size / 16];
  const firstPrimitiveRow = runs.length * runRows;
  const instanceRow = firstPrimitiveRow + primitives.length * primitiveRows;
  const words = new Uint32Array(instanceRow * 4);
  const runView = new View(TriangleRun, words.buffer, 0, runs.length);
  const primitiveView = new View(TrianglePrimitive, words.buffer, firstPrimitiveRow * 16, primitives.length);
  const plans = new View(RunPlan, runs.length);
  const pagePlans = new View(PagePlan, pages.length);
  const spans: TriangleTables['spans'][number][] = [];
  let [run, primitive, page, firstInstance, mostTriangles] = [0, 0, 0, 0, 0];
  for (const source of sources) {
    const firstRun = run;
    for (const { runs: ofPage } of source.pages) {
      pagePlans.assign(page, { firstRun: run, runCount: ofPage.length, rangeWord: page * RANGE_WORDS });
      page++;
      for (const { rows, firstIndex, primitives: list, sphere, contactRadius } of ofPage) {
        const shown = list.map((entry, index) => ({ ...entry, index })).filter(({ indexCount }) => indexCount > 0);
        const triangleCount = checkedCount(shown);
        const batchesPerRow = Math.ceil(triangleCount / TRIANGLE_BATCH);
        mostTriangles = Math.max(mostTriangles, triangleCount);
        runView.assign(run, {
          batchesPerRow,
          triangleCount,
          firstIndex: firstIndex + (shown[0]?.firstIndex ?? 0),
          primitiveRow: firstPrimitiveRow + primitive * primitiveRows,
          primitiveCount: shown.length,
          center: sphere?.center ?? [0, 0, 0],
          radius: sphere?.radius ?? -1,
          contactRadius,
          parts: shown.reduce((bits, { part }) => bits.map((word, w) => (word | partBit(part)[w]!) >>> 0), [0, 0]),
        });
        plans.assign(
          run,
          'recordByte' in rows
            ? { recordWord: rows.recordByte / 4 }
            : { recordWord: RECORD_NONE, firstRow: firstInstance + rows.firstRow, rowCount: rows.rowCount },
        );
        for (const { firstIndex: first, part, doubleSided, masked, blended, materialRow, index } of shown) {
          primitiveView.assign(primitive, {
            firstTriangle: (first - shown[0]!.firstIndex) / 3,
            flags:
              (doubleSided ? TRIANGLE_DOUBLE_SIDED : 0) |
              (masked ? TRIANGLE_MASKED : 0) |
              (blended ? TRIANGLE_BLENDED : 0),
            part: partBit(part),
            materialRow,
            primitiveIndex: index,
          });
          primitive++;
        }
        run++;
      }
    }
    spans.push({ firstRun, runCount: run - firstRun, firstInstance });
    firstInstance += source.rowCapacity;
  }
  return {
    words,
    plans,
    pages: pagePlans,
    runCount: runs.length,
    instanceRow,
    instanceCount: firstInstance,
    spans,
    mostBatches: Math.ceil(mostTriangles / TRIANGLE_BATCH),
    mostTriangles,
    masked: primitives.some(({ masked }) => masked),
  };
}

/** Bytes of one instance. */
export const INSTANCE_BYTES: number = DrawnInstance.size;

/** Counts the triangles of a mesh. Its primitives have to be contiguous, because ids count through them. */
function checkedCount(primitives: readonly SourcePrimitive[]): number {
  let end = primitives[0]?.firstIndex ?? 0;
  for (const { firstIndex, indexCount } of primitives) {
    if (firstIndex !== end) throw new Error('primitives of a mesh do not follow each other in its indices');
    end += indexCount;
  }
  return (end - (primitives[0]?.firstIndex ?? 0)) / 3;
}
