import { expectModel, expectOptions, refuseArgument } from '../character/arguments.ts';
import type { HumanoidMap } from '../character/humanoid.ts';
import type { CharacterModel, ClipModel, TrackModel } from '../character/model.ts';
import { worstSkeletonDifference } from '../character/rest-difference.ts';
import { fail, type Issue, listed, quoted, warning } from '../errors.ts';
import { findHumanoid, type HumanoidFinding } from '../humanoid/index.ts';
import { bindClip, bindWeights, jointMatcher } from '../import/bind-clip.ts';
import { type Body, bodyOf, type Side } from './body.ts';
import { sampleCount } from './moments.ts';
import { retargetHumanoid, type Retargeted } from './retarget-humanoid.ts';
import { retargetJoints } from './retarget-joints.ts';

/** A model with clips for another one. */
export interface ClipSource {
  readonly model: CharacterModel;
  /** Clips by name or index; default: all. */
  readonly clips?: readonly (string | number)[] | undefined;
  /** Its bones, if those that are found are wrong. */
  readonly humanoid?: HumanoidMap | undefined;
  /** Joints of the target by names of the source's joints, for skeletons that are not humanoids. */
  readonly joints?: Readonly<Record<string, string>> | undefined;
}

export interface BindClipsOptions {
  /** Bones of the target, if those that are found are wrong. */
  readonly humanoid?: HumanoidMap | undefined;
  /** Exchange left and right. Default: false. */
  readonly mirror?: boolean | undefined;
  /** Move fingers that both have. Default: true. */
  readonly fingers?: boolean | undefined;
  /** Hold planted feet in place. Default: true. */
  readonly feet?: boolean | undefined;
}

/** How a clip came to the target. */
export interface ClipReport {
  /** Name in the target: the source's, with a number if it is taken. */
  readonly clip: string;
  readonly source: string;
  /** direct: values as they are. humanoid: by the bones of both. joints: joint by joint. */
  readonly method: 'direct' | 'humanoid' | 'joints';
  /** Bones or joints that correspond. */
  readonly bones: number;
  /** Mean angle between limbs of the source and of the target, radians; 0 where nothing is retargeted. */
  readonly error: number;
  /** Slide of planted feet, in metres of a character of 1.8 m: median and 95th percentile (`high`). Undefined without planted feet, and where nothing is retargeted. */
  readonly footSlide?: { readonly median: number; readonly high: number; readonly samples: number } | undefined;
  /** Feet over time. Undefined where nothing is retargeted, and between skeletons that are not humanoids. */
  readonly feet?: Readonly<Record<'left' | 'right', FootTrace>> | undefined;
  readonly issues: readonly Issue[];
}

/** One foot of the target over a clip. */
export interface FootTrace {
  /** Seconds between samples; the first is at 0. */
  readonly step: number;
  /** First and last sample of each time in which the foot is planted. */
  readonly planted: readonly { readonly first: number; readonly last: number }[];
  /** Distance from its place on the ground, one per sample, in metres of a character of 1.8 m; NaN where it is not planted. */
  readonly slide: Float64Array;
  /** The same, if feet were not held. */
  readonly freeSlide: Float64Array;
}

export interface BoundClips {
  /** The model with the clips and issues added to its own. */
  readonly model: CharacterModel;
  /** The added clips. */
  readonly clips: readonly ClipModel[];
  /** One per added clip. */
  readonly reports: readonly ClipReport[];
}

/** Skeletons that differ by less, as shares of the limits of `bindClip`, take values as they are. */
const SAME = 0.02;
const HEIGHT = 1.8;
/** Samples × joints of a clip that is retargeted: some 500 MB. */
const MOST_WORK = 4_000_000;

/**
 * Gives a model the clips of others. Clips of the same skeleton are taken over as they are. Between humanoids they are retargeted.
 * Differences of rest poses and axes cancel, hips move by the ratio of the legs' lengths, arms keep their directions,
 * and planted feet stay in place. Other skeletons are joined by the names of their joints, or by a map, and must rest
 * alike.
 *
 * Cost: some 5 ms for a second of a clip; no GPU.
 *
 * @param model Left as it is.
 * @param sources Models with clips, or models and what to take of them.
 * @throws ManipleError CLIP_NOT_FOUND for an unknown clip; HUMANOID_NOT_FOUND if neither bones nor names connect two skeletons;
 *   CLIP_TOO_LONG for over 4 million samples × joints. HUMANOID_INVALID for a map without bones that are required, or with wrong joints.
 *   CLIP_REST_DIFFERS for sizes between which no position is finite
 * @example
 *   const { model } = bindClips(await loadModel('knight.glb'), [await loadModel('dance.glb')]);
 *   const character = packCharacter(model);
 */
