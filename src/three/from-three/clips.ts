import {
  type AnimationClip,
  type Bone,
  type KeyframeTrack,
  type Mesh,
  type Object3D,
  PropertyBinding,
  type SkinnedMesh,
} from 'three';
import { sampleTrack, trackWidth } from '../../character/evaluate.ts';
import type { CharacterModel, ClipModel, MorphSetModel, TrackModel } from '../../character/model.ts';
import type { Steps } from '../../character/pack/index.ts';
import { chooseKeys, type Curve, sampleAdaptively } from '../../character/resample.ts';
import { quoted } from '../../errors.ts';
import { cleanKeys } from '../../import/model-builder/keys.ts';
import { type IssueList, quote } from '../../import/model-builder/issue-list.ts';
import { isUsable } from '../../import/model-builder/limits.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';
import type { Joints } from './joints.ts';
import { type ComponentKeys, type Keys, mergeKeys, timesOf } from './keys.ts';
import { isMesh } from './scan.ts';
import { trackKeys } from './track-keys.ts';

/** A clip and the target of each of its tracks, or the reason why a track has none. */
export interface TargetedClip {
  readonly clip: AnimationClip;
  readonly tracks: readonly { readonly track: KeyframeTrack; readonly target: TrackTarget | string }[];
}

/** Possible targets of tracks. */
export interface ClipTargets {
  readonly joints: Joints;
  readonly morphSets: readonly MorphSetModel[];
  readonly morphSetOf: ReadonlyMap<Mesh, number>;
}

/** three's AdditiveAnimationBlendMode. */
const ADDITIVE = 2501;

export function* targetTracks(clips: readonly AnimationClip[], root: Object3D): Steps<TargetedClip[]> {
  const targeted: TargetedClip[] = [];
  for (const clip of clips) {
    targeted.push({ clip, tracks: clip.tracks.map((track) => ({ track, target: targetOf(track, root) })) });
    yield;
  }
  return targeted;
}

/** Reads clips, in three's order. Tracks of objects that move no vertex are left out without an issue. */
export function* readClips(
  clips: readonly TargetedClip[],
  targets: ClipTargets,
  issues: IssueList,
): Steps<ClipModel[]> {
  const read: ClipModel[] = [];
  for (const clip of clips) {
    read.push(new ClipReader(clip, targets, issues).read());
    yield;
  }
  return read;
}

/** Tracks that together animate one property of an object. */
interface Property {
  readonly path: TrackTarget['path'];
  readonly object: Object3D;
  readonly parts: { readonly track: KeyframeTrack; readonly component: number | undefined }[];
}

class ClipReader {
  readonly #clip: TargetedClip;
  readonly #targets: ClipTargets;
  readonly #issues: IssueList;
  readonly #path: string;

  constructor(clip: TargetedClip, targets: ClipTargets, issues: IssueList) {
    this.#clip = clip;
    this.#targets = targets;
    this.#issues = issues;
    this.#path = `/animations/${clip.clip.name}`;
  }

  read(): ClipModel {
    const { clip } = this.#clip;
    const tracks = this.#properties().flatMap((property) => this.#read(property));
    const last = tracks.reduce((latest, { times }) => Math.max(latest, times.at(-1)!), 0);
    const duration = clip.duration >= 0 && isUsable(clip.duration) ? clip.duration : last;
    if ((clip.blendMode as number) !== ADDITIVE) return { name: clip.name, duration, tracks };
    const message = 'the clip is additive; it was added to the rest pose';
    const hint = 'In additive layers of a controller it is what it was, with a pose that rests as reference.';
    this.#issues.info('THREE_SIMPLIFIED', this.#path, message, hint);
    return { name: clip.name, duration, tracks: onRest(tracks, this.#targets.joints, this.#targets.morphSets) };
  }

  /** Groups tracks by target. If several have the same target, the last one is used, because three applies it last. */
  #properties(): Property[] {
    const found = new Map<string, Property>();
    for (const { track, target } of this.#clip.tracks) {
      if (typeof target === 'string') {
        this.#ignore(track, target);
        continue;
      }
      const { path, object, component } = target;
      const key = `${path === 'euler' ? 'rotation' : path} ${object.uuid}`;
      const known = found.get(key);
      const joins =
        known?.path === path &&
        component !== undefined &&
        known.parts.every((part) => part.component !== undefined && part.component !== component);
      if (joins) {
        known.parts.push({ track, component });
        continue;
      }
      for (const part of known?.parts ?? []) this.#ignore(part.track, 'a later track of the clip moves the same');
      found.set(key, { path, object, parts: [{ track, component }] });
    }
    return [...found.values()];
  }

  #read(property: Property): TrackModel[] {
    const { path, object } = property;
    const { joints, morphSets, morphSetOf } = this.#targets;
    if (path === 'weights') {
      const set = morphSetOf.get(object as Mesh);
      if (set === undefined) return [];
      const keys = this.#keys(property, morphSets[set]!.weights);
      return keys ? [{ path, targetIndex: set, ...keys }] : [];
    }
    const moved = joints.movedBy(object);
    if (moved.length === 0) {
      if (!object.matrixAutoUpdate && joints.jointOf(object) >= 0) {
        const why = 'three does not move an object that has no automatic updates of its matrix';
        for (const { track } of property.parts) this.#ignore(track, why);
      }
      return [];
    }
    const { position, scale } = object;
    const rest = path === 'scale' ? scale.toArray() : path === 'translation' ? position.toArray() : [0, 0, 0, 1];
    const keys = this.#keys(property, rest);
    if (!keys) return [];
    return moved.map(({ jointIndex, offset }) => ({
      path: path === 'euler' ? 'rotation' : path,
      targetIndex: jointIndex,
      ...(path === 'translation' ? shifted(keys, offset) : keys),
    }));
  }

