import { POSE_STRIDE } from '../../character/evaluate.ts';
import type { ClipModel, Interpolation, MorphSetModel, TrackModel } from '../../character/model.ts';
import { type Curve as Tolerance, sampleAdaptively } from '../../character/resample.ts';
import { alignQuaternion } from '../../math/quaternion.ts';
import { isUsable } from '../model-builder/limits.ts';
import type { Curve } from './curve.ts';
import type { FbxDocument } from './document.ts';
import type { Local } from './local-transform.ts';
import type { FbxMeshes } from './meshes.ts';
import type { Rig, RigNode } from './rig.ts';
import type { Channel, ChannelPath, Take } from './takes.ts';

/**
 * Tracks are exact at the curves' own keys. Further keys between them keep straight lines within a quarter of
 * these: 0.1 mm, 10⁻⁴ of scales and weights, 4 × 10⁻⁴ rad. That angle moves a hand by 0.3 mm.
 */
const TOLERANCE = 4e-4;
const ANGLE_TOLERANCE = 1.6e-3;
/** Keys closer than this are one: a hundredth of a frame at 1000 frames per second. */
const SHORTEST_STEP = 1e-5;

type Path = 'translation' | 'rotation' | 'scale';
const PARTS: Readonly<Record<Path, readonly [at: number, width: 3 | 4]>> = {
  translation: [0, 3],
  rotation: [3, 4],
  scale: [7, 3],
};

/** Reads all takes as clips: times from the take's start. Keys outside its span only shape what is inside. */
export function makeClips(
  document: FbxDocument,
  rig: Rig,
  { morphSets, morphsOf }: Pick<FbxMeshes, 'morphSets' | 'morphsOf'>,
  takes: readonly Take[],
): ClipModel[] {
  const counter = new KeyCounter(document);
  return takes.map((take) => {
    const duration = Math.fround(take.stop - take.start);
    const clip = new ClipBuilder(take, duration, counter);
    for (const node of rig.nodes) addJointTracks(clip, rig, node, take);
    addWeightTracks(clip, take, morphSets, morphsOf);
    if (clip.tracks.length === 0) {
      const message = 'nothing that the take moves is a joint or a shape; the clip shows the rest pose';
      document.issues.info('GLTF_CHANNEL_IGNORED', take.place, message);
    }
    if (clip.unusable > 0) {
      const message = `${clip.unusable} tracks leave the range of numbers; they were left out`;
      document.issues.warn('GLTF_CHANNEL_IGNORED', take.place, message);
    }
    return { name: take.name, duration, tracks: clip.tracks };
  });
}

/** Keys of all tracks, against the limit. */
class KeyCounter {
  #left: number;

  constructor(readonly document: FbxDocument) {
    this.#left = document.limits.keys;
  }

  get left(): number {
    return this.#left;
  }

  take(count: number): void {
    this.#left -= count;
    if (this.#left < 0) this.exceed();
  }

  exceed(): never {
    const { limits, budget } = this.document;
    return budget.over('keys of clips or more', limits.keys + 1, limits.keys);
  }
}

/** A function of a take's time to be made a track. */
interface Source {
  readonly path: TrackModel['path'];
  readonly targetIndex: number;
  readonly width: number;
  /** Curves that it depends on. */
  readonly curves: readonly Curve[];
  /** True if straight lines between keys are exact. */
  readonly isLinear: boolean;
  /** Writes the values at a time of the file. */
  evaluate(time: number, out: Float64Array): void;
}

class ClipBuilder {
  readonly tracks: TrackModel[] = [];
  unusable = 0;

  constructor(
    readonly take: Take,
    readonly duration: number,
    readonly counter: KeyCounter,
  ) {}

  add(source: Source): void {
    const isStepped = source.curves.every(isConstant);
    const { times, fileTimes } = this.#keyTimes(source.curves, isStepped);
    const evaluate = (time: number, out: Float64Array) =>
      source.evaluate(fileTimes.get(time) ?? this.take.start + time, out);
    const samples = this.#sample(source, times, evaluate, isStepped || source.isLinear);
    const { width } = source;
    const isStill = samples.rows.every((row) => row.every((value, c) => c >= width || value === samples.rows[0]![c]));
    const count = isStill ? 1 : samples.times.length;
    this.counter.take(count);
    const values = new Float32Array(width * count);
    for (let key = 0; key < count; key++) values.set(samples.rows[key]!.subarray(0, width), width * key);
    if (!values.every(isUsable)) {
      this.unusable++;
      return;
    }
    const interpolation: Interpolation = isStepped && !isStill ? 'STEP' : 'LINEAR';
    const { path, targetIndex } = source;
    this.tracks.push({
      path,
      targetIndex,
      interpolation,
      times: Float32Array.from(samples.times.slice(0, count)),
      values,
    });
  }

