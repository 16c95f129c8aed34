import { packCharacter } from '../../src/character/pack/index.ts';
import { simulate } from '../../src/cli/simulation.ts';
import { standIn } from '../../src/cli/stand-in.ts';
import { importPlayCanvasGraph } from '../../src/import/playcanvas/import-graph.ts';
import { PLAYCANVAS_CASES, type PlayCanvasCase, type SimulateController } from './playcanvas-cases.ts';
import { judgeCase, type Judged, ourTrace, type Trace } from './playcanvas-compare.ts';

/** Maniple's side of the comparison: the command's own simulation, on the twins. */
const simulateController: SimulateController = (model, clipLengths, steps) => {
  const clips = Object.entries(clipLengths).map(([name, duration]) => ({
    name,
    duration,
    loops: model.clips?.[name]?.loops ?? true,
    tracks: [],
  }));
  return simulate(packCharacter(standIn(clips), { controller: model, missingClips: 'warn' }), steps);
};

/** What Maniple makes of a case's graph, once it is imported. */
export async function playCase({ graph, durations, steps }: PlayCanvasCase): Promise<Trace> {
  return ourTrace(await simulateController(importPlayCanvasGraph(graph, { name: 'case' }), durations, steps));
}

export async function judgeAll(): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const one of PLAYCANVAS_CASES) judged.push(judgeCase(one, await playCase(one)));
  return judged;
}
