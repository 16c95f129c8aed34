import type { AnimationClip, KeyframeTrack, Mesh, Object3D } from 'three';
import type { ClipModel, MorphSetModel, TrackModel } from '../../character/model.ts';
import type { Steps } from '../../character/pack/index.ts';
import { cleanKeys } from '../../import/model-builder/keys.ts';
import { type IssueList, quote } from '../../import/model-builder/issue-list.ts';
import { isUsable } from '../../import/model-builder/limits.ts';
import { onRest } from './additive.ts';
import { eulerKeys } from './euler-keys.ts';
import type { Joints } from './joints.ts';
import type { Keys } from './keys.ts';
import { mergeKeys } from './merge-keys.ts';
import { trackKeys } from './track-keys.ts';
import { targetOf, type TrackTarget } from './track-targets.ts';

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
