import type { DestinationModel, EntryModel, InterruptionModel, TransitionModel } from '../../controller/model.ts';
import { readConditions } from './conditions.ts';
import { type Fields, isNull, readReference } from './fields.ts';
import { UNITY_CLASS } from './file.ts';
import type { ControllerScope, LayerPlaces } from './scope.ts';
import type { UnityValue } from './value.ts';

const INTERRUPTIONS: readonly InterruptionModel[] = ['none', 'current', 'next', 'currentThenNext', 'nextThenCurrent'];

/**
 * Transitions of a state, or from any state, that can be taken. Left out are muted ones, those that lead nowhere, and
 * those with neither a condition nor an exit time.
 */
export function readTransitions(
  list: readonly UnityValue[],
  path: string,
  isAny: boolean,
  places: LayerPlaces,
  scope: ControllerScope,
): TransitionModel[] {
  return audible(list, path, scope).flatMap((fields) => {
    const destination = readDestination(fields, places, scope);
    const when = readConditions(fields, scope);
    if (!destination || !when) return [];
    const hasExit = fields.flag('m_HasExitTime', false);
    if (when.length === 0 && !hasExit) {
      scope.issues.info(
        'UNITY_UNSUPPORTED',
        fields.path,
        'it has neither a condition nor an exit time and is left out',
      );
      return [];
    }
    const duration = fields.number('m_TransitionDuration', 0);
    const offset = fields.number('m_TransitionOffset', 0);
    const interruption = readInterruption(fields, scope);
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
export function readEntries(
  list: readonly UnityValue[],
  path: string,
  places: LayerPlaces,
  scope: ControllerScope,
): EntryModel[] {
  return audible(list, path, scope).flatMap((fields) => {
    const destination = readDestination(fields, places, scope);
    const when = readConditions(fields, scope);
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

function readDestination(
  fields: Fields,
  { states, machines }: LayerPlaces,
  { issues }: ControllerScope,
): DestinationModel | undefined {
  if (fields.flag('m_IsExit', false)) return { toExit: true };
  const state = fields.reference('m_DstState');
  const machine = fields.reference('m_DstStateMachine');
  const to = state && states.get(state.fileID);
  if (to !== undefined) return { to };
  const toMachine = machine && machines.get(machine.fileID);
  if (toMachine !== undefined) return { toMachine };
  const wanted = state ?? machine;
  const what = wanted ? `&${wanted.fileID} is not a state or machine of this layer` : 'it leads nowhere';
  issues.warn('UNITY_DANGLING', fields.path, `${what}; the transition is left out`);
  return undefined;
}

function readInterruption(fields: Fields, { issues }: ControllerScope): InterruptionModel {
  const source = fields.number('m_InterruptionSource', 0);
  const interruption = INTERRUPTIONS[source];
  if (interruption) return interruption;
  issues.error('UNITY_INVALID', `${fields.path}/m_InterruptionSource`, `there is no interruption source ${source}`);
  return 'none';
}
