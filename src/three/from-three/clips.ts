import type { AnimationClip, KeyframeTrack, Mesh, Object3D } from 'three';
import type { ClipModel, MorphSetModel, TrackModel, CharacterModel } from '../../character/model.ts';
import type { Steps } from '../../character/pack/index.ts';
import { cleanKeys } from '../../import/model-builder/keys.ts';
import { type IssueList, quote } from '../../import/model-builder/issue-list.ts';
import { isUsable } from '../../import/model-builder/limits.ts';
import type { Joints } from './joints.ts';
import { type Keys, nextFloat, previousFloat } from './keys.ts';
import { mergeKeys, type ComponentKeys } from './merge-keys.ts';
import { targetOf, type TrackTarget } from './track-targets.ts';
import { bezierKeys } from './bezier-keys.ts';
import { trackWidth, sampleTrack } from '../../character/evaluate.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';
import { chooseKeys, type Curve, sampleAdaptively } from '../../character/resample.ts';

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
    const read = parts.flatMap(({ track, component }) => {
      const isRotation = path === 'rotation';
      const keys = this.#trackKeys(track, whole ? rest.length : 1, isRotation);
      return keys ? [{ component: component ?? 0, keys }] : [];
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

/** three's constants for interpolation. */
const [DISCRETE, LINEAR, SMOOTH, BEZIER] = [2300, 2301, 2302, 2303];

/**
 * Returns the keys of a three track, or a string with the reason why they cannot be read.
 *
 * @param width Count of numbers in one value.
 */
function trackKeys(track: KeyframeTrack, width: number): Keys | string {
  const { createInterpolant } = track as {
    createInterpolant?: { isInterpolantFactoryMethodGLTFCubicSpline?: boolean };
  };
  const isSpline = createInterpolant?.isInterpolantFactoryMethodGLTFCubicSpline === true;
  const perKey = track.values.length / track.times.length;
  const expected = isSpline ? 3 * width : width;
  if (!NUMBERS.has(track.ValueTypeName)) return `its values are of type ${track.ValueTypeName}`;
  if (perKey !== expected) return `it has ${perKey} numbers for each key, ${expected} are needed`;
  const given = { times: distinct(track.times), values: Float32Array.from(track.values) };
  if (isSpline) return { ...given, interpolation: 'CUBICSPLINE' };
  switch (track.getInterpolation() as number | undefined) {
    case DISCRETE:
      return { ...given, interpolation: 'STEP' };
    case LINEAR:
      return { ...given, interpolation: 'LINEAR' };
    case SMOOTH:
      return smoothKeys(given, width);
    case BEZIER:
      return bezierKeys({ ...given, ...tangentsOf(track) }, width);
    default:
      return 'its interpolation is not one of three’s own';
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['vector', 'quaternion', 'number', 'color']);

/** Makes times distinct. Two keys at one time are a jump, so the second moves to the next float. */
function distinct(times: ArrayLike<number>): Float32Array {
  const out = Float32Array.from(times);
  for (let i = 1; i < out.length; i++) if (times[i] === times[i - 1]) out[i] = nextFloat(out[i - 1]!);
  return out;
}

/** Handles of three's Bézier curves: (time, value) per key and component. */
function tangentsOf(track: KeyframeTrack) {
  const { settings } = track as { settings?: { inTangents?: ArrayLike<number>; outTangents?: ArrayLike<number> } };
  return { inTangents: settings?.inTangents, outTangents: settings?.outTangents };
}

/**
 * Converts three's smooth curves (`CubicInterpolant`: Catmull-Rom over uneven times) to cubics with tangents, exactly. The tangent of a
 * key is the mean of the slopes to both neighbours. The first and last key use the neighbour at the other end, as in clips that loop.
 * In three the ends also depend on how an action plays the clip.
 */
function smoothKeys({ times, values }: Omit<Keys, 'interpolation'>, width: number): Keys {
  const last = times.length - 1;
  const out = new Float32Array(3 * values.length);
  for (let key = 0; key <= last; key++) {
    const [before, after] = [key === 0 ? last - 1 : key - 1, key === last ? 1 : key + 1];
    const back = key === 0 ? times[last]! - times[last - 1]! : times[key]! - times[before]!;
    const ahead = key === last ? times[1]! - times[0]! : times[after]! - times[key]!;
    for (let c = 0; c < width; c++) {
      const at = 3 * width * key + c;
      const value = values[key * width + c]!;
      out[at + width] = value;
      if (last === 0) continue;
      const tangent = ((value - values[before * width + c]!) / back + (values[after * width + c]! - value) / ahead) / 2;
      out[at] = out[at + 2 * width] = tangent;
    }
  }
  return { interpolation: 'CUBICSPLINE', times, values: out };
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
  const times = new Set<number>();
  for (const { keys } of parts) {
    keys.times.forEach((time, key) => {
      times.add(time);
      if (keys.interpolation === 'STEP' && key > 0) times.add(previousFloat(time));
    });
  }
  const evaluate = (time: number, out: Float64Array): void => {
    for (const { component, keys } of parts) {
      sampleTrack({ path: 'weights', targetIndex: 0, ...keys }, time, value, 0);
      angles[component] = value[0]!;
    }
    const [x, y, z] = angles as [number, number, number];
    out.set(quaternion.setFromEuler(euler.set(x, y, z)).toArray());
  };
  const samples = sampleAdaptively(
    [...times].sort((a, b) => a - b),
    4,
    evaluate,
    [ROTATION_CURVE],
    ROTATION_KEY_LIMIT,
  );
  if (!samples) return undefined;
  const kept = chooseKeys(samples, [ROTATION_CURVE]);
  return {
    interpolation: 'LINEAR',
    times: Float32Array.from(kept, (i) => samples.times[i]!),
    values: Float32Array.from(kept.flatMap((i) => [...samples.rows[i]!])),
  };
}
