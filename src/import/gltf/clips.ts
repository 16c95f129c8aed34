import type { GLTF } from '@gltf-transform/core';
import type { ClipModel, Interpolation, TrackModel } from '../../character/model.ts';
import { pointer, quote, refuse } from '../model-builder/issue-list.ts';
import { cleanKeys, type CleanKeys } from '../model-builder/keys.ts';
import { TYPE_WIDTH } from './layout.ts';
import { isUsable } from '../model-builder/limits.ts';
import type { BoundMeshes } from './meshes.ts';
import { extensionOf, nameOf } from './schema.ts';
import { isObject } from '../../forms/rules.ts';
import type { Skeleton } from './skeleton.ts';
import type { GltfFile } from './decode.ts';

type Path = TrackModel['path'];
type MorphSets = Pick<BoundMeshes, 'morphSets' | 'morphSetOfNode'>;

/** The target of a channel: its path, the index of a joint or morph set, and the components of one value. */
interface Target {
  readonly path: Path;
  readonly index: number;
  readonly width: number;
}

const PATH_TYPES: Readonly<Record<Path, { type: GLTF.AccessorType; width: number }>> = {
  translation: { type: 'VEC3', width: 3 },
  rotation: { type: 'VEC4', width: 4 },
  scale: { type: 'VEC3', width: 3 },
  weights: { type: 'SCALAR', width: 1 },
};

/**
 * Reads all clips, in file order, so that a clip's index is the file's. A clip stays, as a rest pose, even if its
 * channels move nothing. Channels of nodes that move no vertex are left out without an issue; their last key still
 * counts for the clip's duration, as in three.js.
 */
export function readClips(file: GltfFile, skeleton: Skeleton, morphs: MorphSets): ClipModel[] {
  checkKeyCost(file);
  return (file.json.animations ?? []).map((animation, i) => {
    return new ClipReader(file, skeleton, morphs, animation, pointer('animations', i)).read();
  });
}

/** Refuses clips with channels that use the same few samplers or accessors over and over, before any key is copied. */
function checkKeyCost({ json, limits }: GltfFile): void {
  let keys = 0;
  let bytes = 0;
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler } of channels) {
      const { input, output } = samplers[sampler]!;
      const [times, values] = [json.accessors![input]!, json.accessors![output]!];
      keys += times.count;
      bytes += 4 * (times.count + values.count * TYPE_WIDTH[values.type]);
    }
  }
  const over = (what: string, value: number, limit: number): void => {
    const message = `the channels of all clips have ${value} ${what}, the limit is ${limit}`;
    if (value > limit) refuse('GLTF_LIMIT', '/animations', message, 'Keep fewer keys, or split the clips among files.');
  };
  over('keys', keys, limits.keys);
  over('bytes of keys', bytes, limits.decodedBytes);
}

class ClipReader {
  /** Samplers may serve many channels: their keys are cleaned once per use. */
  readonly #keys = new Map<string, CleanKeys | undefined>();
  #duration = 0;
  /** True if an issue already explains why a channel of the clip moves nothing. */
  #isReported = false;

  constructor(
    readonly file: GltfFile,
    readonly skeleton: Skeleton,
    readonly morphs: MorphSets,
    readonly animation: GLTF.IAnimation,
    readonly path: string,
  ) {}

