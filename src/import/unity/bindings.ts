import { type IssueList, quote } from '../model-builder/issue-list.ts';
import type { UnityKey } from './curve.ts';
import { type Fields, isMap, readNumber, type UnityMap, type UnityValue } from './fields.ts';
import { MUSCLES } from './humanoid/muscles.ts';
import { yawSignal } from './humanoid/yaw-signal.ts';
import { eulerSignal, POSITION_SIGNS, ROTATION_ORDERS, rotationSignal, type Signal, vectorSignal } from './signal.ts';

/** Joints, morph weights and root that the curves of a clip move. */
export interface Bindings {
  /** Translation, rotation and scale of joints, in file order. */
  readonly joints: readonly JointBinding[];
  /** Morph weights by path of the mesh, then by name. */
  readonly morphs: ReadonlyMap<string, ReadonlyMap<string, Keys>>;
  /** The character as a whole; undefined where no curve says. */
  readonly rootPosition: Signal | undefined;
  readonly rootRotation: Signal | undefined;
  /** Muscles of a humanoid by name; none for other clips. */
  readonly muscles: ReadonlyMap<string, Keys>;
  /** Centre of mass and orientation of a humanoid's body; undefined where no curve says. */
  readonly bodyPosition: Signal | undefined;
  readonly bodyRotation: Signal | undefined;
}

export interface JointBinding {
  readonly path: string;
  readonly channel: 'translation' | 'rotation' | 'scale';
  readonly signal: Signal;
  /** Components that no curve moves. */
  readonly rest: readonly number[];
}

type Keys = readonly UnityKey[];
type Parts = (Keys | undefined)[];
/** A match of SCALAR. */
type Scalar = readonly [match: string, attribute: string, letter: string];

const XYZ = ['x', 'y', 'z'];
const XYZW = ['x', 'y', 'z', 'w'];
const CLASS = { object: 1, transform: 4, animator: 95, skinnedMesh: 137 } as const;
const SCALAR = /^(m_LocalPosition|m_LocalRotation|m_LocalScale|localEulerAnglesRaw|localEulerAngles)\.([xyzw])$/;
const ROOT = /^(Motion|Root)([TQ])\.([xyzw])$/;
const GOAL = /^(Left|Right)(Foot|Hand)[TQ]\.[xyzw]$/;
const MORPH = 'blendShape.';

/** Reads all curves of a clip. Curves of anything but joints, morph weights or the root are left out with a warning. */
export function readBindings(clip: Fields): Bindings {
  const joints = new Map<string, JointBinding>();
  const add = (place: string, binding: JointBinding) => {
    const key = `${binding.channel} ${binding.path}`;
    if (joints.has(key)) repeated(clip, place, `the ${binding.channel} of ${quote(binding.path)}`);
    else joints.set(key, binding);
  };
  for (const [list, channel, names] of [
    ['m_RotationCurves', 'rotation', XYZW],
    ['m_EulerCurves', 'rotation', XYZ],
    ['m_PositionCurves', 'translation', XYZ],
    ['m_ScaleCurves', 'scale', XYZ],
  ] as const) {
    for (const fields of clip.maps(list)) {
      const curve = readCurve(fields, names);
      if (!curve) continue;
      const signal = jointSignal(channel, list === 'm_EulerCurves', curve.components, curve.rotationOrder);
      add(fields.path, { path: fields.text('path'), channel, signal, rest: [] });
    }
  }
  const floats = new FloatCurves();
  for (const fields of clip.maps('m_FloatCurves')) floats.add(fields);
  floats.warnOfHumanoid(clip);
  for (const scalar of floats.joints.values()) add(scalar.place, bindScalars(scalar, clip.issues));
  const { muscles, morphs } = floats;
  return { ...floats.root(), joints: [...joints.values()], morphs, muscles };
}

function repeated({ issues }: Fields, place: string, what: string): void {
  issues.warn('UNITY_INVALID', place, `a second curve moves ${what}; it is left out`);
}

function jointSignal(
  channel: JointBinding['channel'],
  isEuler: boolean,
  curves: readonly (Keys | undefined)[],
  order: number,
): Signal {
  if (channel === 'translation') return vectorSignal(curves, POSITION_SIGNS, [0, 0, 0]);
  if (channel === 'scale') return vectorSignal(curves, [1, 1, 1], [1, 1, 1]);
  return isEuler ? eulerSignal(curves, order) : rotationSignal(curves);
}

interface Scalars {
  readonly place: string;
  readonly path: string;
  readonly attribute: string;
  readonly parts: Parts;
  order: number;
}