  /** Returns repaired keys of a whole property. */
  #keys({ path, object, parts }: Property, rest: readonly number[]): Keys | undefined {
    const whole = parts[0]!.component === undefined;
    const read = parts.flatMap(({ track, component = 0 }) => {
      const keys = this.#trackKeys(track, whole ? rest.length : 1, path === 'rotation');
      return keys ? [{ component, keys }] : [];
    });
    if (read.length === 0) return undefined;
    if (path === 'euler') {
      const keys = eulerKeys(object, read);
      if (!keys) for (const { track } of parts) this.#ignore(track, 'its angles would take too many keys');
      return keys;
    }
    return whole ? read[0]!.keys : mergeKeys(rest, read);
  }

  #trackKeys(track: KeyframeTrack, width: number, isRotation: boolean): Keys | undefined {
    const keys = trackKeys(track, width);
    if (typeof keys === 'string') {
      this.#ignore(track, keys);
      return undefined;
    }
    const { interpolation, times, values } = keys;
    const clean = cleanKeys(times, values, { width, interpolation, isRotation });
    if (!clean) this.#ignore(track, 'none of its keys can be used');
    else if (clean.repairs.length > 0) {
      const message = `${clean.repairs.join('; ')}; ${clean.times.length} keys are left`;
      this.#issues.warn('GLTF_KEYS_REPAIRED', `${this.#path}/${track.name}`, message);
    }
    return clean && { interpolation, times: clean.times, values: clean.values };
  }

  #ignore(track: KeyframeTrack, why: string): void {
    this.#issues.warn('GLTF_CHANNEL_IGNORED', `${this.#path}/${quote(track.name)}`, why);
  }
}

/** Adds an offset to all values, but not to tangents. */
function shifted(keys: Keys, offset: readonly number[]): Keys {
  const { interpolation, values } = keys;
  if (offset.every((value) => value === 0)) return keys;
  const width = offset.length;
  const isValue = (i: number) => interpolation !== 'CUBICSPLINE' || Math.floor(i / width) % 3 === 1;
  return { ...keys, values: values.map((value, i) => (isValue(i) ? value + offset[i % width]! : value)) };
}

/** Adds tracks of differences to the rest pose, as three does. Key times and interpolation do not change. */
function onRest(
  tracks: readonly TrackModel[],
  { joints }: Pick<CharacterModel, 'joints'>,
  morphSets: readonly MorphSetModel[],
): TrackModel[] {
  const product: number[] = [];
  return tracks.map((track) => {
    const { path, targetIndex, interpolation } = track;
    const rest = path === 'weights' ? morphSets[targetIndex]!.weights : joints[targetIndex]![path];
    const width = trackWidth(track);
    const values = track.values.slice();
    for (let at = 0, part = 0; at < values.length; at += width, part++) {
      const isTangent = interpolation === 'CUBICSPLINE' && part % 3 !== 1;
      if (path === 'rotation') {
        multiplyQuaternion(rest, values.subarray(at, at + 4), product);
        values.set(product, at);
      } else if (!isTangent) {
        for (let c = 0; c < width; c++) values[at + c]! += rest[c]!;
      }
    }
    return { ...track, values };
  });
}

