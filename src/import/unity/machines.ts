import type { EntryModel, MachineModel, StateModel } from '../../controller/model.ts';
import { fail } from '../../errors.ts';
import { quote } from '../model-builder/issue-list.ts';
import { type Fields, isMap, readReference, refuseSize, UNITY_LIMITS, type UnityValue } from './fields.ts';
import { UNITY_CLASS, type UnityFile } from './file.ts';
import { readMotion } from './motions.ts';
import { type ControllerScope, type LayerScope, placeOf, UniqueNames } from './scope.ts';
import { OPEN_AND_SAVE, readEntries, readTransitions } from './transitions.ts';

/** A machine with names for everything in it. References are read later. */
export interface MachinePlan {
  readonly fields: Fields;
  /** From below the layer's root machine; '' for that. */
  readonly path: string;
  readonly states: readonly { readonly name: string; readonly path: string; readonly fields: Fields }[];
  readonly machines: readonly { readonly name: string; readonly fileID: string; readonly plan: MachinePlan }[];
}

export interface LayerPlan {
  readonly root: MachinePlan;
  readonly places: LayerScope;
}

/** Names all states and machines of a layer: transitions may lead anywhere in it. */
export function planLayer(rootID: string, layer: string, scope: ControllerScope): LayerPlan {
  const { file, issues } = scope;
  const states = new Map<string, string>();
  const machines = new Map<string, string>();
  const root = planMachine(rootID, '', 0);
  return { root, places: { scope, layer, states, machines } };

  function planMachine(fileID: string, path: string, depth: number): MachinePlan {
    const where = placeOf(layer, path);
    if (depth > UNITY_LIMITS.machineDepth) {
      refuseSize(where, `machines are nested deeper than ${UNITY_LIMITS.machineDepth}`);
    }
    machines.set(fileID, path);
    refuseUnity4(file, fileID, where);
    const fields = file.fields(fileID, where);
    const stateNames = new UniqueNames('state', true, issues);
    const machineNames = new UniqueNames('machine', true, issues);
    const join = (name: string) => (path === '' ? name : `${path}.${name}`);

    const ownStates = children(fields, 'm_ChildStates', 'm_State', UNITY_CLASS.state, states).map((id) => {
      const name = stateNames.add(file.fields(id, where).text('m_Name'), where);
      states.set(id, join(name));
      return { name, path: join(name), fields: file.fields(id, placeOf(layer, join(name))) };
    });
    scope.count('states', ownStates.length);
    const ids = children(fields, 'm_ChildStateMachines', 'm_StateMachine', UNITY_CLASS.machine, machines);
    const ownMachines = ids.map((id) => {
      const inner = file.fields(id, where);
      // a machine without a default state begins in an empty one of its own name
      const given = inner.text('m_Name');
      const name = machineNames.add(inner.reference('m_DefaultState') ? given : stateNames.add(given, where), where);
      // planned at once: what a later sibling repeats is then known to be a repetition
      return { name, fileID: id, plan: planMachine(id, join(name), depth + 1) };
    });
    scope.count('states', ownMachines.length);
    return { fields, path, states: ownStates, machines: ownMachines };
  }

  /** FileIDs in a list, each once in a layer. */
  function children(fields: Fields, list: string, key: string, classId: number, seen: Map<string, string>): string[] {
    return fields.maps(list).flatMap((child) => {
      const reference = child.reference(key);
      if (reference && file.is(reference, classId) && !seen.has(reference.fileID)) {
        seen.set(reference.fileID, '');
        return reference.fileID;
      }
      const why = reference && seen.has(reference.fileID) ? 'is in this layer twice' : 'is not there';
      if (reference) child.warn('UNITY_DANGLING', `&${reference.fileID} ${why}; it is left out`);
      return [];
    });
  }
}

/** Refuses a machine from Unity 4, which lists its states and all their transitions in fields of its own. */
function refuseUnity4({ documents }: UnityFile, fileID: string, where: string): void {
  const { value } = documents.get(fileID)!;
  const field = ['m_OrderedTransitions', 'm_States'].find((key) => Object.hasOwn(value, key));
  if (field === undefined || Object.hasOwn(value, 'm_ChildStates')) return;
  const message = `The file was written by Unity 4: the state machine has ${field}, and no m_ChildStates.`;
  fail('UNITY_UNSUPPORTED', where, message, OPEN_AND_SAVE);
}