  /**
   * Times of the clip at which a curve has a key, from 0 to the end, and the exact time in the file of each. A jump has two:
   * the 32-bit float before its own means the time just before.
   */
  #keyTimes(curves: readonly Curve[], isStepped: boolean) {
    const { start, stop } = this.take;
    const moments: [time: number, isJump: boolean][] = [
      [start, false],
      [stop, false],
    ];
    for (const curve of curves) {
      const jumps = jumpsOf(curve);
      curve.times.forEach((time, key) => {
        if (time > start && time < stop) moments.push([time, jumps(key)]);
      });
    }
    moments.sort(([a], [b]) => a - b);
    const fileTimes = new Map<number, number>();
    const times: number[] = [];
    const put = (time: number, fileTime: number): void => {
      const last = times.at(-1) ?? -1;
      if (time <= last) return;
      fileTimes.set(time, fileTime);
      times.push(time);
    };
    for (const [fileTime, isJump] of moments) {
      const time = Math.min(this.duration, Math.fround(fileTime - start));
      const last = times.at(-1) ?? -Infinity;
      if (isJump && !isStepped && time > 0) put(floatBefore(time), fileTime - Math.min(1e-9, (fileTime - start) / 2));
      // keys of several curves that are meant to be at one time may differ by a tick
      if (time - last >= SHORTEST_STEP || (isJump && time > last)) put(time, fileTime);
    }
    return { times, fileTimes };
  }

  #sample(
    { path, width }: Source,
    times: readonly number[],
    evaluate: (time: number, out: Float64Array) => void,
    isExact: boolean,
  ): { times: readonly number[]; rows: readonly Float64Array[] } {
    const isRotation = path === 'rotation';
    // curves of other widths are watched as points of three numbers
    const padded = isRotation ? 4 : Math.ceil(width / 3) * 3;
    if (times.length > this.counter.left) this.counter.exceed();
    if (isExact || times.length < 2) {
      const rows = times.map((time) => {
        const row = new Float64Array(padded);
        evaluate(time, row);
        return row;
      });
      if (isRotation) rows.forEach((row, i) => i > 0 && alignQuaternion(row, rows[i - 1]!));
      return { times, rows };
    }
    const curves: Tolerance[] = isRotation
      ? [{ at: 0, width: 4, tolerance: ANGLE_TOLERANCE }]
      : Array.from({ length: padded / 3 }, (_, i) => ({ at: 3 * i, width: 3, tolerance: TOLERANCE }));
    return sampleAdaptively(times, padded, evaluate, curves, this.counter.left) ?? this.counter.exceed();
  }
}

const word = new Float32Array(1);
const bits = new Uint32Array(word.buffer);

/** The next smaller 32-bit float of a positive one. */
function floatBefore(value: number): number {
  word[0] = value;
  bits[0]!--;
  return word[0]!;
}

function isConstant(curve: Curve): boolean {
  for (let key = 0; key + 1 < curve.times.length; key++) if (curve.segment(key) !== 'constant') return false;
  return true;
}

/** Returns true for keys at which the curve jumps: a constant segment ends there, or one begins that has the next value. */
function jumpsOf(curve: Curve): (key: number) => boolean {
  return (key) =>
    (key > 0 && curve.segment(key - 1) === 'constant') ||
    (key + 1 < curve.times.length && curve.segment(key) === 'next');
}

function isLinear(curve: Curve): boolean {
  for (let key = 0; key + 1 < curve.times.length; key++) {
    const segment = curve.segment(key);
    if (segment === 'cubic' || segment === 'next') return false;
  }
  return true;
}

