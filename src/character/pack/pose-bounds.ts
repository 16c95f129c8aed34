import { transformPoint } from '../../math/affine.ts';
import { isUsable } from '../file/blob.ts';
import type { Box, ReachSphere } from '../character.ts';
import { mirrorPairs } from '../mirror.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { ALL_TRANSFORMS, clipBox } from './clip-box.ts';
import {
  cornersOf,
  entryBoxes,
  joined,
  type BlendedClips,
  type Corner,
  type EntryBoxes,
  type Extent,
} from './entry-boxes.ts';
import type { Steps } from './steps.ts';
import { eachControlPoint } from './track-reader.ts';

/** Undefined for differences, which are not poses, and if the bounds are too large to compute with. */
export interface PoseBounds {
  readonly reach: ReachSphere | undefined;
  readonly clips: readonly (Box | undefined)[];
}

/**
 * Finds bounds of all poses: a box per clip, and a sphere for all blends of clips.
 *
 * The sphere follows from the hierarchy only. However joints turn, a joint's distance from its parent is at most its
 * longest translation times the scales above it. Blends of translations and scales are no longer than the longest. A
 * clip that needs more moments than the limit has the sphere's box.
 *
 * Cost: in proportion to palette entries × moments, of which there are at least 60 a second and three between keys.
 * That is some 5 ms for a second of a character with 60 joints, and a few seconds for all clips at most. Clips after
 * that have the sphere's box.
 *
 * @param options Metres by which packed clips may stray from the model's. Clips from `firstDifference` on are differences,
 * of which `additiveLayers` may be laid over others at the same time.
 */
export function* measurePoses(
  model: CharacterModel,
  clips: readonly ClipModel[],
  options: Record<'errorBudget' | 'firstDifference' | 'additiveLayers', number>,
): Steps<PoseBounds> {
  const { errorBudget, firstDifference, additiveLayers } = options;
  const own = clips.slice(0, firstDifference);
  const alone = { clips: own, differences: [], additiveLayers: 0 };
  const boxes = yield* entryBoxes(model, alone);
  const differences = clips.slice(firstDifference);
  const blended = { clips: own, differences, additiveLayers };
  const layered = differences.length > 0 ? yield* entryBoxes(model, blended) : boxes;
  yield;
  const { center, radius } = reachSphere(model, layered, yield* jointExtents(model, blended));
  const sphere = { center, radius: radius + errorBudget, additiveLayers };
  const reach = [...center, sphere.radius].every(isUsable) ? sphere : undefined;
  const work = { left: ALL_TRANSFORMS };
  const around: Box = { min: center.map((c) => c - radius), max: center.map((c) => c + radius) };
  const bounds: (Box | undefined)[] = clips.map(() => undefined);
  for (const [index, clip] of own.entries()) {
    const box = grown((yield* clipBox(model, clip, boxes, work)) ?? around, errorBudget);
    if ([...box.min, ...box.max].every(isUsable)) bounds[index] = box;
    yield;
  }
  return { reach, clips: bounds };
}

function grown({ min, max }: Box, margin: number): Box {
  return { min: min.map((low) => low - margin), max: max.map((high) => high + margin) };
}

/** Limits of each joint: distance from its parent, in the parent's units, and scale. Also the box of roots. */
interface JointExtents {
  readonly translation: Float64Array;
  readonly scale: Float64Array;
  readonly roots: Extent;
}

