import type { ConditionModel } from '../../controller/model.ts';
import { rangesOf, type Ranges, translateCondition } from './conditions.ts';
import type { Differences } from './differences.ts';
import { ANY, END, type Graph, type GraphLayer, type GraphTransition, START } from './graph.ts';

/** A transition that can be taken: with what it really waits for and where it really leads. */
export interface Way {
  readonly source: GraphTransition;
  readonly path: string;
  readonly from: string;
  /** A state, or START. */
  readonly to: string;
  readonly when: readonly ConditionModel[];
  readonly ranges: Ranges;
  /** Triggers that it uses up. */
  readonly triggers: ReadonlySet<string>;
  readonly seconds: number;
  /** 0 for none. */
  readonly exitTime: number;
  /** 0 for none. */
  readonly offset: number;
}

/** The transitions of a layer, each list in the order in which PlayCanvas tries it. */
export interface Ways {
  readonly start: readonly Way[];
  readonly any: readonly Way[];
  readonly of: (state: string) => readonly Way[];
}

/** Sorts out a layer's transitions. Those that PlayCanvas never takes are left out, and reported. */
export function waysOf(layer: GraphLayer, parameters: Graph['parameters'], differences: Differences): Ways {
  const lists = new Map<string, GraphTransition[]>();
  for (const transition of layer.transitions) {
    const list = lists.get(transition.from);
    if (list) list.push(transition);
    else lists.set(transition.from, [transition]);
  }
  // the lists are in file order, and sorting keeps that among equals
  for (const list of lists.values()) list.sort((a, b) => a.priority - b.priority);
  const begin = lists.get(START)?.[0]?.to;
  const ways = new Map<string, Way[]>();
  for (const [from, list] of lists) {
    ways.set(
      from,
      list.flatMap((transition) => wayOf(transition, begin, parameters, differences) ?? []),
    );
  }
  const of = (name: string): readonly Way[] => ways.get(name) ?? [];
  return { start: of(START), any: of(ANY), of };
}

function wayOf(
  source: GraphTransition,
  begin: string | undefined,
  parameters: Graph['parameters'],
  differences: Differences,
): Way | undefined {
  const { path, from, seconds } = source;
  const leftOut = (place: string, why: string): undefined => {
    differences.add('never', path + place, `PlayCanvas never takes this transition: ${why}; it is left out`);
  };
  const translated = source.conditions.map((condition) => translateCondition(condition, parameters));
  if (translated.includes('never')) return leftOut('/conditions', 'one of its conditions compares what is never equal');
  if (from === source.to) return leftOut('/to', 'it leads back to its own state');
  const exitTime = source.exitTime ?? 0;
  if (exitTime < 0) return leftOut('/exitTime', `no clock reaches ${exitTime}`);
  if (from === START && exitTime !== 0 && exitTime !== 1) return leftOut('/exitTime', 'the clock of START is at 1');
  if (source.exitTime === 0) {
    const message = 'an exit time of 0 means none to PlayCanvas, and it is imported so';
    differences.add('exit-zero', `${path}/exitTime`, message);
  }
  const offset = source.offset ?? 0;
  const isUsed = offset > 0 && offset < 1;
  if (!isUsed && offset !== 0) {
    const message = `the offset ${offset} is left out: PlayCanvas uses offsets between 0 and 1 only`;
    differences.note(`${path}/transitionOffset`, message);
  }
  const when = translated.filter((condition) => typeof condition === 'object');
  const triggers = source.conditions.map(({ parameter }) => parameter);
  return {
    source,
    path,
    from,
    to: source.to === END ? begin! : source.to,
    when,
    ranges: rangesOf(when),
    triggers: new Set(triggers.filter((name) => parameters.get(name)?.type === 'TRIGGER')),
    seconds,
    exitTime: from === START ? 0 : exitTime,
    offset: isUsed ? offset : 0,
  };
}
