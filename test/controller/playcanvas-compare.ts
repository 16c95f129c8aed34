import { judgeGraph, type JudgedLayer, PLAYCANVAS_VERSION } from '../support/playcanvas-judge.ts';
import type { Field, PlayCanvasCase, Seen, SimulatedStep } from './playcanvas-cases.ts';

/** Largest difference that still counts as none: phases of a blend in progress are stored in 16 bits here. */
export const TOLERANCE = 2e-5;

/** By step, then layer. */
export type Trace = readonly (readonly (Seen & { readonly name: string })[])[];

export function theirTrace({ graph, durations, steps }: PlayCanvasCase): Trace {
  return judgeGraph(graph, durations, steps).map((layers) => layers.map((layer) => theirs(layer, durations)));
}

function theirs(layer: JudgedLayer, durations: PlayCanvasCase['durations']): Seen & { name: string } {
  const { name, active: state, transition } = layer;
  const clips = layer.clips.map(({ clip, time, weight }) => {
    return { clip, weight, phase: time / durations[clip]! };
  });
  // a transition that is just complete is over here, and over in the next update there
  return { name, state, transition: transition === null || transition >= 1 ? null : transition, ...byClip(clips) };
}

export function ourTrace(steps: readonly SimulatedStep[]): Trace {
  return steps.map(({ layers }) =>
    layers.map(({ name, state, next, progress, motions }) => {
      return { name, state: next ?? state, transition: next === null ? null : progress, ...byClip(motions) };
    }),
  );
}

function byClip(
  motions: readonly { readonly clip: string; readonly phase: number; readonly weight: number }[],
): Pick<Seen, 'weights' | 'phases'> {
  const weights: Record<string, number> = {};
  const phases: Record<string, number> = {};
  for (const { clip, phase, weight } of motions) {
    if (weight === 0) continue;
    weights[clip] = (weights[clip] ?? 0) + weight;
    phases[clip] ??= phase;
  }
  return { weights, phases };
}

/**
 * How far two traces are apart in one field, over all steps and layers: the largest difference of numbers (phases on a
 * circle, of clips that both play), the number of steps with another state, or, for `order`, the largest number of
 * updates by which a state is gone to earlier or later (infinite if they go elsewhere).
 */
export function distance(field: Field, a: Trace, b: Trace): number {
  if (field === 'order') return Math.max(...a[0]!.map((_, layer) => orderDistance(a, b, layer)));
  const pairs = a.flatMap((layers, step) => layers.map((seen, layer) => [seen, b[step]![layer]!] as const));
  if (field === 'state') return pairs.filter(([one, other]) => one.state !== other.state).length;
  return Math.max(0, ...pairs.map(([one, other]) => numberDistance(field, one, other)));
}

function numberDistance(field: 'transition' | 'weights' | 'phases', one: Seen, other: Seen): number {
  if (field === 'transition') return Math.abs((one.transition ?? 1) - (other.transition ?? 1));
  const clips = new Set([...Object.keys(one.weights), ...Object.keys(other.weights)]);
  const differences = Array.from(clips, (clip) => {
    if (field === 'weights') return Math.abs((one.weights[clip] ?? 0) - (other.weights[clip] ?? 0));
    const [p, q] = [one.phases[clip], other.phases[clip]];
    if (p === undefined || q === undefined) return 0;
    const apart = Math.abs(p - q) % 1;
    return Math.min(apart, 1 - apart);
  });
  return Math.max(0, ...differences);
}

function orderDistance(a: Trace, b: Trace, layer: number): number {
  const visits = (trace: Trace): { state: string; step: number }[] =>
    trace
      .map((layers, step) => ({ state: layers[layer]!.state, step }))
      .filter(({ state }, step) => step === 0 || trace[step - 1]![layer]!.state !== state);
  const [ones, others] = [visits(a), visits(b)];
  // one of them may pass through a state within an update
  const shared = ones.filter(({ state }) => others.some((other) => other.state === state));
  if (ones.at(-1)!.state !== others.at(-1)!.state) return Infinity;
  return Math.max(
    ...shared.map(({ state, step }) => Math.abs(step - others.find((other) => other.state === state)!.step)),
  );
}

