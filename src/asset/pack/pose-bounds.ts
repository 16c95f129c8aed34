import { multiplyAffine, transformPoint } from '../../shaders/affine.ts';
import type { Box, ReachSphere } from '../character.ts';
import { composeJoints, evaluatePose, morphOffsets, restPose, trackWidth } from '../evaluate.ts';
import type { CharacterModel, ClipModel, TrackModel } from '../model.ts';

/** Samples of one clip: 60 a second, fewer where a character has so many palette entries that it would take long. */
const SAMPLES_PER_SECOND = 60;
const [LEAST_SAMPLES, MOST_SAMPLES] = [16, 2000];
const ENTRY_SAMPLES = 400_000;

/** What no pose leaves; of differences, which are no poses, undefined. */
export interface PoseBounds {
  readonly reach: ReachSphere;
  readonly clips: readonly (Box | undefined)[];
}

export interface PoseBoundsOptions {
  /** Metres by which packed clips may stray from the model's. */
  readonly errorBudget: number;
  /** Clips from this index on are differences, which additive layers lay over others. */
  readonly firstDifference: number;
  /** Additive layers that may show at the same time. */
  readonly additiveLayers: number;
}

/**
 * Finds what no pose leaves: a box per clip, and a sphere for whatever clips blend to.
 *
 * Boxes hold the boxes of all palette entries' vertices, carried along by the clip's samples, and what the clip may do
 * between them: where three samples stand p0, p1, p2, a curve strays from its chords by less than |p0 − 2 p1 + p2| / 2 (a
 * parabola by an eighth of it, a bend between samples by half). The sphere follows from the hierarchy alone: however joints turn,
 * none gets farther from its parent than its longest translation times the scales above it, and blends of translations and
 * scales are no longer than the longest.
 *
 * Cost: in proportion to palette entries × samples; some 10 ms for a second of a character with 60 joints.
 */
export function measurePoses(
  model: CharacterModel,
  clips: readonly ClipModel[],
  { errorBudget, firstDifference, additiveLayers }: PoseBoundsOptions,
): PoseBounds {
  const boxes = entryBoxes(model, clips);
  const own = clips.slice(0, firstDifference);
  const extents = jointExtents(model, own, clips.slice(firstDifference), additiveLayers);
  const { center, radius } = reachSphere(model, boxes, extents);
  return {
    reach: { center, radius: radius + errorBudget, additiveLayers },
    clips: clips.map((clip, index) => (index < firstDifference ? clipBox(model, clip, boxes, errorBudget) : undefined)),
  };
}

type Corner = [x: number, y: number, z: number];

/** A box that grows. */
interface Extent extends Box {
  readonly min: Corner;
  readonly max: Corner;
}

/** Boxes of what moves: one per palette entry, in mesh space; and one of the vertices that nothing moves. */
interface EntryBoxes {
  readonly entries: readonly (Extent | undefined)[];
  readonly unmoved: Extent | undefined;
}

/** Vertices that an entry moves, however little, with all that morph weights may do to them. */
function entryBoxes(model: CharacterModel, clips: readonly ClipModel[]): EntryBoxes {
  const entries: (Extent | undefined)[] = model.bindings.map(() => undefined);
  const ranges = weightRanges(model, clips);
  const offsetsOfSets = morphOffsets(model);
  let unmoved: Extent | undefined;
  for (const { positions, vertexCount, influences, targets, morphSetIndex } of model.meshes) {
    const firstWeight = morphSetIndex < 0 ? 0 : offsetsOfSets[morphSetIndex]!;
    for (let v = 0; v < vertexCount; v++) {
      const low = Array.from(positions.subarray(3 * v, 3 * v + 3)) as Corner;
      const high = [...low] as Corner;
      targets.forEach((target, t) => {
        const [least, most] = ranges[firstWeight + t]!;
        for (let c = 0; c < 3; c++) {
          const delta = target.positions[3 * v + c]!;
          low[c]! += Math.min(least * delta, most * delta);
          high[c]! += Math.max(least * delta, most * delta);
        }
      });
      const [from, to] = [influences.offsets[v]!, influences.offsets[v + 1]!];
      if (from === to) unmoved = joined(unmoved, low, high);
      for (let i = from; i < to; i++) {
        const entry = influences.bindings[i]!;
        entries[entry] = joined(entries[entry], low, high);
      }
    }
  }
  return { entries, unmoved };
}

/** Least and most of each morph weight: 0 … 1, at rest, and in clips. */
function weightRanges(model: CharacterModel, clips: readonly ClipModel[]): [number, number][] {
  const ranges = model.morphSets.flatMap(({ weights }) =>
    weights.map((weight): [number, number] => [Math.min(0, weight), Math.max(1, weight)]),
  );
  const offsets = morphOffsets(model);
  for (const track of clips.flatMap(({ tracks }) => tracks)) {
    if (track.path !== 'weights') continue;
    const width = trackWidth(track);
    eachControlPoint(track, (values, at) => {
      for (let c = 0; c < width; c++) {
        const range = ranges[offsets[track.targetIndex]! + c]!;
        range[0] = Math.min(range[0], values[at + c]!);
        range[1] = Math.max(range[1], values[at + c]!);
      }
    });
  }
  return ranges;
}

function joined(box: Extent | undefined, low: Readonly<Corner>, high: Readonly<Corner> = low): Extent {
  if (!box) return { min: [...low], max: [...high] };
  for (let c = 0; c < 3; c++) {
    box.min[c] = Math.min(box.min[c]!, low[c]!);
    box.max[c] = Math.max(box.max[c]!, high[c]!);
  }
  return box;
}