export function bindClips(
  model: CharacterModel,
  sources: readonly (CharacterModel | ClipSource)[],
  options: BindClipsOptions = {},
): BoundClips {
  expectModel(model);
  expectOptions(options);
  if (!Array.isArray(sources))
    refuseArgument('sources', sources, 'a list of models', 'Write bindClips(knight, [dance]).');
  const clips: ClipModel[] = [];
  const reports: ClipReport[] = [];
  const names = new Set(model.clips.map(({ name }) => name));
  const target = new Bodies(model, options.humanoid);
  for (const source of sources.map(sourceOf)) {
    const binder = new Binder(source, target, options);
    for (const clip of chosenClips(source)) {
      const name = freeName(clip.name, names);
      const bound = binder.bind({ ...clip, name });
      clips.push(bound.clip);
      reports.push(bound.report);
    }
  }
  const issues = reports.flatMap((report) => report.issues);
  return {
    model: { ...model, clips: [...model.clips, ...clips], issues: [...model.issues, ...issues] },
    clips,
    reports,
  };
}

function sourceOf(source: CharacterModel | ClipSource): ClipSource {
  const { model, clips } = ((source as unknown) ?? {}) as Partial<ClipSource>;
  expectModel(model ?? (source as CharacterModel));
  if (!model) return { model: source as CharacterModel };
  if (clips !== undefined && !Array.isArray(clips)) refuseArgument('clips', clips, 'a list of names or indices');
  return source as ClipSource;
}

function foundBy({ convention, confidence }: HumanoidFinding): string {
  return convention === 'file' ? 'bones as the file names them' : `${convention}, ${percent(confidence)} sure`;
}

/** The clips of a source that are bound, in this order. @throws ManipleError CLIP_NOT_FOUND */
function chosenClips({ model, clips }: ClipSource): readonly ClipModel[] {
  if (!clips) return model.clips;
  return clips.map((wanted) => {
    const clip = typeof wanted === 'number' ? model.clips[wanted] : model.clips.find(({ name }) => name === wanted);
    if (clip) return clip;
    const names = listed(model.clips.map(({ name }) => name));
    return fail(
      'CLIP_NOT_FOUND',
      model.name,
      `${quoted(model.name)} has no clip ${quoted(wanted)}.`,
      `It has ${names}.`,
    );
  });
}

/** The name, with a number if it is taken; it is taken from then on. */
export function freeName(wanted: string, names: Set<string>): string {
  let name = wanted;
  for (let n = 2; names.has(name); n++) name = `${wanted} ${n}`;
  names.add(name);
  return name;
}

/** A model's humanoid and its body, found when they are needed. */
class Bodies {
  #finding: HumanoidFinding | undefined;
  #body: Body | undefined;

  constructor(
    readonly model: CharacterModel,
    private readonly given: HumanoidMap | undefined,
  ) {}

  get finding(): HumanoidFinding {
    this.#finding ??= findHumanoid(this.given ? { joints: this.model.joints, humanoid: this.given } : this.model);
    const { confidence, doubts } = this.#finding;
    if (this.given && confidence === 0)
      fail('HUMANOID_INVALID', this.model.name, doubts.join(' '), 'Name all of them.');
    return this.#finding;
  }

  get body(): Body {
    return (this.#body ??= bodyOf(this.model, this.finding.map));
  }

  get isHumanoid(): boolean {
    return this.finding.confidence > 0;
  }
}

/** Binds clips of one source to one target. */
class Binder {
  readonly #source: Bodies;
  readonly #target: Bodies;
  readonly #options: BindClipsOptions;
  readonly #joints: Readonly<Record<string, string>> | undefined;
  readonly #jointOf: (joint: number) => number | undefined;
  #isSame: boolean | undefined;

  constructor(source: ClipSource, target: Bodies, options: BindClipsOptions) {
    this.#source = new Bodies(source.model, source.humanoid);
    this.#target = target;
    this.#options = options;
    this.#joints = source.joints;
    this.#jointOf = this.#joints ? this.#namedJoints(this.#joints) : jointMatcher(source.model, target.model);
  }

