import { quoted } from '../../errors.ts';
import type {
  ConditionModel,
  EntryModel,
  InterruptionModel,
  MachineModel,
  StateModel,
  TransitionModel,
} from '../../controller/model.ts';
import type { Differences } from './differences.ts';
import { type GraphInterruption, type GraphLayer, START } from './graph.ts';
import type { Way, Ways } from './ways.ts';

const INTERRUPTIONS: Readonly<Record<GraphInterruption, InterruptionModel>> = {
  NONE: 'none',
  PREV_STATE: 'current',
  NEXT_STATE: 'next',
  PREV_STATE_NEXT_STATE: 'currentThenNext',
  NEXT_STATE_PREV_STATE: 'nextThenCurrent',
};

export interface MachineContext {
  readonly layer: GraphLayer;
  readonly ways: Ways;
  readonly differences: Differences;
  /** A condition that always holds, for a transition that waits for nothing. */
  readonly always: () => ConditionModel;
}

/** A layer's machine; `stateOf` gives a state without its transitions. */
export function importMachine(context: MachineContext, stateOf: (name: string) => StateModel): MachineModel {
  const { layer, ways } = context;
  const states: [string, StateModel][] = Array.from(layer.states.keys(), (name) => {
    const transitions = ways.of(name).map((way) => importTransition(way, context));
    return [name, { ...stateOf(name), ...(transitions.length > 0 ? { transitions } : {}) }];
  });
  const begin = importStart(context);
  if (begin.transitions)
    states.unshift([START, begin.transitions.length > 0 ? { transitions: begin.transitions } : {}]);
  const any = ways.any.map((way) => ({ ...importTransition(way, context), toSelf: false }));
  return {
    ...(begin.default === undefined ? {} : { default: begin.default }),
    ...(begin.entry?.length ? { entry: begin.entry } : {}),
    // not an assignment: a state may be called __proto__
    states: Object.fromEntries(states),
    ...(any.length > 0 ? { any } : {}),
  };
}

/** Where a machine begins: in a state, by conditions, or in an empty state that represents START. */
interface Begin {
  readonly default?: string;
  readonly entry?: readonly EntryModel[];
  readonly transitions?: readonly TransitionModel[];
}

function importStart(context: MachineContext): Begin {
  const { layer, ways, differences } = context;
  for (const { source } of ways.start) {
    if (source.seconds === 0) continue;
    const message = `takes no time here; in PlayCanvas nothing else happens for ${source.seconds} s`;
    differences.add('start-time', `${source.path}/time`, message);
  }
  const isReturnedTo = layer.transitions.some(({ to }) => to === START);
  if (!layer.transitions.some(({ from }) => from === START)) {
    return { ...firstState(context), ...(isReturnedTo ? { transitions: [] } : {}) };
  }
  const last = ways.start.findIndex(({ when }) => when.length === 0);
  if (last >= 0 && !isReturnedTo && !ways.start.some(({ offset }) => offset > 0)) {
    const entry = ways.start.slice(0, last).map(({ to, when }) => ({ to, when }));
    return { default: ways.start[last]!.to, entry };
  }
  // START waits until a condition holds, and entries are asked only once
  const transitions = ways.start.map((way) => importTransition({ ...way, seconds: 0 }, context));
  return { default: START, transitions };
}

function firstState({ layer, differences }: MachineContext): Begin {
  const states = [...layer.states.values()];
  const first = states.find(({ isDefault }) => isDefault) ?? states[0];
  if (first === undefined) return {};
  const message =
    `nothing leads away from START: the layer begins in ${quoted(first.name)} here; ` +
    'in PlayCanvas it plays only what a script starts';
  differences.add('no-start', layer.path, message);
  return { default: first.name };
}

function importTransition(way: Way, { differences, always }: MachineContext): TransitionModel {
  const { to, exitTime, seconds, offset, source } = way;
  const waits = way.when.length > 0 || exitTime !== 0;
  if (!waits) {
    const message = 'waits for nothing: here it gets a condition that always holds';
    differences.note(way.path, message);
  }
  const when = waits ? way.when : [always()];
  return {
    to,
    ...(when.length > 0 ? { when } : {}),
    ...(exitTime === 0 ? {} : { exitTime }),
    ...(seconds === 0 ? {} : { duration: seconds }),
    ...(offset === 0 ? {} : { offset }),
    // without a source only transitions from any state interrupt here, and none at all in PlayCanvas: keeping these
    // ordered stops most of them
    ...(source.interruption === 'NONE' ? {} : { interruption: INTERRUPTIONS[source.interruption], ordered: false }),
  };
}
