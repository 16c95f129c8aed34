import { type IssueList, quote } from '../model-builder/issue-list.ts';
import type { UnityKey } from './curve.ts';
import { type Fields, isMap, readNumber } from './fields.ts';
import { ROTATION_ORDERS } from './signal.ts';
import type { UnityMap, UnityValue } from './value.ts';

/** A Unity curve, split into its components. They share their times. */
export interface UnityCurve {
  /** One per component, each with at least one key. */
  readonly components: readonly (readonly UnityKey[])[];
  /** Which axis turns first (`m_RotationOrder`); matters for angles only. */
  readonly rotationOrder: number;
}

/** The code for holding the end values, the only one that real files were seen to have. */
const CLAMP = 2;

/**
 * Reads the curve of one binding. Keys that cannot be used are dropped with a warning; without any other, undefined.
 *
 * @param names Components of a vector; '' for a scalar.
 */
export function readCurve(binding: Fields, names: readonly string[], issues: IssueList): UnityCurve | undefined {
  const curve = binding.map('curve');
  const list = curve?.m_Curve;
  const components: UnityKey[][] = names.map(() => []);
  const state: ReadState = { names, dropped: 0, repaired: 0 };
  for (const key of Array.isArray(list) ? (list as readonly UnityValue[]) : []) {
    if (!readKey(key, components, state)) state.dropped++;
  }
  const { path } = binding;
  if (state.dropped > 0) {
    const message = `${state.dropped} keys have no finite time and value, or are not later than the key before; they are left out`;
    issues.warn('UNITY_INVALID', path, message);
  }
  if (state.repaired > 0)
    issues.warn('UNITY_INVALID', path, `${state.repaired} keys have slopes that are not numbers; they are 0`);
  for (const key of ['m_PreInfinity', 'm_PostInfinity'] as const) {
    const code = curve && readNumber(curve[key]);
    if (code !== undefined && curve![key] !== undefined && code !== CLAMP) {
      const message = `the curve goes on beyond its keys by rule ${quote(curve![key])}; it holds its end value instead`;
      issues.warn('UNITY_UNSUPPORTED', `${path}/${key}`, message);
    }
  }
  if (components[0]!.length === 0) {
    issues.warn('UNITY_INVALID', path, 'the curve has no key; it is left out');
    return undefined;
  }
  return { components, rotationOrder: readOrder(curve!, path, issues) };
}

function readOrder(curve: UnityMap, path: string, issues: IssueList): number {
  const order = curve.m_RotationOrder === undefined ? 4 : readNumber(curve.m_RotationOrder);
  if (Number.isInteger(order) && order >= 0 && order < ROTATION_ORDERS) return order;
  issues.error(
    'UNITY_INVALID',
    `${path}/m_RotationOrder`,
    `there is no rotation order ${quote(curve.m_RotationOrder)}`,
  );
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
