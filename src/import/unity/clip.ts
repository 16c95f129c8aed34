import type { ClipFacts, EventModel } from '../../controller/model.ts';
import type { CharacterModel, Interpolation, RootMotionModel } from '../../character/model.ts';
import { fail, type Issue } from '../../errors.ts';
import { IssueList } from '../model-builder/issue-list.ts';
import { type Bindings, readBindings } from './bindings.ts';
import { Fields, motionName, type ResolveMotion, UNITY_LIMITS } from './fields.ts';
import { UNITY_CLASS, UnityFile } from './file.ts';
import { fitSignal, KeyBudget } from './fit.ts';
import { humanoidClip } from './humanoid/humanoid-clip.ts';
import { findRootPath, rootKeys, type RootSignal, rootSignal, withoutRoot } from './root-motion.ts';
import { closeLoop, type Signal, vectorSignal } from './signal.ts';

export interface UnityClipOptions {
  /** Name of the clip. Default: the name in the file. */
  readonly name?: string;
  /** Which clip of a file that holds several; default: its first. */
  readonly fileID?: string;
  /** Names the clip of another file that an additive reference pose is taken from; default: `guid:fileID`. */
  readonly resolveMotion?: ResolveMotion;
  /**
   * Path of the joint that root motion is taken out of. Default: the topmost joint that follows the motion with its own
   * curves. Without such a joint the tracks stay as they are.
   */
  readonly rootPath?: string;
  /** Factor of the file's morph weights. Default 0.01: Unity counts in percent. */
  readonly morphScale?: number;
}

/** A Unity clip in glTF's axes and units, not yet bound to a character: `bindUnityClip`. */
export interface UnityClip {
  readonly name: string;
  /** Seconds, from the file's start to its stop; 0 for a pose. */
  readonly duration: number;
  readonly loops: boolean;
  /** The facts that a controller needs about it. */
  readonly facts: ClipFacts;
  readonly tracks: readonly UnityTrack[];
  /** How it moves the character, if it has curves for that. */
  readonly root?: RootMotionModel;
  /**
   * The same clip on a body of the default proportions, if it moves muscles of a humanoid. It is one of a model without meshes, in
   * which the centre of mass is 1 m high: a source for `bindClips`, as `bindUnityClip` uses it. Approximate (ADR 0042).
   */
  readonly humanoid?: CharacterModel;
  /** Features that could not be imported, by place in the file. */
  readonly issues: readonly Issue[];
}

/** Keys of one property, as in `TrackModel`. */
export interface UnityTrack {
  /** Slash path from below the object that carries the animator; '' for that itself. For weights, the mesh's. */
  readonly path: string;
  readonly channel: 'translation' | 'rotation' | 'scale' | 'weights';
  /** Name of the morph target, for weights: one track each; those of one path have the same times. */
  readonly morph?: string;
  readonly interpolation: Interpolation;
  /** Seconds from the clip's begin, strictly increasing. */
  readonly times: Float32Array;
  readonly values: Float32Array;
  /** Components that no curve moves: binding sets them to the joint's rest pose. */
  readonly rest?: readonly number[];
}

/**
 * Reads an animation clip (`.anim`, class 74): transforms, morph weights, muscles of humanoids, root motion, events and settings.
 *
 * Hermite curves are taken over as they are. Weighted curves are split until they are within 1e-5 of their range,
 * Euler angles until they are within 1e-4 radians. Steps stay steps, component by component. Loop Pose is applied.
 * Muscles become rotations of a default body, sampled 30 to 60 times a second. Limb goals, object swaps and properties that are not
 * drawn here are left out with warnings.
 *
 * @param text The file, saved as text (Force Text), up to 64 MiB.
 * @throws ManipleError UNITY_INVALID, UNITY_LIMIT; UNITY_DANGLING for an unknown `fileID`; UNITY_UNSUPPORTED for
 * compressed curves.
 */
export function importUnityClip(text: string, options: UnityClipOptions = {}): UnityClip {
  const file = new UnityFile(text);
  const { fileID = file.main(UNITY_CLASS.clip, 'animation clip') } = options;
  if (!file.is({ fileID }, UNITY_CLASS.clip)) {
    fail('UNITY_DANGLING', `&${fileID}`, 'The file holds no animation clip of this fileID.', 'Save it again in Unity.');
  }
  return readClip(file, fileID, options, file.issues);
}

