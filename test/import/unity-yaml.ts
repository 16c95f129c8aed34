import { hermite } from '../../src/import/unity/curve.ts';
import type { UnityTrack } from '../../src/import/unity/clip.ts';

/** Parts of Unity's files, as text. */
export const unity = {
  text: unityText,
  object: unityObject,
  state: unityState,
  transition: unityTransition,
  machine: unityMachine,
  controller: unityController,
  curve: unityCurve,
  clip: unityClip,
};

const HEADER = '%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n';

/** A file of Unity out of documents as text. */
function unityText(...documents: readonly string[]): string {
  return HEADER + documents.join('');
}

/** One object; fields as lines of YAML, not indented. */
function unityObject(classId: number, fileID: string | number, className: string, fields: string): string {
  const lines = fields.split('\n').filter((line) => line.trim() !== '');
  return `--- !u!${classId} &${fileID}\n${className}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

const refs = (ids: readonly (string | number)[]): string =>
  ids.length === 0 ? ' []' : ids.map((id) => `\n- {fileID: ${id}}`).join('');

export interface StateOptions {
  readonly motion?: string;
  readonly transitions?: readonly (string | number)[];
  /** More fields. */
  readonly more?: string;
}

function unityState(fileID: string | number, name: string, options: StateOptions = {}): string {
  const { motion = '{fileID: 0}', transitions = [], more = '' } = options;
  const fields = `m_Name: ${name}\nm_Transitions:${refs(transitions)}\nm_Motion: ${motion}\n${more}`;
  return unityObject(1102, fileID, 'AnimatorState', fields);
}

export interface TransitionOptions {
  readonly to?: string | number;
  readonly toMachine?: string | number;
  /** Mode, parameter, threshold. */
  readonly when?: readonly (readonly [mode: number, parameter: string, threshold?: number | string])[];
  readonly more?: string;
  readonly isEntry?: boolean;
}

function unityTransition(fileID: string | number, options: TransitionOptions): string {
  const { to = 0, toMachine = 0, when = [], more = '', isEntry = false } = options;
  const conditions = when.map(
    ([mode, name, threshold = 0]) =>
      `\n- m_ConditionMode: ${mode}\n  m_ConditionEvent: ${name}\n  m_EventTreshold: ${threshold}`,
  );
  const fields = `m_Conditions:${when.length === 0 ? ' []' : conditions.join('')}\nm_DstStateMachine: {fileID: ${toMachine}}\nm_DstState: {fileID: ${to}}\n${more}`;
  return unityObject(isEntry ? 1109 : 1101, fileID, isEntry ? 'AnimatorTransition' : 'AnimatorStateTransition', fields);
}

export interface MachineOptions {
  readonly states?: readonly (string | number)[];
  readonly machines?: readonly (string | number)[];
  readonly start?: string | number;
  readonly any?: readonly (string | number)[];
  readonly entry?: readonly (string | number)[];
  /** `m_StateMachineTransitions`: from which machine, which transitions. */
  readonly exits?: readonly (readonly [from: string | number, transitions: readonly (string | number)[]])[];
  /** Repeat the key `data` in tables, as Unity 5 does. */
  readonly isUnity5?: boolean;
  readonly more?: string;
}

function unityMachine(fileID: string | number, name: string, options: MachineOptions = {}): string {
  const {
    states = [],
    machines = [],
    start = 0,
    any = [],
    entry = [],
    exits = [],
    isUnity5 = false,
    more = '',
  } = options;
  const [open, indent] = isUnity5 ? ['  data:\n    ', '    '] : ['- ', '  '];
  const children = (key: string, ids: readonly (string | number)[]) =>
    ids.length === 0 ? ' []' : ids.map((id) => `\n- serializedVersion: 1\n  ${key}: {fileID: ${id}}`).join('');
  const pairs = exits.map(
    ([from, list]) =>
      `\n${open}first: {fileID: ${from}}\n${indent}second:${refs(list).replaceAll('\n', `\n${indent}`)}`,
  );
  const fields = `m_Name: ${name}
m_ChildStates:${children('m_State', states)}
m_ChildStateMachines:${children('m_StateMachine', machines)}
m_AnyStateTransitions:${refs(any)}
m_EntryTransitions:${refs(entry)}
m_StateMachineTransitions:${exits.length === 0 ? ' {}' : pairs.join('')}
m_DefaultState: {fileID: ${start}}
${more}`;
  return unityObject(1107, fileID, 'AnimatorStateMachine', fields);
}

export interface UnityLayerOptions {
  readonly name: string;
  readonly machine?: string | number;
  readonly more?: string;
}

/** @param parameters Name to type: 1 float, 3 int, 4 bool, 9 trigger. */
function unityController(
  layers: readonly UnityLayerOptions[],
  parameters: Readonly<Record<string, number>> = {},
): string {
  const listed = Object.entries(parameters).map(([name, type]) => `\n- m_Name: ${name}\n  m_Type: ${type}`);
  const rows = layers.map(({ name, machine = 0, more = '' }) => {
    const extra = more === '' ? '' : `\n  ${more.replaceAll('\n', '\n  ')}`;
    return `\n- serializedVersion: 5\n  m_Name: ${name}\n  m_StateMachine: {fileID: ${machine}}${extra}`;
  });
  const fields = `m_Name: Made\nm_AnimatorParameters:${listed.join('') || ' []'}\nm_AnimatorLayers:${rows.join('') || ' []'}`;
  return unityObject(91, 9100000, 'AnimatorController', fields);
}

type Component = number | string;

/** A key of a curve: scalars, or one entry per component (x, y, z, w). */
export interface KeyOptions {
  readonly time: number | string;
  readonly value: Component | readonly Component[];
  readonly in?: Component | readonly Component[];
  readonly out?: Component | readonly Component[];
  readonly mode?: number;
  readonly inWeight?: Component | readonly Component[];
  readonly outWeight?: Component | readonly Component[];
}

const written = (value: Component | readonly Component[], like: Component | readonly Component[]): string => {
  if (!Array.isArray(like)) return String(value);
  const list = Array.isArray(value) ? (value as readonly Component[]) : like.map(() => value as Component);
  return `{${list.map((item, i) => `${'xyzw'[i]}: ${item}`).join(', ')}}`;
};

/** An item of a list of curves; fields beside the curve as lines. */
function unityCurve(keys: readonly KeyOptions[], fields: string, more = ''): string {
  const rows = keys.map((key) => {
    const { time, value, in: inSlope = 0, out = 0, mode = 0, inWeight = '0.33333334', outWeight = '0.33333334' } = key;
    const at = (field: Component | readonly Component[]) => written(field, value);
    return `
    - serializedVersion: 3
      time: ${time}
      value: ${at(value)}
      inSlope: ${at(inSlope)}
      outSlope: ${at(out)}
      tangentMode: 0
      weightedMode: ${mode}
      inWeight: ${at(inWeight)}
      outWeight: ${at(outWeight)}`;
  });
  const lines = fields.split('\n').filter((line) => line !== '');
  const extra = more.split('\n').filter((line) => line !== '');
  return `\n- curve:\n    serializedVersion: 2\n    m_Curve:${rows.join('') || ' []'}${extra.map((line) => `\n    ${line}`).join('')}${lines.map((line) => `\n  ${line}`).join('')}`;
}

export interface ClipText {
  /** Lists of curves by field, as made by `unityCurve`. */
  readonly curves: Readonly<Record<string, readonly string[]>>;
  /** Of `m_AnimationClipSettings`; lines. */
  readonly settings?: string;
  /** More fields of the clip. */
  readonly more?: string;
}

/** An animation clip with the fileID 7400000 called `Made`. */
function unityClip({ curves, settings = 'm_StartTime: 0\nm_StopTime: 1', more = '' }: ClipText): string {
  const lists = Object.entries(curves).map(([key, items]) => `${key}:${items.join('') || ' []'}`);
  const lines = settings.split('\n').map((line) => `\n  ${line}`);
  const fields = `m_Name: Made\n${lists.join('\n')}\nm_AnimationClipSettings:${lines.join('')}\n${more.includes('m_Events') ? '' : 'm_Events: []\n'}${more}`;
  return unityObject(74, 7400000, 'AnimationClip', fields);
}

/** What a track shows at a time, as glTF says; rotations of length 1 (linear ones may have but one key). */
export function sampleTrack({ interpolation, times, values, channel }: UnityTrack, time: number): number[] {
  const isCubic = interpolation === 'CUBICSPLINE';
  const size = values.length / times.length / (isCubic ? 3 : 1);
  const stride = size * (isCubic ? 3 : 1);
  const value = (key: number) =>
    Array.from({ length: size }, (_, c) => values[key * stride + (isCubic ? size : 0) + c]!);
  let key = times.findLastIndex((at) => at <= time);
  if (key < 0) key = 0;
  if (key >= times.length - 1 || time <= times[0]! || !isCubic) return value(key);
  const length = times[key + 1]! - times[key]!;
  const s = (time - times[key]!) / length;
  const [from, to] = [value(key), value(key + 1)];
  const out = from.map((v0, c) => {
    const [m0, m1] = [values[key * stride + 2 * size + c]! * length, values[(key + 1) * stride + c]! * length];
    return hermite(v0, m0, to[c]!, m1, s);
  });
  if (channel !== 'rotation') return out;
  const norm = Math.hypot(...out);
  return out.map((v) => v / norm);
}
