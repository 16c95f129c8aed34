import { expectClip, expectModel } from './arguments.ts';
import { warning, type Issue } from '../errors.ts';
import { multiplyQuaternion } from '../math/quaternion.ts';
import { evaluateMorphWeights, evaluatePose, morphOffsets, POSE_OFFSETS, POSE_STRIDE, trackWidth } from './evaluate.ts';
import type { CharacterModel, ClipModel, TrackModel } from './model.ts';

/** A pose that a clip is compared with. */
export interface ReferencePose {
  readonly clip: ClipModel;
  /** Seconds. */
  readonly time: number;
}

/**
 * A clip as its difference from a reference pose, for additive layers: rotations to append, offsets of translations and
 * morph weights, factors of scales. Keys keep their times and their kind of interpolation. Interpolating the new keys
 * gives the difference of the old curves: subtraction, division and a rotation from the left keep straight lines,
 * slerps and cubics what they are.
 *
 * A target that stays at the reference loses its track. A target that only the reference moves, and the clip leaves at
 * rest, is held at the difference of rest and reference.
 *
 * @param reference Default: the clip's own first moment.
 * @param issues Receives a warning for every scale that is 0 in the reference, because nothing is a multiple of 0: the
 * clip does not change it (CONTROLLER_SIMPLIFIED).
 */
export function additiveClip(
  clip: ClipModel,
  reference: ReferencePose | undefined,
  model: CharacterModel,
  issues: Issue[] = [],
): ClipModel {
  expectClip(clip);
  expectModel(model);
  const { clip: source, time } = reference ?? { clip, time: 0 };
  const pose = evaluatePose(model, source, time);
  const weights = evaluateMorphWeights(model, source, time);
  const offsets = morphOffsets(model);
  const referenceOf = ({ path, targetIndex: t }: Target): Float64Array => {
    if (path === 'weights') return weights.subarray(offsets[t], offsets[t + 1]);
    const from = t * POSE_STRIDE + POSE_OFFSETS[path];
    return pose.subarray(from, from + (path === 'rotation' ? 4 : 3));
  };

  const animated = new Set(clip.tracks.map(keyOf));
  const left = source.tracks.filter((track) => !animated.has(keyOf(track))).map((track) => restTrack(model, track));
  const tracks: TrackModel[] = [];
  for (const track of [...clip.tracks, ...left]) {
    const from = referenceOf(track);
    if (track.path === 'scale' && from.includes(0)) issues.push(zeroScale(model, clip, track));
    const difference = withValues(track, (value, at, isTangent) => subtract(track.path, from, value, at, isTangent));
    if (!isNothing(difference)) tracks.push(difference);
  }
  return { ...clip, tracks: [...tracks, ...untouchedWeights(model, tracks)] };
}

type Target = Pick<TrackModel, 'path' | 'targetIndex'>;

function keyOf({ path, targetIndex }: Target): string {
  return `${path} ${targetIndex}`;
}

/** A track that holds its target at rest. */
function restTrack(model: CharacterModel, { path, targetIndex }: Target): TrackModel {
  const rest = path === 'weights' ? model.morphSets[targetIndex]!.weights : model.joints[targetIndex]![path];
  return heldTrack(path, targetIndex, rest);
}

function heldTrack(path: TrackModel['path'], targetIndex: number, value: readonly number[]): TrackModel {
  return { path, targetIndex, interpolation: 'LINEAR', times: Float32Array.of(0), values: Float32Array.from(value) };
}

/** The track with every value and every tangent replaced. `change` edits a copy of the values in place. */
function withValues(
  track: TrackModel,
  change: (values: Float64Array, at: number, isTangent: boolean) => void,
): TrackModel {
  const width = trackWidth(track);
  const values = Float64Array.from(track.values);
  const isCubic = track.interpolation === 'CUBICSPLINE';
  for (let at = 0, part = 0; at < values.length; at += width, part++) change(values, at, isCubic && part % 3 !== 1);
  return { ...track, values: Float32Array.from(values) };
}

const product: number[] = [];

function subtract(
  path: TrackModel['path'],
  from: Float64Array,
  values: Float64Array,
  at: number,
  isTangent: boolean,
): void {
  if (path === 'rotation') {
    const inverse = [-from[0]!, -from[1]!, -from[2]!, from[3]!];
    multiplyQuaternion(inverse, values.subarray(at, at + 4), product);
    values.set(product, at);
  } else {
    for (let c = 0; c < from.length; c++) {
      if (path !== 'scale') values[at + c]! -= isTangent ? 0 : from[c]!;
      else if (from[c] !== 0) values[at + c]! /= from[c]!;
      else values[at + c] = isTangent ? 0 : 1;
    }
  }
}

/** Tolerance below which a difference counts as zero: float rounding can leave this much. */
const NOTHING = 1e-6;

/** Returns true if the track adds nothing at any time. */
function isNothing(track: TrackModel): boolean {
  const { path, values } = track;
  const width = trackWidth(track);
  const isCubic = track.interpolation === 'CUBICSPLINE';
  for (let at = 0; at < values.length; at++) {
    const isTangent = isCubic && Math.floor(at / width) % 3 !== 1;
    const none = isTangent ? 0 : path === 'scale' || (path === 'rotation' && at % 4 === 3) ? 1 : 0;
    // q and −q are the same rotation
    const value = path === 'rotation' && none === 1 ? Math.abs(values[at]!) : values[at]!;
    if (Math.abs(value - none) > NOTHING) return false;
  }
  return true;
}

/**
 * Tracks that hold all other morph sets at zero difference. Morph weights are packed three to a lane, and a lane that
 * one set moves is filled up with the rest weights of its neighbours. As differences those rest weights would be added.
 */
function untouchedWeights(model: CharacterModel, tracks: readonly TrackModel[]): TrackModel[] {
  const moved = new Set(tracks.filter(({ path }) => path === 'weights').map(({ targetIndex }) => targetIndex));
  if (moved.size === 0) return [];
  return model.morphSets.flatMap(({ weights }, index) => {
    if (moved.has(index) || weights.length === 0) return [];
    return heldTrack('weights', index, Array<number>(weights.length).fill(0));
  });
}

function zeroScale(model: CharacterModel, clip: ClipModel, { targetIndex }: Target): Issue {
  return warning(
    'CONTROLLER_SIMPLIFIED',
    `${clip.name}/${model.joints[targetIndex]!.name}/scale`,
    'The scale is 0 in the reference pose of an additive clip. No factor changes 0, so the clip does not scale the joint.',
    'Take a reference pose in which the joint has a size.',
  );
}
