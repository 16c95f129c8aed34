import { expectClip, expectModel } from '../../character/arguments.ts';
import type { CharacterModel, ClipModel, JointModel, TrackModel } from '../../character/model.ts';
import { fail, quoted } from '../../errors.ts';
import { bindClips, type BindClipsOptions, type ClipReport } from '../../retarget/index.ts';
import { type BoundClip, unmatchedOf, weightValues } from '../bind-clip.ts';
import type { UnityClip, UnityTrack } from './clip.ts';

/** A Unity clip fitted to a character. */
export interface BoundUnityClip extends BoundClip {
  /** How its muscles came to the character; undefined for a clip without any. */
  readonly report?: ClipReport;
}

/**
 * Makes a Unity clip move a character.
 *
 * A path means the joint of its last name that has the most of the path's other names above it, one by one. Of several
 * such joints the first is taken. The empty path is the character's root joint, if it has only one. Morph weights
 * follow the names of mesh and target. Values are taken over as they are: the character has to rest as it does in
 * Unity. Joints and targets that the character lacks are listed, and their tracks are left out.
 *
 * Muscles of a humanoid move the character's bones, as `bindClips` finds them, whatever the rest pose is. They win over transforms of
 * the same joints.
 *
 * @param target Left as it is: give it the result in its `clips` before it is packed.
 * @param options For muscles.
 * @throws ManipleError CLIP_REST_DIFFERS if most bones of the clip are five times as long as the character's, or a fifth; for muscles as
 *   `bindClips`
 */
export function bindUnityClip(clip: UnityClip, target: CharacterModel, options: BindClipsOptions = {}): BoundUnityClip {
  expectClip(clip as unknown as ClipModel);
  expectModel(target);
  const jointOf = jointFinder(target.joints);
  const unmatched = new Set<string>();
  const human = clip.humanoid && bindClips({ ...target, clips: [] }, [clip.humanoid], options);
  const tracks: TrackModel[] = [...(human?.clips[0]!.tracks ?? [])];
  const taken = new Set(tracks.map(({ path, targetIndex }) => `${path} ${targetIndex}`));
  const bones = new Set(tracks.map(({ targetIndex }) => targetIndex));
  const weights = new Map<string, UnityTrack[]>();
  for (const track of clip.tracks) {
    if (track.channel === 'weights') {
      weights.set(track.path, [...(weights.get(track.path) ?? []), track]);
      continue;
    }
    const joint = jointOf(track.path);
    const place = `${track.channel} ${joint}`;
    if (joint !== undefined && bones.has(joint)) continue;
    // of two paths that lead to one joint the first moves it
    if (joint === undefined || taken.has(place)) unmatched.add(track.path === '' ? '(root)' : track.path);
    else {
      taken.add(place);
      tracks.push(bindJoint(track, joint, target.joints[joint]!));
    }
  }
  for (const [path, ofMesh] of weights) bindWeights(path, ofMesh, target, tracks, unmatched);
  const { name, duration, loops, facts } = clip;
  checkLengths(name, tracks.filter(({ targetIndex }) => !bones.has(targetIndex)), target); // prettier-ignore
  const events = facts.events && { events: facts.events };
  const root = human ? human.clips[0]!.root : clip.root;
  const [report] = human?.reports ?? [];
  const { unmatched: names, issues } = unmatchedOf(
    name,
    'joints or morph targets that the clip moves',
    unmatched,
    target,
  );
  return {
    clip: { name, duration, loops, ...events, ...(root && { root }), tracks },
    unmatched: names,
    issues: [...issues, ...(report?.issues ?? [])],
    ...(report && { report }),
  };
}

/**
 * Unity's clips do not say how their character rests. Positions of joints, which are the lengths of bones, do.
 *
 * @throws ManipleError CLIP_REST_DIFFERS if bones of the clip have other lengths by a factor, as those of another unit have
 */