/** The same out of an open file. */
export function readClip(
  file: UnityFile,
  fileID: string,
  options: UnityClipOptions,
  issues: IssueList = new IssueList(UNITY_LIMITS.issues),
): UnityClip {
  const own = file.fields(fileID, '');
  const name = options.name ?? own.text('m_Name');
  const clip = new Fields(file.documents.get(fileID)!.value, name, issues);
  warnOfClip(clip);
  const bindings = readBindings(clip);
  const settings = new Fields(clip.map('m_AnimationClipSettings') ?? {}, `${name}/m_AnimationClipSettings`, issues);
  const range = readRange(settings, bindings);
  warnOfSettings(settings);
  const facts = readFacts(clip, settings, range, fileID, options);
  issues.throwIfErrors();
  const budget = new KeyBudget(name);
  const root = range.stop > range.start ? rootSignal(bindings, range.start, bakedParts(settings)) : undefined;
  const tracks = fitTracks(bindings, settings, range, options, root, budget);
  const motion = root && rootKeys(root, range.start, range.stop, budget);
  const { loops = false, events } = facts;
  const whole = { name, duration: Math.fround(range.stop - range.start), loops, ...(motion && { root: motion }) };
  const still = (signal: Signal, carried?: RootSignal) => stillSignal(signal, carried, settings, range);
  const { muscles, bodyPosition, bodyRotation } = bindings;
  const curves = {
    muscles: new Map(Array.from(muscles, ([muscle, keys]) => [muscle, still(vectorSignal([keys], [1], [0]))])),
    position: bodyPosition && still(bodyPosition, root),
    rotation: bodyRotation && still(bodyRotation, root),
  };
  const place = { start: range.start, rate: clip.number('m_SampleRate', 60) };
  const humanoid = muscles.size > 0 && humanoidClip(curves, { ...whole, ...(events && { events }) }, place);
  return { ...whole, facts, tracks, ...(humanoid && { humanoid }), issues: issues.list() };
}

/** A signal without the motion of the character, and with its loop closed if the clip wants that. */
function stillSignal(signal: Signal, root: RootSignal | undefined, settings: Fields, { start, stop }: Range): Signal {
  const still = root ? withoutRoot(signal, root, start, stop) : signal;
  return settings.flag('m_LoopBlend', false) ? closeLoop(still, start, stop) : still;
}

interface Range {
  readonly start: number;
  readonly stop: number;
}

function warnOfClip(clip: Fields): void {
  const compressed = clip.list('m_CompressedRotationCurves').length;
  if (compressed > 0) {
    const place = `${clip.path}/m_CompressedRotationCurves`;
    const suggestion = 'Turn off Compressed for the clip in Unity and save it again.';
    clip.issues.error('UNITY_UNSUPPORTED', place, `${compressed} rotations are compressed`, suggestion);
  }
  const swaps = clip.list('m_PPtrCurves').length;
  if (swaps > 0) clip.warn('UNITY_UNSUPPORTED', `${swaps} curves that swap objects are left out`, 'm_PPtrCurves');
  if (clip.flag('m_Legacy', false)) {
    const message = 'the clip is of the old animation system; its wrap mode is left out';
    clip.warn('UNITY_UNSUPPORTED', message, 'm_Legacy');
  }
}

function readRange(settings: Fields, { joints, morphs, muscles }: Bindings): Range {
  const start = settings.number('m_StartTime', 0);
  if (settings.has('m_StopTime')) {
    const stop = settings.number('m_StopTime', start);
    const message = `the clip stops at ${stop} s, before it starts`;
    if (stop < start) settings.warn('UNITY_INVALID', message, 'm_StopTime');
    return { start, stop: Math.max(start, stop) };
  }
  let stop = start;
  for (const { signal } of joints) stop = Math.max(stop, signal.knots.at(-1)!);
  for (const targets of [...morphs.values(), muscles]) {
    for (const keys of targets.values()) stop = Math.max(stop, keys.at(-1)!.time);
  }
  return { start, stop };
}

const LEFT_OUT = ['m_OrientationOffsetY', 'm_Level', 'm_HeightFromFeet'] as const;

