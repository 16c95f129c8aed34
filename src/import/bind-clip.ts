import { expectClip, expectModel } from '../character/arguments.ts';
import type { CharacterModel, ClipModel, MorphSetModel, TrackModel } from '../character/model.ts';
import { worstRestDifference } from '../character/rest-difference.ts';
import { fail, type Issue, warning, quoted } from '../errors.ts';

/** A clip fitted to another model, and what it moves that the model lacks. */
export interface BoundClip {
  /** The clip, its tracks naming the target's joints and morph sets; keys are shared with the source. */
  readonly clip: ClipModel;
  /** Names of animated joints and morph targets that the target model lacks, each once, in track order. */
  readonly unmatched: readonly string[];
  /** CLIP_JOINTS_UNMATCHED if any is unmatched, CLIP_REST_DIFFERS if rests differ a little. */
  readonly issues: readonly Issue[];
}

/**
 * Makes a clip of one model drive another with the same joint names.
 *
 * Values are taken over as they are. Use it for characters that share a rig, or have rigs with the same rest pose.
 * Rigs that differ by more are refused: `bindClips` retargets between them. Where names repeat, the joint under the same parents is meant (compared
 * by the names of all its ancestors), then the first of that name. Joints that the clip does not move rest as the
 * target rests. Morph weights follow the names of nodes and targets.
 *
 * Cost: in proportion to the joints of both models, some 0.02 ms for fifty; only weight tracks copy their keys.
 *
 * @param clip One of `source`'s.
 * @param target Left as it is: give it the result in its `clips` before it is packed.
 * @throws ManipleError CLIP_REST_DIFFERS if a joint that the clip moves rests at another length (5 % of the height), with other
 *   axes (15°) or at another scale (5 %). A tenth of that is a warning.
 * @example
 *   const { clip } = bindClip(dancer.clips[0], dancer, knight);
 *   const character = packCharacter({ ...knight, clips: [...knight.clips, clip] });
 */
export function bindClip(clip: ClipModel, source: CharacterModel, target: CharacterModel): BoundClip {
  expectClip(clip);
  expectModel(source);
  expectModel(target);
  const jointOf = jointMatcher(source, target);
  const differing = restIssue(clip, source, target, jointOf);
  const unmatched = new Set<string>();
  const tracks: TrackModel[] = [];
  for (const track of clip.tracks) {
    const bound = track.path === 'weights' ? bindWeights(track, source, target) : bindJoint(track, jointOf);
    if (bound) tracks.push(bound);
    else unmatched.add(trackName(track, source));
  }
  const what = `animated joints of ${quoted(source.name)}`;
  const { unmatched: names, issues } = unmatchedOf(clip.name, what, unmatched, target);
  return { clip: { ...clip, tracks }, unmatched: names, issues: [...issues, ...differing] };
}

/** A warning about rests that differ a little. @throws ManipleError CLIP_REST_DIFFERS for those that differ by more */
function restIssue(
  clip: ClipModel,
  source: CharacterModel,
  target: CharacterModel,
  jointOf: (joint: number) => number | undefined,
): Issue[] {
  const worst = worstRestDifference(clip, source, target, jointOf);
  if (!worst || worst.severity < 0.1) return [];
  const joint = quoted(target.joints[worst.joint]!.name);
  const message = `${joint} of ${quoted(source.name)} ${worst.text}, as it does in ${quoted(target.name)}.`;
  if (worst.severity < 1) return [warning('CLIP_REST_DIFFERS', clip.name, message)];
  return fail('CLIP_REST_DIFFERS', clip.name, message, 'Use bindClips, which retargets between skeletons.');
}

/** Names of joints and morph targets that the target lacks, with an issue if there are any. */
export function unmatchedOf(
  clip: string,
  what: string,
  unmatched: ReadonlySet<string>,
  target: CharacterModel,
): Pick<BoundClip, 'unmatched' | 'issues'> {
  const names = [...unmatched];
  if (names.length === 0) return { unmatched: names, issues: [] };
  const listed = names.slice(0, 10).join(', ') + (names.length > 10 ? ` and ${names.length - 10} more` : '');
  const message = `${names.length} ${what} are not in ${quoted(target.name)}: ${listed}.`;
  const suggestion = 'They rest. Rename them to match if they should move.';
  return { unmatched: names, issues: [warning('CLIP_JOINTS_UNMATCHED', clip, message, suggestion)] };
}

