import { View } from '../../layout/index.ts';
import type { Character } from '../character.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import {
  CharacterType,
  ClipHeader,
  LANES_IN_WORKGROUP,
  RestLane,
  TYPE_CUBIC,
  TYPE_EXACT,
  TYPE_LARGE,
  TYPE_SAMPLED,
  TYPE_UNIT_SCALE,
  WEIGHTS_PER_LANE,
} from '../format/rig-layout.ts';
import { ancestorRounds, ancestorTable } from '../level-skeleton.ts';
import { BlobBuilder } from './blob.ts';
import { laneCountOf } from './channels.ts';
import { Scratch } from './measure.ts';
import type { PackOptions } from './options.ts';
import { ClipWork, packClip, relocated, type ClipSetup, type ClipStats, type PackedClip } from './pack-clip.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';
import type { Steps } from './steps.ts';

/** Packs clips, in the order in which they are given. @throws ManipleError CLIP_TOO_LONG, CHARACTER_TOO_LARGE */
export type PackClips = (
  setup: ClipSetup,
  clips: readonly ClipModel[],
  onProgress: PackOptions['onProgress'],
) => Steps<readonly PackedClip[]>;

/** Packs them in this thread, one after the other. */
export function* packClipsHere(
  setup: ClipSetup,
  clips: readonly ClipModel[],
  onProgress: PackOptions['onProgress'],
): Steps<readonly PackedClip[]> {
  const shared = { work: new ClipWork(setup.maxClipWork), scratch: new Scratch() };
  const packed: PackedClip[] = [];
  for (const [done, clip] of clips.entries()) {
    onProgress?.({ done, total: clips.length, clip: clip.name });
    packed.push(yield* packClip(setup, clip, shared));
  }
  return packed;
}

export function clipSetup(
  model: CharacterModel,
  metrics: SkeletonMetrics,
  clips: readonly ClipModel[],
  { errorBudget, maxClipWork }: { readonly errorBudget: number; readonly maxClipWork: number | undefined },
): ClipSetup {
  const unitScale = scalesAreUnit(model, metrics, clips, errorBudget);
  return { model, metrics, errorBudget, laneCount: laneCountOf(model), unitScale, maxClipWork };
}

/** Puts skeleton, palette and packed clips into a rig blob. */
export function packRig({ model, laneCount, unitScale }: ClipSetup, clips: readonly PackedClip[]): Character['rig'] {
  const { bindings } = model;
  const jointCount = model.joints.length;
  const large = laneCount > LANES_IN_WORKGROUP;
  const blob = new BlobBuilder();
  blob.reserve(CharacterType, 1);
  const clipRow = blob.reserve(ClipHeader, clips.length);
  const ancestors = ancestorRounds(Int32Array.from(model.joints, ({ parentIndex }) => parentIndex));
  const type = new View(CharacterType, 1);
  type.assign(0, {
    jointCount,
    laneCount,
    paletteCount: bindings.length,
    paletteStride: 3 * bindings.length + laneCount - jointCount + (large ? 6 * jointCount : 0),
    roundCount: ancestors.length,
    restRow: blob.appendView(restLanes(model, laneCount)),
    ancestorPair: 2 * blob.append(ancestorTable(ancestors, jointCount, large)),
    bindRow: blob.appendFloats(Float32Array.from(bindings.flatMap(({ jointFromMesh }) => Array.from(jointFromMesh)))),
    bindJointPair: 2 * blob.append(Uint32Array.from(bindings, ({ jointIndex }) => jointIndex)),
    clipRow,
    clipCount: clips.length,
  });
  clips.forEach(({ header, words }, index) => {
    blob.fill(clipRow + (index * ClipHeader.size) / 16, relocated(header, blob.append(words)));
  });
  const has = (form: ClipStats['form']) => clips.some(({ stats }) => stats.form === form);
  type.set(
    0,
    'flags',
    (unitScale ? TYPE_UNIT_SCALE : 0) |
      (large ? TYPE_LARGE : 0) |
      (has('exact') ? TYPE_EXACT : 0) |
      (has('cubic') ? TYPE_CUBIC : 0) |
      (has('sampled') ? TYPE_SAMPLED : 0),
  );
  blob.fill(0, type);
  return blob.finish();
}

/** Rest transforms of joints, then morph lanes, with three rest weights as their translation. */
function restLanes(model: CharacterModel, laneCount: number): View<(typeof RestLane)['fields']> {
  const lanes = new View(RestLane, laneCount);
  model.joints.forEach(({ rotation, translation, scale }, j) => lanes.assign(j, { rotation, translation, scale }));
  const weights = model.morphSets.flatMap((set) => set.weights);
  for (let lane = model.joints.length; lane < laneCount; lane++) {
    const first = (lane - model.joints.length) * WEIGHTS_PER_LANE;
    const translation = [0, 1, 2].map((c) => weights[first + c] ?? 0);
    lanes.assign(lane, { rotation: [0, 0, 0, 1], translation, scale: [1, 1, 1] });
  }
  return lanes;
}

/** Returns true if all scales differ invisibly from 1 (exactly 1, if keys are kept unquantised). */
function scalesAreUnit(
  model: CharacterModel,
  { reach }: SkeletonMetrics,
  clips: readonly ClipModel[],
  errorBudget: number,
): boolean {
  const isUnit = (scale: ArrayLike<number>, at: number, joint: number) => {
    const tolerance = Math.max(1e-7, (errorBudget * 0.02) / reach[joint]!);
    return [0, 1, 2].every((c) => Math.abs(scale[at + c]! - 1) <= tolerance);
  };
  if (!model.joints.every(({ scale }, joint) => isUnit(scale, 0, joint))) return false;
  return clips.every(({ tracks }) =>
    tracks.every(({ path, values, targetIndex, interpolation }) => {
      if (path !== 'scale') return true;
      if (interpolation === 'CUBICSPLINE') return false;
      for (let at = 0; at < values.length; at += 3) if (!isUnit(values, at, targetIndex)) return false;
      return true;
    }),
  );
}
