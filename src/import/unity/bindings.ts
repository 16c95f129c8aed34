import { type IssueList, quote } from '../model-builder/issue-list.ts';
import type { UnityKey } from './curve.ts';
import type { Fields } from './fields.ts';
import { readCurve } from './read-keys.ts';
import { eulerSignal, POSITION_SIGNS, rotationSignal, type Signal, vectorSignal } from './signal.ts';

/** Joints, morph weights and root that the curves of a clip move. */
export interface Bindings {
  /** Translation, rotation and scale of joints, in file order. */
  readonly joints: readonly JointBinding[];
  /** Morph weights by path of the mesh, then by name. */
  readonly morphs: ReadonlyMap<string, ReadonlyMap<string, readonly UnityKey[]>>;
  /** The character as a whole; undefined where no curve says. */
  readonly rootPosition: Signal | undefined;
  readonly rootRotation: Signal | undefined;
}

export interface JointBinding {
  readonly path: string;
  readonly channel: 'translation' | 'rotation' | 'scale';
  readonly signal: Signal;
  /** Components that no curve moves. */
  readonly rest: readonly number[];
}

type Parts = (readonly UnityKey[] | undefined)[];

const XYZ = ['x', 'y', 'z'];
const XYZW = ['x', 'y', 'z', 'w'];
const CLASS = { object: 1, transform: 4, animator: 95, skinnedMesh: 137 } as const;
const SCALAR = /^(m_LocalPosition|m_LocalRotation|m_LocalScale|localEulerAnglesRaw|localEulerAngles)\.([xyzw])$/;
const ROOT = /^(Motion|Root)([TQ])\.([xyzw])$/;
const MORPH = 'blendShape.';

/** Reads all curves of a clip. Curves of anything but joints, morph weights or the root are left out with a warning. */
export function readBindings(clip: Fields, issues: IssueList): Bindings {
  const joints = new Map<string, JointBinding>();
  const add = (place: string, binding: JointBinding) => {
    const key = `${binding.channel} ${binding.path}`;
    if (!joints.has(key)) joints.set(key, binding);
    else
      issues.warn(
        'UNITY_INVALID',
        place,
        `a second curve moves the ${binding.channel} of ${quote(binding.path)}; it is left out`,
      );
  };
  for (const [list, channel, names] of [
    ['m_RotationCurves', 'rotation', XYZW],
    ['m_EulerCurves', 'rotation', XYZ],
    ['m_PositionCurves', 'translation', XYZ],
    ['m_ScaleCurves', 'scale', XYZ],
  ] as const) {
    for (const fields of clip.maps(list)) {
      const curve = readCurve(fields, names, issues);
      if (!curve) continue;
      const signal = jointSignal(channel, list === 'm_EulerCurves', curve.components, curve.rotationOrder);
      add(fields.path, { path: fields.text('path'), channel, signal, rest: [] });
    }
  }
  const floats = readFloats(clip, issues);
  for (const scalar of floats.joints.values()) add(scalar.place, bindScalars(scalar, issues));
  return { ...floats, joints: [...joints.values()] };
}

function jointSignal(
  channel: JointBinding['channel'],
  isEuler: boolean,
  curves: Parts | readonly (readonly UnityKey[])[],
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
    issues.warn(
      'UNITY_UNSUPPORTED',
      place,
      `of the rotation of ${quote(path)} no curve moves ${names}; they are as in no rotation`,
    );
  }
  const signal = jointSignal(channel, isEuler, parts.slice(0, size), order);
  return { path, channel, signal, rest: channel === 'rotation' ? [] : missing };
}

interface Floats extends Omit<Bindings, 'joints'> {
  readonly joints: ReadonlyMap<string, Scalars>;
}

function readFloats(clip: Fields, issues: IssueList): Floats {
  const joints = new Map<string, Scalars>();
  const morphs = new Map<string, Map<string, readonly UnityKey[]>>();
  const roots = { MotionT: parts(), MotionQ: parts(), RootT: parts(), RootQ: parts() };
  const humanoid: string[] = [];
  const repeated = (place: string, what: string) =>
    issues.warn('UNITY_INVALID', place, `a second curve moves ${what}; it is left out`);

  for (const fields of clip.maps('m_FloatCurves')) {
    const [attribute, path, classID] = [fields.text('attribute'), fields.text('path'), fields.number('classID', 0)];
    const scalar = classID === CLASS.transform ? SCALAR.exec(attribute) : null;
    const root = classID === CLASS.animator && path === '' ? ROOT.exec(attribute) : null;
    const isMorph = classID === CLASS.skinnedMesh && attribute.startsWith(MORPH);
    if (!scalar && !root && !isMorph) {
      if (classID === CLASS.animator) humanoid.push(attribute);
      else {
        const what = `${quote(attribute)} of ${quote(path)} (class ${classID})`;
        issues.warn(
          'UNITY_UNSUPPORTED',
          fields.path,
          `a curve moves ${what}, which is neither a joint nor a morph weight; it is left out`,
        );
      }
      continue;
    }
    const curve = readCurve(fields, [''], issues);
    if (!curve) continue;
    const keys = curve.components[0]!;
    if (scalar) {
      const [, name, letter] = scalar as unknown as [string, string, string];
      const id = `${name} ${path}`;
      const known = joints.get(id) ?? { place: fields.path, path, attribute: name, parts: parts(), order: 4 };
      joints.set(id, known);
      known.order = curve.rotationOrder;
      const c = XYZW.indexOf(letter);
      if (known.parts[c]) repeated(fields.path, `${attribute} of ${quote(path)}`);
      else known.parts[c] = keys;
    } else if (root) {
      roots[`${root[1]}${root[2]}` as keyof typeof roots][XYZW.indexOf(root[3]!)] ??= keys;
    } else {
      const name = attribute.slice(MORPH.length);
      const ofMesh = morphs.get(path) ?? new Map<string, readonly UnityKey[]>();
      morphs.set(path, ofMesh);
      if (ofMesh.has(name)) repeated(fields.path, `${attribute} of ${quote(path)}`);
      else ofMesh.set(name, keys);
    }
  }
  if (humanoid.length > 0) {
    const names = humanoid.slice(0, 3).map(quote).join(', ');
    const message = `${humanoid.length} curves move muscles, limb goals or parameters of the animator (${names} …); they are left out`;
    issues.warn(
      'UNITY_UNSUPPORTED',
      `${clip.path}/m_FloatCurves`,
      message,
      'Bake humanoid clips to transforms in Unity.',
    );
  }
  const isMoved = (list: Parts) => list.some((keys) => keys !== undefined);
  const position = [roots.MotionT, roots.RootT].find(isMoved);
  const rotation = [roots.MotionQ, roots.RootQ].find(isMoved);
  return {
    joints,
    morphs,
    rootPosition: position && vectorSignal(position.slice(0, 3), POSITION_SIGNS, [0, 0, 0]),
    rootRotation: rotation && rotationSignal(rotation),
  };
}

function parts(): Parts {
  return [undefined, undefined, undefined, undefined];
}