/** The target's joint for each of the source's: of the same path of names, else the first of the same name. */
export function jointMatcher(
  source: CharacterModel,
  target: CharacterModel,
): (sourceJoint: number) => number | undefined {
  const pathIds = new Map<string, number>();
  const byPath = new Map<number, number>();
  const byName = new Map<string, number>();
  const targetPaths = jointPaths(target, pathIds);
  target.joints.forEach((joint, i) => {
    // joints that the importer added and joints without a name match nothing
    if (joint.nodeIndex < 0 || joint.name === '') return;
    if (!byPath.has(targetPaths[i]!)) byPath.set(targetPaths[i]!, i);
    if (!byName.has(joint.name)) byName.set(joint.name, i);
  });
  const sourcePaths = jointPaths(source, pathIds);
  return (joint) => byPath.get(sourcePaths[joint]!) ?? byName.get(source.joints[joint]!.name);
}

/** A number for each joint. Joints with the same names from the root down have the same number. */
function jointPaths({ joints }: CharacterModel, pathIds: Map<string, number>): number[] {
  const paths: number[] = [];
  for (const { name, parentIndex } of joints) {
    const key = `${parentIndex < 0 ? '' : paths[parentIndex]}/${name}`;
    let id = pathIds.get(key);
    if (id === undefined) pathIds.set(key, (id = pathIds.size));
    paths.push(id);
  }
  return paths;
}

function bindJoint(track: TrackModel, jointOf: (joint: number) => number | undefined): TrackModel | undefined {
  const targetIndex = jointOf(track.targetIndex);
  return targetIndex === undefined ? undefined : { ...track, targetIndex };
}

/** A track of weights with each moved to the target of the same name, or undefined. Weights without a target are dropped, targets without a weight rest. */
export function bindWeights(track: TrackModel, source: CharacterModel, target: CharacterModel): TrackModel | undefined {
  const from = source.morphSets[track.targetIndex]!;
  const nodeName = morphNodeName(source, from);
  const candidates = target.morphSets.flatMap((set, i) =>
    set.names.some((name) => from.names.includes(name)) ? [{ set, i }] : [],
  );
  const match = candidates.find(({ set }) => morphNodeName(target, set) === nodeName) ?? candidates[0];
  if (!match) return undefined;
  const { set, i: targetIndex } = match;
  const columns = set.names.map((name) => from.names.indexOf(name));
  const values = weightValues(track, set, (c, run) =>
    columns[c]! < 0 ? undefined : track.values[run * from.names.length + columns[c]!],
  );
  return { ...track, targetIndex, values };
}

/** Weights of all targets of a set, key by key. @param valueOf One of a target; undefined for a target that rests. */
export function weightValues(
  { interpolation, times }: Pick<TrackModel, 'interpolation' | 'times'>,
  { names, weights }: MorphSetModel,
  valueOf: (target: number, run: number) => number | undefined,
): Float32Array {
  const isCubic = interpolation === 'CUBICSPLINE';
  const values = new Float32Array((isCubic ? 3 : 1) * times.length * names.length);
  for (let at = 0; at < values.length; at++) {
    const [run, target] = [Math.floor(at / names.length), at % names.length];
    // of a cubic key only the middle run holds values; tangents of a resting weight are 0
    const isValue = !isCubic || run % 3 === 1;
    values[at] = valueOf(target, run) ?? (isValue ? weights[target]! : 0);
  }
  return values;
}

function morphNodeName(model: CharacterModel, set: MorphSetModel): string | undefined {
  return model.meshes.find((mesh) => mesh.nodeIndex === set.nodeIndex)?.nodeName;
}

function trackName(track: TrackModel, source: CharacterModel): string {
  if (track.path !== 'weights') return source.joints[track.targetIndex]!.name;
  return source.morphSets[track.targetIndex]!.names.join(', ');
}