function checkLengths(clip: string, tracks: readonly TrackModel[], { joints, name }: CharacterModel): void {
  const ratios = tracks.flatMap(({ path, targetIndex, interpolation, values }) => {
    if (path !== 'translation' || joints[targetIndex]!.parentIndex < 0) return [];
    const rest = Math.hypot(...joints[targetIndex]!.translation);
    const at = interpolation === 'CUBICSPLINE' ? 3 : 0;
    const length = Math.hypot(values[at]!, values[at + 1]!, values[at + 2]!);
    return length === 0 || rest === 0 ? [] : [{ targetIndex, length, rest, ratio: length / rest }];
  });
  ratios.sort((a, b) => a.ratio - b.ratio);
  const median = ratios[ratios.length >> 1];
  if (ratios.length < LEAST_LENGTHS || !median || (median.ratio < MOST_RATIO && median.ratio > 1 / MOST_RATIO)) return;
  const worst = median.ratio > 1 ? ratios.at(-1)! : ratios[0]!;
  const lengths = `${worst.length.toPrecision(3)} m from its parent instead of ${worst.rest.toPrecision(3)} m`;
  const message = `The clip moves ${quoted(joints[worst.targetIndex]!.name)} of ${quoted(name)} ${lengths}, and most bones by such a factor.`;
  fail('CLIP_REST_DIFFERS', clip, message, 'Import the clip and the character with the same scale.');
}

/** Bones that are compared at least, and the factor between their lengths that is another unit and not another body. */
const LEAST_LENGTHS = 3;
const MOST_RATIO = 5;

/** Longest end of a path that is compared. More names cost time and do not help. */
const DEPTH = 32;

/** Finds joints by the end of their path: a tree of names, from the joint upwards. */
function jointFinder(joints: readonly JointModel[]): (path: string) => number | undefined {
  const ids = new Map<string, number>();
  const first: number[] = [];
  joints.forEach((_, index) => {
    let above = -1;
    let at = index;
    for (let depth = 0; depth < DEPTH && at >= 0; at = joints[at]!.parentIndex) {
      const { name, nodeIndex } = joints[at]!;
      // paths do not contain joints that the importer added
      if (nodeIndex < 0 && at !== index) continue;
      if (nodeIndex < 0 || (at === index && name === '')) return;
      const key = `${above}/${name}`;
      let id = ids.get(key);
      if (id === undefined) {
        ids.set(key, (id = ids.size));
        first.push(index);
      }
      above = id;
      depth++;
    }
  });
  const roots = joints.flatMap(({ parentIndex }, i) => (parentIndex < 0 ? [i] : []));
  return (path) => {
    if (path === '') return roots.length === 1 ? roots[0] : undefined;
    let found: number | undefined;
    let above = -1;
    for (const name of path.split('/').reverse().slice(0, DEPTH)) {
      const id = ids.get(`${above}/${name}`);
      if (id === undefined) break;
      found = first[id]!;
      above = id;
    }
    return found;
  };
}

function bindJoint(track: UnityTrack, targetIndex: number, joint: JointModel): TrackModel {
  const { channel, interpolation, times, rest } = track;
  const base = { path: channel, targetIndex, interpolation, times };
  if (!rest) return { ...base, values: track.values };
  const pose = joint[channel as 'translation' | 'scale'];
  const size = pose.length;
  const values = track.values.slice();
  const isCubic = interpolation === 'CUBICSPLINE';
  for (let run = 0; run * size < values.length; run++) {
    // of a cubic key only the middle run holds values; resting targets have no slope
    const isValue = !isCubic || run % 3 === 1;
    for (const c of rest) values[run * size + c] = isValue ? pose[c]! : 0;
  }
  return { ...base, values };
}

/** One track of all targets of the mesh that the path names, or else of any mesh that has one of them. */
function bindWeights(
  path: string,
  tracks: readonly UnityTrack[],
  target: CharacterModel,
  out: TrackModel[],
  unmatched: Set<string>,
): void {
  const byName = new Map(tracks.map((track) => [track.morph!, track]));
  const node = path.slice(path.lastIndexOf('/') + 1);
  const candidates = target.morphSets.flatMap((set, i) => (set.names.some((name) => byName.has(name)) ? [i] : []));
  const isNamed = (i: number) =>
    target.meshes.some((mesh) => mesh.nodeIndex === target.morphSets[i]!.nodeIndex && mesh.nodeName === node);
  const isFree = (i: number) => !out.some((track) => track.path === 'weights' && track.targetIndex === i);
  const targetIndex = candidates.find((i) => isNamed(i) && isFree(i)) ?? candidates.find(isFree);
  const set = targetIndex === undefined ? undefined : target.morphSets[targetIndex]!;
  for (const name of byName.keys()) if (!set?.names.includes(name)) unmatched.add(name);
  if (set === undefined) return;
  const { interpolation, times } = tracks[0]!;
  const sources = set.names.map((name) => byName.get(name));
  const values = weightValues(tracks[0]!, set, (c, run) => sources[c]?.values[run]);
  out.push({ path: 'weights', targetIndex: targetIndex!, interpolation, times, values });
}