function addJointTracks(clip: ClipBuilder, rig: Rig, node: RigNode, take: Take): void {
  const own = take.channels.get(node.model);
  // scales that matter: those of parents that this node does not inherit from
  const scales: RigNode[] = [];
  for (let at: RigNode | undefined = node; at && at.inheritance !== 'all';) {
    at = at.parent!;
    scales.push(at);
    if (at.inheritance !== 'multiplied') break;
  }
  const inherited = scales.flatMap(({ model }) => take.channels.get(model)?.get('scale') ?? []);
  const channels = (...paths: Path[]): Channel[] => paths.flatMap((path) => own?.get(path) ?? []);
  const pivots = node.transform.hasPivots ? channels('rotation', 'scale') : [];
  const dependencies: Record<Path, Channel[]> = {
    translation: [...channels('translation'), ...pivots, ...inherited],
    rotation: channels('rotation'),
    scale: [...channels('scale'), ...(node.inheritance === 'multiplied' ? inherited : [])],
  };
  const evaluator = new LocalEvaluator(take);
  for (const path of ['translation', 'rotation', 'scale'] as const) {
    const channelsOfPath = dependencies[path];
    const curves = channelsOfPath.flatMap((channel) => channel.curves);
    if (curves.length === 0) continue;
    const [at, width] = PARTS[path];
    // lines of one channel in one layer stay lines
    const isAlone = path !== 'rotation' && channelsOfPath.length === 1 && channelsOfPath[0]!.layerCount === 1;
    const pose = new Float64Array(POSE_STRIDE);
    clip.add({
      path,
      targetIndex: path === 'scale' ? node.scaleJoint : node.joint,
      width,
      curves,
      isLinear: isAlone && curves.every(isLinear) && pivots.length === 0,
      evaluate(time, out) {
        evaluator.time = time;
        rig.evaluate(node, evaluator.localOf, pose);
        out.set(pose.subarray(at, at + width));
      },
    });
  }
}

/** Local transforms of nodes at a time of a take. */
class LocalEvaluator {
  /** Seconds of the file. */
  time = 0;
  readonly #locals = new Map<RigNode, { channels: ReadonlyMap<ChannelPath, Channel>; local: MutableLocal }>();

  constructor(readonly take: Take) {}

  readonly localOf = (node: RigNode): Local => {
    const known = this.#locals.get(node) ?? this.#add(node);
    for (const path of ['translation', 'rotation', 'scale'] as const) {
      known.channels.get(path)?.evaluate(this.time, known.local[path]);
    }
    return known.local;
  };

  #add(node: RigNode) {
    const { translation, rotation, scale } = node.transform.rest;
    const local = {
      translation: Float64Array.from(translation),
      rotation: Float64Array.from(rotation),
      scale: Float64Array.from(scale),
    };
    const entry = { channels: this.take.channels.get(node.model) ?? NO_CHANNELS, local };
    this.#locals.set(node, entry);
    return entry;
  }
}

type MutableLocal = Record<Path, Float64Array>;
const NO_CHANNELS: ReadonlyMap<ChannelPath, Channel> = new Map();

/** One track per morph set that a channel of the take moves. */
function addWeightTracks(
  clip: ClipBuilder,
  take: Take,
  morphSets: readonly MorphSetModel[],
  morphsOf: FbxMeshes['morphsOf'],
): void {
  const moved = new Map<number, { channel: Channel; target: number; fullPercent: number }[]>();
  for (const [object, paths] of take.channels) {
    const channel = paths.get('weight');
    if (!channel) continue;
    for (const { set, target, fullPercent } of morphsOf.get(object) ?? []) {
      const list = moved.get(set) ?? [];
      list.push({ channel, target, fullPercent });
      moved.set(set, list);
    }
  }
  const value = new Float64Array(1);
  for (const [set, list] of moved) {
    const curves = list.flatMap(({ channel }) => channel.curves);
    if (curves.length === 0) continue;
    const { weights } = morphSets[set]!;
    clip.add({
      path: 'weights',
      targetIndex: set,
      width: weights.length,
      curves,
      isLinear: curves.every(isLinear) && list.every(({ channel }) => channel.layerCount === 1),
      evaluate(time, out) {
        out.set(weights);
        for (const { channel, target, fullPercent } of list) {
          channel.evaluate(time, value);
          out[target] = value[0]! / fullPercent;
        }
      },
    });
  }
}