/** @param exits Ways out of the machine. The machine around it holds them. */
export function readMachine(plan: MachinePlan, exits: readonly EntryModel[], places: LayerScope): MachineModel {
  const { fields, path } = plan;
  const { issues } = places.scope;
  const where = placeOf(places.layer, path);
  const start = fields.reference('m_DefaultState');
  const initial = start && places.states.get(start.fileID);
  if (start && initial === undefined) {
    issues.warn('UNITY_DANGLING', `${where}/default`, `&${start.fileID} is not a state of this layer; it begins empty`);
  }
  noteBehaviours(fields);
  const anyList = fields.list('m_AnyStateTransitions');
  if (path !== '' && anyList.length > 0) {
    const message = `${anyList.length} transitions from any state are on a machine inside another and are left out`;
    issues.warn('UNITY_UNSUPPORTED', `${where}/any`, message, 'Move them to the root machine of the layer.');
  }
  const any = path === '' ? readTransitions(anyList, `${where}/any`, true, places) : [];
  const entry = readEntries(fields.list('m_EntryTransitions'), `${where}/entry`, places);
  const exitsOf = readExits(plan, where, places);
  const states = plan.states.map((state) => [state.name, readState(state.fields, places)] as const);
  const machines = plan.machines.map(
    ({ name, fileID, plan }) => [name, readMachine(plan, exitsOf.get(fileID) ?? [], places)] as const,
  );
  return {
    ...(initial !== undefined && { default: initial }),
    ...(entry.length > 0 && { entry }),
    states: Object.fromEntries(states),
    ...(machines.length > 0 && { machines: Object.fromEntries(machines) }),
    ...(any.length > 0 && { any }),
    ...(exits.length > 0 && { exits }),
  };
}

/** Ways out of the machines inside one, by fileID. */
function readExits({ fields, machines }: MachinePlan, where: string, places: LayerScope) {
  const nameOf = new Map(machines.map(({ fileID, plan }) => [fileID, plan.path]));
  const exits = new Map<string, readonly EntryModel[]>();
  for (const pair of fields.maps('m_StateMachineTransitions')) {
    const list: readonly UnityValue[] = pair.list('second');
    const from = pair.reference('first');
    const name = from && nameOf.get(from.fileID);
    if (name !== undefined) {
      const read = readEntries(list, `${placeOf(places.layer, name)}/exits`, places);
      exits.set(from!.fileID, [...(exits.get(from!.fileID) ?? []), ...read]);
    } else if (list.length > 0) {
      const message = `&${from?.fileID ?? 0} is not a machine inside this one; its ${list.length} ways out are left out`;
      fields.issues.warn('UNITY_DANGLING', `${where}/exits`, message);
    }
  }
  return exits;
}

function readState(fields: Fields, places: LayerScope): StateModel {
  const { path } = fields;
  const { scope } = places;
  if (fields.flag('m_IKOnFeet', false)) fields.warn('UNITY_UNSUPPORTED', 'foot IK is left out');
  noteBehaviours(fields);
  const motion = readMotion(fields, 'm_Motion', scope);
  const speed = fields.number('m_Speed', 1);
  const speedParameter = activeParameter(fields, 'Speed', 'float', scope);
  const timeParameter = activeParameter(fields, 'Time', 'float', scope);
  const cycleOffset = fields.number('m_CycleOffset', 0);
  const cycleOffsetParameter = activeParameter(fields, 'CycleOffset', 'float', scope);
  const mirrorParameter = activeParameter(fields, 'Mirror', 'bool', scope);
  const list = fields.list('m_Transitions');
  const transitions = readTransitions(list, `${path}/transitions`, false, places);
  return {
    ...(motion !== undefined && { motion }),
    ...(speed !== 1 && { speed }),
    ...(speedParameter !== undefined && { speedParameter }),
    ...(timeParameter !== undefined && { timeParameter }),
    ...(cycleOffset !== 0 && { cycleOffset }),
    ...(cycleOffsetParameter !== undefined && { cycleOffsetParameter }),
    ...(fields.flag('m_Mirror', false) && { mirror: true }),
    ...(mirrorParameter !== undefined && { mirrorParameter }),
    ...(transitions.length > 0 && { transitions }),
  };
}

/** A parameter that replaces a constant, if it is switched on and exists. */
function activeParameter(
  fields: Fields,
  stem: string,
  type: 'float' | 'bool',
  { parameters }: ControllerScope,
): string | undefined {
  if (!fields.flag(`m_${stem}ParameterActive`, false)) return undefined;
  const name = fields.text(`m_${stem}Parameter`);
  if (parameters.get(name) === type) return name;
  const message = `there is no ${type} parameter ${quote(name)}; it is taken as switched off`;
  fields.warn('UNITY_DANGLING', message, `m_${stem}Parameter`);
  return undefined;
}

function noteBehaviours(fields: Fields): void {
  const count = fields.list('m_StateMachineBehaviours').filter((item) => isMap(item) && readReference(item)).length;
  const message = `Behaviour scripts that are left out: ${count}`;
  if (count > 0) fields.issues.info('UNITY_UNSUPPORTED', fields.path, message);
}