function warnOfSettings(settings: Fields): void {
  for (const key of LEFT_OUT) {
    const value = settings.number(key, 0);
    if (value !== 0) settings.warn('UNITY_UNSUPPORTED', `${value} is left out; it is taken as 0`, key);
  }
}

function readFacts(
  clip: Fields,
  settings: Fields,
  range: Range,
  fileID: string,
  { resolveMotion }: UnityClipOptions,
): ClipFacts {
  const cycleOffset = settings.number('m_CycleOffset', 0);
  const events = readEvents(clip, range);
  return {
    length: Math.fround(range.stop - range.start),
    loops: settings.flag('m_LoopTime', false),
    ...(cycleOffset !== 0 && { cycleOffset }),
    ...(settings.flag('m_Mirror', false) && { mirror: true }),
    ...(events.length > 0 && { events }),
    ...(settings.flag('m_HasAdditiveReferencePose', false) && { reference: readReferencePose() }),
  };

  function readReferencePose(): NonNullable<ClipFacts['reference']> {
    const time = settings.number('m_AdditiveReferencePoseTime', 0);
    const source = settings.reference('m_AdditiveReferencePoseClip');
    if (source?.guid !== undefined) {
      return { clip: motionName({ fileID: source.fileID, guid: source.guid }, resolveMotion), time };
    }
    if (source && source.fileID !== fileID) {
      const message = `the clip &${source.fileID} is in no other file; its own pose is taken`;
      settings.warn('UNITY_DANGLING', message, 'm_AdditiveReferencePoseClip');
    }
    return { clip: clip.path, time: Math.max(0, time - range.start) };
  }
}

function readEvents(clip: Fields, { start, stop }: Range): EventModel[] {
  const events = clip.maps('m_Events').flatMap((fields): EventModel | [] => {
    const time = fields.number('time', 0);
    const name = fields.text('functionName');
    if (time < start || time > stop) {
      fields.warn('UNITY_UNSUPPORTED', `the event at ${time} s is outside ${start} … ${stop} s; it is left out`);
      return [];
    }
    if (fields.reference('objectReferenceParameter')) {
      fields.warn('UNITY_UNSUPPORTED', 'the object that the event hands over is left out');
    }
    const [number, integer] = [fields.number('floatParameter', 0), fields.number('intParameter', 0)];
    const text = fields.text('data');
    return {
      name,
      time: Math.fround(time - start),
      ...(number !== 0 && { number }),
      ...(integer !== 0 && { integer }),
      ...(text !== '' && { text }),
    };
  });
  return events.sort((a, b) => a.time - b.time);
}

function fitTracks(
  bindings: Bindings,
  settings: Fields,
  { start, stop }: Range,
  options: UnityClipOptions,
  root: RootSignal | undefined,
  budget: KeyBudget,
): UnityTrack[] {
  const rootPath = root && (options.rootPath ?? findRootPath(root, bindings, start, stop));
  const still = (signal: Signal, carried?: RootSignal) => stillSignal(signal, carried, settings, { start, stop });
  const tracks: UnityTrack[] = [];
  for (const { path, channel, signal, rest } of bindings.joints) {
    const carries = root && path === rootPath && channel !== 'scale';
    const keys = fitSignal(still(signal, carries ? root : undefined), start, stop, budget);
    tracks.push({ path, channel, ...keys, ...(rest.length > 0 && { rest }) });
  }
  const scale = options.morphScale ?? 0.01;
  for (const [path, targets] of bindings.morphs) {
    const names = [...targets.keys()];
    // all of a mesh at once: tracks with equal times become one when they are bound
    const scales = names.map(() => scale);
    const signal = vectorSignal([...targets.values()], scales, []);
    const keys = fitSignal(still(signal), start, stop, budget);
    names.forEach((morph, c) => {
      const values = keys.values.filter((_, i) => i % names.length === c);
      tracks.push({ path, channel: 'weights', morph, interpolation: keys.interpolation, times: keys.times, values });
    });
  }
  return tracks;
}

function bakedParts(settings: Fields): Parameters<typeof rootSignal>[2] {
  return {
    orientation: settings.flag('m_LoopBlendOrientation', false),
    positionY: settings.flag('m_LoopBlendPositionY', false),
    positionXZ: settings.flag('m_LoopBlendPositionXZ', false),
  };
}