/** Whether a distance counts as agreement. */
export function isSame(field: Field, apart: number): boolean {
  return field === 'order' ? apart <= 1 : apart <= TOLERANCE;
}

/** What the table is made of: a case, what PlayCanvas gives, and what Maniple gives, if it was asked. */
export interface Judged {
  readonly topic: string;
  readonly rule: string;
  readonly theirs: string | undefined;
  readonly agree: readonly Field[];
  readonly differ: readonly Field[];
  readonly apart: Readonly<Partial<Record<Field, number>>> | undefined;
}

export function judgeCase(judged: PlayCanvasCase, ours: Trace | undefined): Judged {
  const { topic, rule, theirs: note, agree, differ = [] } = judged;
  const trace = theirTrace(judged);
  const fields = [...agree, ...differ];
  const apart = ours && Object.fromEntries(fields.map((field) => [field, distance(field, ours, trace)] as const));
  return { topic, rule, theirs: note, agree, differ, apart };
}

/** The text of docs/tables/playcanvas.md, from nothing but the results. */
export function playCanvasTable(results: readonly Judged[]): string {
  const rows = results.map(({ topic, rule, theirs: note, agree, differ, apart }) => {
    const cell = (fields: readonly Field[]): string =>
      fields.map((field) => `${field}${apart ? ` ${figure(field, apart[field]!)}` : ''}`).join(', ');
    return `| ${topic} | ${rule} | ${note ?? 'The same.'} | ${cell(agree)} | ${cell(differ)} |`;
  });
  const isMeasured = results.every(({ apart }) => apart !== undefined);
  return TEXT.replace('VERSION', PLAYCANVAS_VERSION)
    .replace(
      'STATUS',
      isMeasured ? '' : 'Maniple’s side is not measured yet: the last two columns are what is expected.\n\n',
    )
    .replace('ROWS', () => rows.join('\n'));
}

function figure(field: Field, apart: number): string {
  if (field === 'state') return `${apart} steps`;
  if (field === 'order') return apart === Infinity ? 'elsewhere' : `${apart} updates`;
  return apart <= TOLERANCE ? `≤ ${TOLERANCE.toExponential(0)}` : apart.toFixed(3);
}

const TEXT = `# State graphs: Maniple and PlayCanvas

Each row is a small state graph that was played twice: with the animator of PlayCanvas VERSION itself, and with Maniple
after \`importPlayCanvasGraph\`. Both took the same steps, with clips of the same lengths. The last two columns name what
was compared after every step. _State_: the state that a layer is in or enters (number of steps with another one).
_Transition_: its progress. _Weights_ and _phases_: those of its clips (largest difference). _Order_: the order in which
states are entered (largest number of updates by which one is earlier or later). Where a graph can show a difference, the
importer reports \`PLAYCANVAS_DIFFERS\` at its place. Made by \`tools/playcanvas-table.ts\`.

STATUS| topic | Maniple | PlayCanvas | agree | differ |
| --- | --- | --- | --- | --- |
ROWS

Differences of less than one update are not reported by the importer. When a transition begins or ends, PlayCanvas drops
the rest of the update. It tests transitions after a blend one update later. It compares exit times with a clock that is
one update late. It shortens the update in which a clip that does not loop ends, for its transition as well.

Two more differences are not reported, because a graph does not show them. An exit time in the first update of a state is
met one cycle later here. \`assignAnimation\` of PlayCanvas's component sets a state's speed to 1 and its loop flag to true by
default, while imported states keep the graph's values.

These have no counterpart in PlayCanvas, and the importer never makes them: machines inside machines, synced layers,
durations in cycles, ordered interruption by states, mirroring, cycle offsets. The same holds for parameters of speed and
time, simple directional trees, and direct trees with weights that are not divided by their sum.
`;
