import { importPlayCanvasGraph } from '../../src/import/playcanvas/import-graph.ts';
import { PLAYCANVAS_CASES, type PlayCanvasCase, type SimulateController } from './playcanvas-cases.ts';
import { judgeCase, type Judged, ourTrace, type Trace } from './playcanvas-compare.ts';

/** Maniple's side of the comparison. */
export const simulateController = undefined as SimulateController | undefined;

/** What Maniple makes of a case's graph, once it is imported. */
export function playCase({ graph, durations, steps }: PlayCanvasCase): Trace | undefined {
  if (!simulateController) return undefined;
  return ourTrace(simulateController(importPlayCanvasGraph(graph, { name: 'case' }), durations, steps));
}

export function judgeAll(): Judged[] {
  return PLAYCANVAS_CASES.map((one) => judgeCase(one, playCase(one)));
}