/** Computes limits for all blends of clips with additions by layers, with and without left and right exchanged. */
function* jointExtents(
  model: CharacterModel,
  { clips, differences, additiveLayers }: BlendedClips,
): Steps<JointExtents> {
  const { joints } = model;
  const translation = Float64Array.from(joints, ({ translation: t }) => Math.hypot(...t));
  const scale = Float64Array.from(joints, ({ scale: s }) => Math.max(...s.map(Math.abs)));
  let roots: Extent | undefined;
  for (const joint of joints) if (joint.parentIndex < 0) roots = joined(roots, joint.translation as Corner);
  yield* eachVector(clips, (path, joint, vector) => {
    if (path === 'scale') scale[joint] = Math.max(scale[joint]!, largestOf(vector));
    else {
      translation[joint] = Math.max(translation[joint]!, lengthOf(vector));
      if (joints[joint]!.parentIndex < 0) roots = joined(roots, vector);
    }
  });
  // additions by layers, each at its maximum
  const added = new Float64Array(joints.length);
  const stretch = new Float64Array(joints.length).fill(1);
  yield* eachVector(differences, (path, joint, vector) => {
    if (path === 'scale') stretch[joint] = Math.max(stretch[joint]!, largestOf(vector));
    else added[joint] = Math.max(added[joint]!, lengthOf(vector));
  });
  const pairs = mirrorPairs(joints.map(({ name }) => name));
  for (const list of [translation, scale, added, stretch]) exchange(list, pairs);
  // mirrored motions are reflected in the model's YZ plane
  for (const [x, y, z] of cornersOf(roots)) roots = joined(roots, [-x, y, z]);
  let rootAdded = 0;
  joints.forEach(({ parentIndex }, j) => {
    if (parentIndex < 0) rootAdded = Math.max(rootAdded, additiveLayers * added[j]!);
    translation[j]! += additiveLayers * added[j]!;
    scale[j]! *= stretch[j]! ** additiveLayers;
  });
  const { min, max } = roots ?? { min: [0, 0, 0], max: [0, 0, 0] };
  return {
    translation,
    scale,
    roots: { min: min.map((low) => low - rootAdded) as Corner, max: max.map((high) => high + rootAdded) as Corner },
  };
}

function largestOf([x, y, z]: Readonly<Corner>): number {
  return Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
}

function lengthOf([x, y, z]: Readonly<Corner>): number {
  return Math.hypot(x, y, z);
}

/** Takes the larger value of each joint and its counterpart. */
function exchange(list: Float64Array, pairs: ArrayLike<number>): void {
  const own = list.slice();
  for (let j = 0; j < list.length; j++) list[j] = Math.max(own[j]!, own[pairs[j]!]!);
}

function* eachVector(
  clips: readonly ClipModel[],
  use: (path: 'translation' | 'scale', joint: number, vector: Corner) => void,
): Steps<void> {
  for (const { tracks } of clips) {
    for (const track of tracks) {
      const { path, targetIndex } = track;
      if (path !== 'translation' && path !== 'scale') continue;
      eachControlPoint(track, (point) => use(path, targetIndex, point as Corner));
    }
    yield;
  }
}

function reachSphere(
  model: CharacterModel,
  { entries, unmoved }: EntryBoxes,
  { translation, scale, roots }: JointExtents,
): Omit<ReachSphere, 'additiveLayers'> {
  const center = roots.min.map((low, c) => (low + roots.max[c]!) / 2) as Corner;
  const distance = new Float64Array(model.joints.length);
  const stretch = new Float64Array(model.joints.length);
  model.joints.forEach(({ parentIndex }, j) => {
    const isRoot = parentIndex < 0;
    const slack = Math.hypot(...roots.max.map((high, c) => high - center[c]!));
    distance[j] = isRoot ? slack : distance[parentIndex]! + stretch[parentIndex]! * translation[j]!;
    stretch[j] = (isRoot ? 1 : stretch[parentIndex]!) * scale[j]!;
  });
  let radius = 0;
  const point: number[] = [0, 0, 0];
  model.bindings.forEach(({ jointIndex, jointFromMesh }, b) => {
    for (const corner of cornersOf(entries[b])) {
      transformPoint(jointFromMesh, 0, ...corner, point, 0);
      radius = Math.max(radius, distance[jointIndex]! + stretch[jointIndex]! * Math.hypot(...point));
    }
  });
  for (const corner of cornersOf(unmoved)) {
    radius = Math.max(radius, Math.hypot(...corner.map((p, c) => p - center[c]!)));
  }
  return { center, radius };
}