function cornersOf(box: Extent | undefined): Corner[] {
  if (!box) return [];
  const { min, max } = box;
  return Array.from({ length: 8 }, (_, bits) => [0, 1, 2].map((c) => ((bits >> c) & 1 ? max : min)[c]!) as Corner);
}

function clipBox(model: CharacterModel, clip: ClipModel, { entries, unmoved }: EntryBoxes, margin: number): Box {
  const shown = model.bindings.flatMap((binding, b) =>
    entries[b] ? [{ ...binding, corners: cornersOf(entries[b]) }] : [],
  );
  const most = Math.max(LEAST_SAMPLES, Math.min(MOST_SAMPLES, Math.floor(ENTRY_SAMPLES / Math.max(1, shown.length))));
  const count = Math.max(LEAST_SAMPLES, Math.min(most, Math.ceil(clip.duration * SAMPLES_PER_SECOND)));
  let box = unmoved && joined(undefined, unmoved.min, unmoved.max);
  const bend: Corner = [0, 0, 0];
  let [before, last] = [new Float64Array(0), new Float64Array(0)];
  const modelFromMesh = new Float64Array(12);
  const point: number[] = [0, 0, 0];
  for (let s = 0; s <= count; s++) {
    const modelFromJoint = composeJoints(
      model,
      evaluatePose(model, clip, (clip.duration * s) / count, restPose(model)),
    );
    const points = new Float64Array(24 * shown.length);
    shown.forEach(({ jointIndex, jointFromMesh, corners }, e) => {
      multiplyAffine(modelFromJoint, jointIndex * 12, jointFromMesh, 0, modelFromMesh, 0);
      corners.forEach((corner, c) => {
        transformPoint(modelFromMesh, 0, ...corner, point, 0);
        points.set(point, 24 * e + 3 * c);
        box = joined(box, point as Corner);
      });
    });
    if (s > 1) {
      for (let i = 0; i < points.length; i++) {
        bend[i % 3] = Math.max(bend[i % 3]!, Math.abs(before[i]! - 2 * last[i]! + points[i]!) / 2);
      }
    }
    [before, last] = [last, points];
  }
  const { min, max } = box ?? { min: [0, 0, 0], max: [0, 0, 0] };
  return {
    min: min.map((low, c) => low - bend[c]! - margin) as Corner,
    max: max.map((high, c) => high + bend[c]! + margin) as Corner,
  };
}

/** How far each joint may get from its parent, in its parent's units; its largest scale; where roots may stand. */
interface JointExtents {
  readonly translation: Float64Array;
  readonly scale: Float64Array;
  readonly roots: Extent;
}

function jointExtents(
  model: CharacterModel,
  clips: readonly ClipModel[],
  differences: readonly ClipModel[],
  additiveLayers: number,
): JointExtents {
  const { joints } = model;
  const translation = Float64Array.from(joints, ({ translation: t }) => Math.hypot(...t));
  const scale = Float64Array.from(joints, ({ scale: s }) => Math.max(...s.map(Math.abs)));
  let roots: Extent | undefined;
  for (const joint of joints) if (joint.parentIndex < 0) roots = joined(roots, joint.translation as Corner);
  eachTrack(clips, (path, joint, values, at) => {
    const vector = Array.from(values.subarray(at, at + 3)) as Corner;
    if (path === 'scale') scale[joint] = Math.max(scale[joint]!, ...vector.map(Math.abs));
    else {
      translation[joint] = Math.max(translation[joint]!, Math.hypot(...vector));
      if (joints[joint]!.parentIndex < 0) roots = joined(roots, vector);
    }
  });
  // what layers lie over that, each at its most
  const added = new Float64Array(joints.length);
  const stretch = new Float64Array(joints.length).fill(1);
  eachTrack(differences, (path, joint, values, at) => {
    const vector = Array.from(values.subarray(at, at + 3));
    if (path === 'scale') stretch[joint] = Math.max(stretch[joint]!, ...vector.map(Math.abs));
    else added[joint] = Math.max(added[joint]!, Math.hypot(...vector));
  });
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

function eachTrack(
  clips: readonly ClipModel[],
  use: (path: 'translation' | 'scale', joint: number, values: Float64Array, at: number) => void,
): void {
  for (const track of clips.flatMap(({ tracks }) => tracks)) {
    const { path, targetIndex } = track;
    if (path !== 'translation' && path !== 'scale') continue;
    eachControlPoint(track, (values, at) => use(path, targetIndex, values, at));
  }
}

/** Keys of a track; of a cubic one its Bézier points, whose hull holds the curve. */
function eachControlPoint(track: TrackModel, use: (values: Float64Array, at: number) => void): void {
  const { times } = track;
  const width = trackWidth(track);
  const values = Float64Array.from(track.values);
  if (track.interpolation !== 'CUBICSPLINE') {
    for (let at = 0; at < values.length; at += width) use(values, at);
    return;
  }
  const point = new Float64Array(width);
  times.forEach((time, k) => {
    const key = (3 * k + 1) * width;
    use(values, key);
    for (const [other, tangent, sign] of [
      [k - 1, key - width, -1],
      [k + 1, key + width, 1],
    ] as const) {
      if (other < 0 || other >= times.length) continue;
      const third = (sign * Math.abs(times[other]! - time)) / 3;
      for (let c = 0; c < width; c++) point[c] = values[key + c]! + third * values[tangent + c]!;
      use(point, 0);
    }
  });
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