  read(): ClipModel {
    const tracks: TrackModel[] = [];
    const taken = new Set<string>();
    this.animation.channels.forEach((channel, i) => {
      const place = `${this.path}/channels/${i}`;
      const target = this.#target(channel.target, place);
      if (!target) return;
      const interpolation = this.#interpolation(channel.sampler, place);
      const keys = interpolation && this.#clean(channel.sampler, target, interpolation, place);
      if (!interpolation || !keys) return;
      this.#duration = Math.max(this.#duration, keys.times.at(-1)!);
      if (target.index < 0) return;
      const key = `${target.path}:${target.index}`;
      if (taken.has(key)) {
        this.#ignore(place, `an earlier channel of the clip already moves this node's ${target.path}`);
        return;
      }
      taken.add(key);
      const { times, values } = keys;
      tracks.push({ path: target.path, targetIndex: target.index, interpolation, times, values });
    });
    if (tracks.length === 0 && !this.#isReported) {
      const message = 'no channel of the clip moves anything; it shows the rest pose';
      this.file.issues.info('GLTF_CHANNEL_IGNORED', this.path, message);
    }
    const { extras } = this.animation;
    // glTF has no word for a clip that ends; `extras.loop` is what our own characters say
    const loops = isObject(extras) && extras.loop === false ? { loops: false } : {};
    return { name: nameOf(this.animation), duration: this.#duration, ...loops, tracks };
  }

  /** undefined when the channel is ignored; an index of -1 when it moves nothing that can be seen. */
  #target({ node, path, ...target }: GLTF.IAnimationChannelTarget, place: string): Target | undefined {
    const property = extensionOf(target, 'KHR_animation_pointer')?.pointer;
    if (property !== undefined || (path as string) === 'pointer') {
      return this.#ignore(place, `A channel moves ${quote(property)} by KHR_animation_pointer, which is not played`);
    }
    if (!Object.hasOwn(PATH_TYPES, path)) {
      return this.#ignore(place, `the path ${quote(path)} is not one of ${Object.keys(PATH_TYPES).join(', ')}`);
    }
    const { width } = PATH_TYPES[path];
    // glTF §3.11: a channel without a node is to be ignored
    if (node === undefined) return undefined;
    if (path === 'weights') {
      const index = this.morphs.morphSetOfNode.get(node) ?? -1;
      return { path, index, width: index < 0 ? width : this.morphs.morphSets[index]!.weights.length };
    }
    if (this.skeleton.shearedNodes.has(node)) {
      return this.#ignore(place, `node ${node} has a sheared matrix, which no channel can move`);
    }
    return { path, index: this.skeleton.jointOfNode[node]!, width };
  }

  #interpolation(sampler: number, place: string): Interpolation | undefined {
    const given = this.animation.samplers[sampler]!.interpolation ?? 'LINEAR';
    if (given === 'LINEAR' || given === 'STEP' || given === 'CUBICSPLINE') return given;
    return this.#ignore(place, `the interpolation ${quote(given)} is not one of LINEAR, STEP, CUBICSPLINE`);
  }

  #clean(sampler: number, target: Target, interpolation: Interpolation, place: string): CleanKeys | undefined {
    const use = target.index < 0 ? 'unseen' : target.width;
    const key = `${sampler}:${target.path}:${use}`;
    if (!this.#keys.has(key)) this.#keys.set(key, this.#readKeys(sampler, target, interpolation, place));
    return this.#keys.get(key);
  }

  #readKeys(sampler: number, target: Target, interpolation: Interpolation, place: string): CleanKeys | undefined {
    const { reader, issues } = this.file;
    const { input, output } = this.animation.samplers[sampler]!;
    const { type } = PATH_TYPES[target.path];
    const inputType = reader.definition(input).type;
    const outputType = reader.definition(output).type;
    if (inputType !== 'SCALAR' || outputType !== type) {
      const types = `keys are ${inputType} to ${outputType}, must be SCALAR to ${type}`;
      return this.#ignore(place, `${types} for ${target.path}`);
    }
    const times = reader.floats(input);
    // these values move nothing, and how many of them make a key is not known
    if (target.index < 0) {
      const last = times.reduce((latest, time) => (time > latest && isUsable(time) ? time : latest), 0);
      return { times: new Float32Array([last]), values: new Float32Array(), repairs: [] };
    }
    const keys = cleanKeys(times, reader.floats(output), {
      width: target.width,
      interpolation,
      isRotation: target.path === 'rotation',
    });
    if (!keys) return this.#ignore(place, 'none of its keys can be used');
    if (keys.repairs.length > 0) {
      const samplerPath = `${this.path}/samplers/${sampler}`;
      issues.warn('GLTF_KEYS_REPAIRED', samplerPath, `${keys.repairs.join('; ')}; ${keys.times.length} keys are left`);
    }
    return keys;
  }

  #ignore(place: string, why: string): undefined {
    this.#isReported = true;
    this.file.issues.warn('GLTF_CHANNEL_IGNORED', place, why);
  }
}