  bind(clip: ClipModel): { clip: ClipModel; report: ClipReport } {
    const { clip: bound, report } = this.#bound(clip);
    this.#checkValues(bound);
    const approximate = this.#source.model.issues.filter(({ code }) => code === 'CLIP_APPROXIMATE');
    return { clip: bound, report: { ...report, issues: [...report.issues, ...approximate] } };
  }

  /** @throws ManipleError CLIP_REST_DIFFERS for positions that 32-bit numbers do not hold, where sizes of skeletons differ by many powers of ten */
  #checkValues({ name, tracks }: ClipModel): void {
    if (tracks.every(({ values }) => values.every(Number.isFinite))) return;
    const [source, target] = [quoted(this.#source.model.name), quoted(this.#target.model.name)];
    const message = `Between the sizes of ${source} and ${target} the clip has no finite positions.`;
    fail('CLIP_REST_DIFFERS', name, message, 'Import both with the same unit.');
  }

  #bound(clip: ClipModel): { clip: ClipModel; report: ClipReport } {
    if (!this.#options.mirror && !this.#joints && this.#isSameSkeleton(clip)) return this.#bindDirectly(clip);
    this.#checkWork(clip);
    if (!this.#joints && this.#source.isHumanoid && this.#target.isHumanoid) return this.#bindHumanoid(clip);
    return this.#bindJoints(clip);
  }

  /** @throws ManipleError CLIP_TOO_LONG for a clip that would take more memory than a page has */
  #checkWork(clip: ClipModel): void {
    const joints = this.#source.model.joints.length + this.#target.model.joints.length;
    const work = sampleCount(clip) * joints;
    if (work <= MOST_WORK) return;
    const message = `Retargeting takes ${work} samples × joints; the limit is ${MOST_WORK}.`;
    fail('CLIP_TOO_LONG', clip.name, message, 'Split the clip.');
  }

  /** Returns true if most joints that the clip moves have counterparts, and those rest alike. */
  #isSameSkeleton({ tracks }: ClipModel): boolean {
    const { model: source } = this.#source;
    this.#isSame ??= (worstSkeletonDifference(source, this.#target.model, this.#jointOf)?.severity ?? 0) < SAME;
    const moved = new Set(tracks.filter(({ path }) => path !== 'weights').map(({ targetIndex }) => targetIndex));
    const matched = [...moved].filter((joint) => this.#jointOf(joint) !== undefined).length;
    return this.#isSame && matched >= 0.6 * moved.size && (matched > 0 || moved.size === 0);
  }

  #bindDirectly(clip: ClipModel): { clip: ClipModel; report: ClipReport } {
    const bound = bindClip(clip, this.#source.model, this.#target.model);
    const joints = new Set(
      bound.clip.tracks.flatMap(({ path, targetIndex }) => (path === 'weights' ? [] : [targetIndex])),
    );
    return { clip: bound.clip, report: this.#report(clip.name, 'direct', joints.size, 0, bound.issues) };
  }

  #bindHumanoid(clip: ClipModel): { clip: ClipModel; report: ClipReport } {
    const { mirror = false, fingers = true, feet: isHeld = true } = this.#options;
    const done = retargetHumanoid(clip, this.#source.body, this.#target.body, { mirror, fingers, feet: isHeld });
    const morphs = this.#morphTracks(clip);
    const footSlide =
      done.feet.samples > 0
        ? { median: HEIGHT * done.feet.median, high: HEIGHT * done.feet.high, samples: done.feet.samples }
        : undefined;
    const issues = [this.#retargetedIssue(clip, done)];
    const feet = { left: footTrace(done, 'left'), right: footTrace(done, 'right') };
    const report = { ...this.#report(clip.name, 'humanoid', done.bones.length, done.error, issues), footSlide, feet };
    return { clip: { ...done.clip, tracks: [...done.clip.tracks, ...morphs] }, report };
  }

  #bindJoints(clip: ClipModel): { clip: ClipModel; report: ClipReport } {
    const [source, target] = [this.#source.model, this.#target.model];
    const { clip: bound, joints } = retargetJoints(clip, source, target, this.#jointOf, this.#options.mirror ?? false);
    if (joints === 0) {
      const doubts = [this.#source, this.#target].flatMap(({ finding, isHumanoid }) =>
        isHumanoid ? [] : finding.doubts.slice(0, 1),
      );
      const message = `${quoted(source.name)} and ${quoted(target.name)} have neither bones of a humanoid nor names of joints in common. ${doubts.join(' ')}`;
      fail('HUMANOID_NOT_FOUND', clip.name, message.trim(), 'Name bones in a humanoid map, or joints in `joints`.');
    }
    const morphs = this.#morphTracks(clip);
    const message = `The clip of ${quoted(source.name)} was retargeted by ${joints} joints from the rest poses.`;
    const issues: Issue[] = [{ ...warning('CLIP_RETARGETED', clip.name, message), severity: 'info' }];
    return {
      clip: { ...bound, tracks: [...bound.tracks, ...morphs] },
      report: this.#report(clip.name, 'joints', joints, 0, issues),
    };
  }

  #morphTracks({ tracks }: ClipModel): TrackModel[] {
    return tracks.flatMap((track) => {
      const bound = track.path === 'weights' ? bindWeights(track, this.#source.model, this.#target.model) : undefined;
      return bound ? [bound] : [];
    });
  }

  /** An issue about a retargeted clip: a warning if a map is doubtful, or planted feet slide by more than 3 cm. */
  #retargetedIssue(clip: ClipModel, { bones, feet, error }: Retargeted): Issue {
    const [from, to] = [this.#source.finding, this.#target.finding];
    const centimetres = (share: number): string => `${(100 * HEIGHT * share).toFixed(1)} cm`;
    const parts = [
      `Retargeted from ${quoted(this.#source.model.name)} (${foundBy(from)}) to ${quoted(this.#target.model.name)} (${foundBy(to)}): ${bones.length} bones, limbs off by ${degrees(error)} on average.`,
      ...(feet.samples > 0
        ? [`19 of 20 planted feet slide by at most ${centimetres(feet.high)}, of a height of 1.8 m.`]
        : []),
      ...this.#leftOut(clip),
    ];
    const issue = warning('CLIP_RETARGETED', clip.name, parts.join(' '));
    const isDoubtful = Math.min(from.confidence, to.confidence) < 0.6 || HEIGHT * feet.high > 0.03;
    const doubts = [...from.doubts, ...to.doubts];
    if (isDoubtful) return { ...issue, ...(doubts.length > 0 ? { suggestion: doubts.slice(0, 3).join(' ') } : {}) };
    return { ...issue, severity: 'info' };
  }

  /** A sentence about joints with vertices that the clip moves and the humanoid does not have. */
  #leftOut({ tracks }: ClipModel): string[] {
    const { model, finding } = this.#source;
    const mapped = new Set(Object.values(finding.map));
    const skinned = new Set(model.bindings.map(({ jointIndex }) => jointIndex));
    const moved = new Set(
      tracks.flatMap(({ path, targetIndex, values }) => {
        const isMoved = path === 'rotation' && values.some((value, i) => Math.abs(value - values[i % 4]!) > 1e-3);
        return isMoved && skinned.has(targetIndex) && !mapped.has(targetIndex) ? [model.joints[targetIndex]!.name] : [];
      }),
    );
    return moved.size === 0 ? [] : [`Left out, because they are not bones: ${listed([...moved])}.`];
  }

  #report(
    clip: string,
    method: ClipReport['method'],
    bones: number,
    error: number,
    issues: readonly Issue[],
  ): ClipReport {
    return { clip, source: this.#source.model.name, method, bones, error, issues };
  }

  #namedJoints(names: Readonly<Record<string, string>>): (joint: number) => number | undefined {
    const indices = new Map<number, number>();
    for (const [from, to] of Object.entries(names))
      indices.set(indexOf(this.#source.model, from), indexOf(this.#target.model, to));
    return (joint) => indices.get(joint);
  }
}

/** The joint of a name. @throws ManipleError HUMANOID_INVALID */
function indexOf({ joints, name }: CharacterModel, wanted: string): number {
  const index = joints.findIndex((joint) => joint.name === wanted);
  if (index >= 0) return index;
  const names = listed(joints.map((joint) => joint.name));
  return fail('HUMANOID_INVALID', wanted, `${quoted(name)} has no joint ${quoted(wanted)}.`, `It has ${names}.`);
}

function footTrace({ feet, seconds }: Retargeted, side: Side): FootTrace {
  const { held, free } = feet.traces[side];
  const [slide, freeSlide] = [held, free].map((shares) => shares.map((share) => HEIGHT * share));
  return { step: seconds, planted: feet.contacts[side], slide: slide!, freeSlide: freeSlide! };
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const degrees = (angle: number): string => `${((angle * 180) / Math.PI).toFixed(1)}°`;