function bindScalars({ place, path, attribute, parts, order }: Scalars, issues: IssueList): JointBinding {
  const channel = attribute === 'm_LocalPosition' ? 'translation' : attribute === 'm_LocalScale' ? 'scale' : 'rotation';
  const isEuler = attribute.startsWith('localEuler');
  const size = channel === 'rotation' && !isEuler ? 4 : 3;
  const missing = Array.from({ length: size }, (_, c) => c).filter((c) => !parts[c]);
  if (channel === 'rotation' && missing.length > 0) {
    const names = missing.map((c) => XYZW[c]).join(', ');
    const message = `of the rotation of ${quote(path)} no curve moves ${names}; they are as in no rotation`;
    issues.warn('UNITY_UNSUPPORTED', place, message);
  }
  const signal = jointSignal(channel, isEuler, parts.slice(0, size), order);
  return { path, channel, signal, rest: channel === 'rotation' ? [] : missing };
}

/** Curves of single numbers, sorted by what they move. */
class FloatCurves {
  readonly joints = new Map<string, Scalars>();
  readonly morphs = new Map<string, Map<string, Keys>>();
  readonly muscles = new Map<string, Keys>();
  readonly roots = { MotionT: parts(), MotionQ: parts(), RootT: parts(), RootQ: parts() };

  /** Attributes of the animator's curves that are left out: limb goals of humanoids, and others. */
  readonly #goals: string[] = [];
  readonly #others: string[] = [];

  /** Adds a curve. One that cannot be used is left out with a warning. */
  add(fields: Fields): void {
    const [attribute, path, classID] = [fields.text('attribute'), fields.text('path'), fields.number('classID', 0)];
    const scalar = classID === CLASS.transform ? SCALAR.exec(attribute) : null;
    const root = classID === CLASS.animator && path === '' ? ROOT.exec(attribute) : null;
    const isMorph = classID === CLASS.skinnedMesh && attribute.startsWith(MORPH);
    const isMuscle = classID === CLASS.animator && path === '' && MUSCLES.has(attribute);
    if (!scalar && !root && !isMorph && !isMuscle) {
      const what = `${quote(attribute)} of ${quote(path)} (class ${classID})`;
      const message = `a curve moves ${what}, which is neither a joint nor a morph weight; it is left out`;
      if (classID === CLASS.animator) (GOAL.test(attribute) ? this.#goals : this.#others).push(attribute);
      else fields.warn('UNITY_UNSUPPORTED', message);
      return;
    }
    const curve = readCurve(fields, ['']);
    if (!curve) return;
    const keys = curve.components[0]!;
    if (root) {
      this.roots[`${root[1]}${root[2]}` as keyof FloatCurves['roots']][XYZW.indexOf(root[3]!)] ??= keys;
      return;
    }
    const isNew = scalar
      ? this.#addScalar(fields.path, path, scalar as unknown as Scalar, keys, curve.rotationOrder)
      : isMuscle
        ? addNew(this.muscles, attribute, keys)
        : this.#addMorph(path, attribute.slice(MORPH.length), keys);
    if (!isNew) repeated(fields, fields.path, `${attribute} of ${quote(path)}`);
  }

  #addScalar(place: string, path: string, [, attribute, letter]: Scalar, keys: Keys, order: number): boolean {
    const id = `${attribute} ${path}`;
    const known = this.joints.get(id) ?? { place, path, attribute, parts: parts(), order };
    this.joints.set(id, known);
    known.order = order;
    const c = XYZW.indexOf(letter);
    const isNew = !known.parts[c];
    if (isNew) known.parts[c] = keys;
    return isNew;
  }

  #addMorph(path: string, name: string, keys: Keys): boolean {
    const ofMesh = this.morphs.get(path) ?? new Map<string, Keys>();
    this.morphs.set(path, ofMesh);
    return addNew(ofMesh, name, keys);
  }

  warnOfHumanoid({ path, issues }: Fields): void {
    const place = `${path}/m_FloatCurves`;
    const named = (attributes: readonly string[]): string =>
      attributes.slice(0, 3).map(quote).join(', ') + (attributes.length > 3 ? ' …' : '');
    if (this.#goals.length > 0) {
      const message = `${this.#goals.length} curves of goals for hands and feet are left out (${named(this.#goals)})`;
      issues.info('UNITY_UNSUPPORTED', place, message, 'Binding holds planted feet in place.');
    }
    if (this.#others.length > 0) {
      const what = `${this.#others.length} curves move neither muscles nor the root of the animator`;
      issues.warn('UNITY_UNSUPPORTED', place, `${what} (${named(this.#others)}); they are left out`);
    }
  }

  root(): Pick<Bindings, 'rootPosition' | 'rootRotation' | 'bodyPosition' | 'bodyRotation'> {
    const { MotionT, MotionQ, RootT, RootQ } = this.roots;
    const isMoved = (list: Parts) => list.some((keys) => keys !== undefined);
    const positionOf = (list: Parts) =>
      isMoved(list) ? vectorSignal(list.slice(0, 3), POSITION_SIGNS, [0, 0, 0]) : undefined;
    const rotationOf = (list: Parts) => (isMoved(list) ? rotationSignal(list) : undefined);
    const [bodyPosition, bodyRotation] = [positionOf(RootT), rotationOf(RootQ)];
    // a humanoid's body leans and rolls, its root only turns
    const turned = this.muscles.size > 0 && bodyRotation ? yawSignal(bodyRotation) : bodyRotation;
    return {
      rootPosition: positionOf(MotionT) ?? bodyPosition,
      rootRotation: rotationOf(MotionQ) ?? turned,
      bodyPosition,
      bodyRotation,
    };
  }
}

