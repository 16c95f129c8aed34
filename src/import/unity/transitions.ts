import type {
  ConditionModel,
  DestinationModel,
  EntryModel,
  InterruptionModel,
  TransitionModel,
} from '../../controller/model.ts';
import { quote } from '../model-builder/issue-list.ts';
import { type Fields, isNull, readReference, type UnityValue } from './fields.ts';
import { UNITY_CLASS } from './file.ts';
import type { ControllerScope, LayerScope } from './scope.ts';

const INTERRUPTIONS: readonly InterruptionModel[] = ['none', 'current', 'next', 'currentThenNext', 'nextThenCurrent'];

/**
 * Transitions of a state, or from any state, that can be taken. Left out are muted ones, those that lead nowhere, and
 * those with neither a condition nor an exit time.
 */
export function readTransitions(
  list: readonly UnityValue[],
  path: string,
  isAny: boolean,
  places: LayerScope,
): TransitionModel[] {
  return audible(list, path, places.scope).flatMap((fields) => {
    const destination = readDestination(fields, places);
    const when = readConditions(fields, places.scope);
    if (!destination || !when) return [];
    const hasExit = fields.flag('m_HasExitTime', false);
    if (when.length === 0 && !hasExit) {
      const message = 'it has neither a condition nor an exit time and is left out';
      fields.issues.info('UNITY_UNSUPPORTED', fields.path, message);
      return [];
    }
    const duration = fields.number('m_TransitionDuration', 0);
    const offset = fields.number('m_TransitionOffset', 0);
    const interruption = readInterruption(fields);
    const transition: TransitionModel = {
      ...destination,
      ...(when.length > 0 && { when }),
      ...(hasExit && { exitTime: fields.number('m_ExitTime', 0) }),
      ...(duration !== 0 && { duration }),
      ...(!fields.flag('m_HasFixedDuration', true) && { fixed: false }),
      ...(offset !== 0 && { offset }),
      ...(interruption !== 'none' && { interruption }),
      ...(!fields.flag('m_OrderedInterruption', true) && { ordered: false }),
      ...(isAny && !fields.flag('m_CanTransitionToSelf', true) && { toSelf: false }),
    };
    return transition;
  });
}

/** Ways that take no time: into a machine, or out of one. */
export function readEntries(list: readonly UnityValue[], path: string, places: LayerScope): EntryModel[] {
  return audible(list, path, places.scope).flatMap((fields) => {
    const destination = readDestination(fields, places);
    const when = readConditions(fields, places.scope);
    return destination && when ? { ...destination, ...(when.length > 0 && { when }) } : [];
  });
}

/** Muted ones are silent; where any of the others is solo, so is all that is not. Both are settings of the editor. */
function audible(list: readonly UnityValue[], path: string, scope: ControllerScope): Fields[] {
  const { file, issues, ignoreMuteSolo } = scope;
  scope.count('transitions', list.length);
  const all = list.flatMap((item, i) => {
    const where = `${path}/${i}`;
    const reference = readReference(item);
    if (reference && isNull(reference)) return [];
    const known = reference && [UNITY_CLASS.transition, UNITY_CLASS.entry].some((id) => file.is(reference, id));
    if (known) return file.fields(reference.fileID, where);
    issues.warn('UNITY_DANGLING', where, `there is no transition &${reference?.fileID}; it is left out`);
    return [];
  });
  if (ignoreMuteSolo) return all;
  const loud = all.filter((fields) => !fields.flag('m_Mute', false));
  const solo = loud.filter((fields) => fields.flag('m_Solo', false));
  return solo.length > 0 ? solo : loud;
}

function readDestination(fields: Fields, { states, machines }: LayerScope): DestinationModel | undefined {
  if (fields.flag('m_IsExit', false)) return { toExit: true };
  const state = fields.reference('m_DstState');
  const machine = fields.reference('m_DstStateMachine');
  const to = state && states.get(state.fileID);
  if (to !== undefined) return { to };
  const toMachine = machine && machines.get(machine.fileID);
  if (toMachine !== undefined) return { toMachine };
  const wanted = state ?? machine;
  const what = wanted ? `&${wanted.fileID} is not a state or machine of this layer` : 'it leads nowhere';
  fields.warn('UNITY_DANGLING', `${what}; the transition is left out`);
  return undefined;
}

function readInterruption(fields: Fields): InterruptionModel {
  const source = fields.number('m_InterruptionSource', 0);
  const interruption = INTERRUPTIONS[source];
  if (interruption) return interruption;
  fields.refuse('m_InterruptionSource', `there is no interruption source ${source}`);
  return 'none';
}

/** Remedy for files from Unity 4. */
export const OPEN_AND_SAVE = 'Open the project in Unity 5 or newer and save the controller again.';

/**
 * The conditions of a transition. Undefined, with a warning, if one can never hold because its parameter does not
 * exist: the transition then has no effect.
 */
function readConditions(transition: Fields, { parameters }: ControllerScope): ConditionModel[] | undefined {
  const conditions: ConditionModel[] = [];
  let canHold = true;
  for (const fields of transition.maps('m_Conditions')) {
    const parameter = fields.text('m_ConditionEvent');
    const condition = readCondition(fields, parameter);
    if (condition) conditions.push(condition);
    if (!parameters.has(parameter)) {
      canHold = false;
      const why = `there is no parameter ${quote(parameter)}`;
      transition.warn('UNITY_DANGLING', `${why}; the transition can never be taken and is left out`);
    }
  }
  return canHold ? conditions : undefined;
}

/** Comparisons by `m_ConditionMode`. */
const COMPARISONS: Readonly<Record<number, (parameter: string, threshold: number) => ConditionModel>> = {
  3: (parameter, greater) => ({ parameter, greater }),
  4: (parameter, less) => ({ parameter, less }),
  6: (parameter, equals) => ({ parameter, equals }),
  7: (parameter, notEquals) => ({ parameter, notEquals }),
};

function readCondition(fields: Fields, parameter: string): ConditionModel | undefined {
  const mode = fields.number('m_ConditionMode', 0);
  if (mode === 1) return { parameter };
  if (mode === 2) return { parameter, is: false };
  const compare = COMPARISONS[mode];
  // the misspelling is Unity's
  if (compare) return compare(parameter, fields.number('m_EventTreshold', 0));
  const { path, issues } = fields;
  if (mode === 5) issues.error('UNITY_UNSUPPORTED', path, 'condition mode 5 belongs to Unity 4', OPEN_AND_SAVE);
  else fields.refuse('m_ConditionMode', `there is no condition mode ${mode}`);
  return undefined;
}