/** Tolerance in radians: a hundredth of a millimetre at a distance of one metre. */
const ROTATION_CURVE: Curve = { at: 0, width: 4, tolerance: 1e-5 };
/** Largest number of keys of a rotation. */
const ROTATION_KEY_LIMIT = 20_000;

/** Converts angles about three axes to quaternion keys with slerps between them. Undefined if this takes too many keys. */
function eulerKeys(object: Object3D, parts: readonly ComponentKeys[]): Keys | undefined {
  const euler = object.rotation.clone();
  const quaternion = object.quaternion.clone();
  const angles = [euler.x, euler.y, euler.z];
  const value = new Float64Array(1);
  const evaluate = (time: number, out: Float64Array): void => {
    for (const { component, keys } of parts) {
      sampleTrack({ path: 'weights', targetIndex: 0, ...keys }, time, value, 0);
      angles[component] = value[0]!;
    }
    const [x, y, z] = angles as [number, number, number];
    out.set(quaternion.setFromEuler(euler.set(x, y, z)).toArray());
  };
  const samples = sampleAdaptively([...timesOf(parts, true)], 4, evaluate, [ROTATION_CURVE], ROTATION_KEY_LIMIT);
  if (!samples) return undefined;
  const kept = chooseKeys(samples, [ROTATION_CURVE]);
  return {
    interpolation: 'LINEAR',
    times: Float32Array.from(kept, (i) => samples.times[i]!),
    values: Float32Array.from(kept.flatMap((i) => [...samples.rows[i]!])),
  };
}

/** The property that a track animates. */
interface TrackTarget {
  /** `euler`: one of the angles of a rotation. */
  readonly path: 'translation' | 'rotation' | 'scale' | 'weights' | 'euler';
  readonly object: Object3D;
  /** Component of the value. Undefined for the whole value. */
  readonly component: number | undefined;
}

const PATHS: Readonly<Record<string, TrackTarget['path']>> = {
  position: 'translation',
  quaternion: 'rotation',
  scale: 'scale',
  rotation: 'euler',
  morphTargetInfluences: 'weights',
};

/** Finds the target of a track, as three's PropertyBinding does. Returns a reason if characters cannot play it. */
function targetOf({ name }: KeyframeTrack, root: Object3D): TrackTarget | string {
  const parsed = parse(name);
  if (!parsed) return 'its name cannot be read';
  const { nodeName, objectName, objectIndex, propertyName, propertyIndex } = parsed;
  const node = PropertyBinding.findNode(root, nodeName ?? '') as Object3D | null;
  if (!node) return `there is no object ${quote(nodeName)}`;
  const object = objectName === 'bones' ? boneOf(node, objectIndex) : objectName === undefined ? node : undefined;
  const path = Object.hasOwn(PATHS, propertyName) ? PATHS[propertyName] : undefined;
  if (!path || (objectName !== undefined && objectName !== 'bones')) {
    return `${[objectName, propertyName].filter(Boolean).join('.')} is nothing that characters can play`;
  }
  if (!object) return `there is no bone ${quote(objectIndex)}`;
  if (path === 'weights') return weightsTarget(object, propertyIndex);
  const component = propertyIndex === undefined ? undefined : ['x', 'y', 'z'].indexOf(propertyIndex);
  const isWhole = component === undefined;
  if (path === 'euler' ? isWhole : !isWhole && path === 'rotation') {
    return 'three plays rotations as quaternions, or as angles x, y and z';
  }
  if (component === -1) return `${quoted(propertyName)} has no component ${quote(propertyIndex)}`;
  return { path, object, component };
}

/** Parts of a track's name. Missing parts are undefined, despite three's types. */
type Parsed = Partial<ReturnType<typeof PropertyBinding.parseTrackName>> & { readonly propertyName: string };

function parse(name: string): Parsed | undefined {
  try {
    return PropertyBinding.parseTrackName(name);
  } catch {
    return undefined;
  }
}

function boneOf(node: Object3D, index: string | undefined): Bone | undefined {
  const bones = (node as Partial<SkinnedMesh>).skeleton?.bones;
  return bones?.find(({ name }) => name === index) ?? bones?.[Number(index)];
}

function weightsTarget(object: Object3D, index: string | undefined): TrackTarget | string {
  if (!isMesh(object) || !object.morphTargetInfluences) return 'the object has no morph targets';
  if (index === undefined) return { path: 'weights', object, component: undefined };
  const component = object.morphTargetDictionary?.[index] ?? Number(index);
  const isThere = Number.isInteger(component) && component >= 0 && component < object.morphTargetInfluences.length;
  return isThere ? { path: 'weights', object, component } : `there is no morph target ${quote(index)}`;
}