function addNew<T>(map: Map<string, T>, key: string, value: T): boolean {
  const isNew = !map.has(key);
  if (isNew) map.set(key, value);
  return isNew;
}

function parts(): Parts {
  return [undefined, undefined, undefined, undefined];
}

/** The code for holding the end values, the only one that real files were seen to have. */
const CLAMP = 2;

/**
 * Reads the curve of one binding. Keys that cannot be used are dropped with a warning; without any other, undefined.
 *
 * @param names Components of a vector; '' for a scalar.
 * @returns Components with the same times, at least one key each, and which axis turns first: it matters for angles only.
 */
function readCurve(binding: Fields, names: readonly string[]) {
  const curve = binding.map('curve');
  const list = curve?.m_Curve;
  const components: UnityKey[][] = names.map(() => []);
  const state: ReadState = { names, dropped: 0, repaired: 0 };
  for (const key of Array.isArray(list) ? (list as readonly UnityValue[]) : []) {
    if (!readKey(key, components, state)) state.dropped++;
  }
  if (state.dropped > 0) {
    const why = 'have no finite time and value, or are not later than the key before';
    binding.warn('UNITY_INVALID', `${state.dropped} keys ${why}; they are left out`);
  }
  if (state.repaired > 0) {
    binding.warn('UNITY_INVALID', `${state.repaired} keys have slopes that are not numbers; they are 0`);
  }
  for (const key of ['m_PreInfinity', 'm_PostInfinity'] as const) {
    const code = curve && readNumber(curve[key]);
    if (code !== undefined && curve![key] !== undefined && code !== CLAMP) {
      const rule = `the curve goes on beyond its keys by rule ${quote(curve![key])}`;
      binding.warn('UNITY_UNSUPPORTED', `${rule}; it holds its end value instead`, key);
    }
  }
  if (components[0]!.length === 0) {
    binding.warn('UNITY_INVALID', 'the curve has no key; it is left out');
    return undefined;
  }
  return { components, rotationOrder: readOrder(curve!, binding) };
}

function readOrder({ m_RotationOrder: given }: UnityMap, binding: Fields): number {
  const order = given === undefined ? 4 : readNumber(given);
  if (Number.isInteger(order) && order >= 0 && order < ROTATION_ORDERS) return order;
  binding.refuse('m_RotationOrder', `there is no rotation order ${quote(given)}`);
  return 4;
}

interface ReadState {
  readonly names: readonly string[];
  dropped: number;
  repaired: number;
}

function readKey(key: UnityValue, components: readonly UnityKey[][], state: ReadState): boolean {
  if (!isMap(key)) return false;
  const { names } = state;
  const time = readNumber(key.time);
  const isLater = Number.isFinite(time) && !(time <= (components[0]!.at(-1)?.time ?? -Infinity));
  if (!isLater || !names.every((name) => Number.isFinite(component(key.value, name)))) return false;
  const weightedMode = readNumber(key.weightedMode ?? '0');
  let isRepaired = false;
  const slope = (value: UnityValue | undefined, name: string) => {
    const number = value === undefined ? 0 : component(value, name);
    if (!Number.isNaN(number)) return number;
    isRepaired = true;
    return 0;
  };
  names.forEach((name, c) => {
    const plain = {
      time,
      value: component(key.value, name),
      inSlope: slope(key.inSlope, name),
      outSlope: slope(key.outSlope, name),
    };
    // weights that the mode does not name do not count, whatever they are
    if (!(weightedMode > 0)) components[c]!.push(plain);
    else {
      const inWeight = weight(component(key.inWeight, name));
      components[c]!.push({ ...plain, weightedMode, inWeight, outWeight: weight(component(key.outWeight, name)) });
    }
  });
  if (isRepaired) state.repaired++;
  return true;
}

function component(value: UnityValue | undefined, name: string): number {
  if (name === '') return readNumber(value);
  return isMap(value) && Object.hasOwn(value, name) ? readNumber(value[name]) : Number.NaN;
}

function weight(value: number): number {
  return Number.isNaN(value) ? 1 / 3 : Math.min(1, Math.max(0, value));
}
