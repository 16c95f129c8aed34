import type { GLTF } from '@gltf-transform/core';
import { pointer, quote } from '../model-builder/issue-list.ts';
import { withoutUnusable } from '../model-builder/limits.ts';
import type { ChannelFormat, MeshChannelModel } from '../../character/model.ts';
import { NAMED_CHANNEL_LIMIT } from '../../character/format/geometry-layout.ts';
import { channelKey, SECOND_TEXCOORD_NAME } from '../../character/vertex-formats.ts';
import type { ChannelNames } from '../model-builder/channel-names.ts';
import { TYPE_WIDTH } from './layout.ts';
import type { GltfFile } from './decode.ts';

type Types = readonly GLTF.AccessorType[];

/** Reads a primitive's or a morph target's attributes by semantic and holds them to one vertex count. */
export class Attributes {
  constructor(
    readonly file: GltfFile,
    readonly indices: Readonly<Record<string, number>>,
    readonly at: { readonly vertexCount: number; readonly path: string },
  ) {}

  /** An attribute that vertices need to be in the right place. One of a wrong type is refused. */
  required(semantic: string, types: Types): Float32Array | undefined {
    const index = this.#find(semantic, types, 'error');
    return index === undefined ? undefined : this.file.reader.floats(index);
  }

  /** Required as well, as the numbers are stored. */
  integers(semantic: string, types: Types): ArrayLike<number> | undefined {
    const index = this.#find(semantic, types, 'error');
    return index === undefined ? undefined : this.file.reader.elements(index);
  }

  /** An attribute that only improves the picture: of a wrong type, it is left out. */
  optional(semantic: string, types: Types): Float32Array | undefined {
    const index = this.#find(semantic, types, 'warning');
    return index === undefined ? undefined : this.file.reader.floats(index);
  }

  /** Optional, and with unusable numbers replaced. */
  usable(semantic: string, types: Types, fallback: number): Float32Array | undefined {
    const values = this.optional(semantic, types);
    return values && this.repaired(semantic, values, fallback);
  }

  /** The values with NaN, infinite and absurd ones replaced, counted and reported. */
  repaired(semantic: string, values: Float32Array, fallback: number): Float32Array {
    return withoutUnusable(values, { semantic, place: this.#place(semantic), fallback }, this.file.issues);
  }

  definition(semantic: string): GLTF.IAccessor | undefined {
    const index = this.indices[semantic];
    return index === undefined ? undefined : this.file.reader.definition(index);
  }

  /** COLOR_0 as RGBA in [0, 1]. */
  colors(): Float32Array | undefined {
    const values = this.usable('COLOR_0', ['VEC3', 'VEC4'], 1);
    if (!values) return undefined;
    const { vertexCount } = this.at;
    const width = values.length / vertexCount;
    const colors = new Float32Array(4 * vertexCount).fill(1);
    for (let v = 0; v < vertexCount; v++) {
      for (let c = 0; c < width; c++) colors[4 * v + c] = Math.min(1, Math.max(0, values[v * width + c]!));
    }
    return colors;
  }

  #find(semantic: string, types: Types, severity: 'error' | 'warning'): number | undefined {
    if (!Object.hasOwn(this.indices, semantic)) return undefined;
    const index = this.indices[semantic]!;
    const { reader, issues } = this.file;
    const { type, count } = reader.definition(index);
    const place = this.#place(semantic);
    if (count !== this.at.vertexCount) {
      const message = `${semantic} has ${count} elements, the primitive has ${this.at.vertexCount} vertices`;
      issues.error('GLTF_INVALID', place, message);
      return undefined;
    }
    if (types.includes(type)) return index;
    const message = `${semantic} is ${type}, must be ${types.join(' or ')}`;
    if (severity === 'error') issues.error('GLTF_INVALID', place, message);
    else issues.warn('GLTF_ATTRIBUTE_IGNORED', place, `${message}; it is ignored`);
    return undefined;
  }

  #place(semantic: string): string {
    return this.at.path + pointer(semantic);
  }
}

const TYPES: readonly GLTF.AccessorType[] = ['SCALAR', 'VEC2', 'VEC3', 'VEC4'];

/** Normalised integers stay as they are. Other values become floats. */
const FORMATS: Readonly<Record<number, ChannelFormat>> = {
  5120: 'snorm8',
  5121: 'unorm8',
  5122: 'snorm16',
  5123: 'unorm16',
};

/** Smaller integers are floats as well. */
const EXACT_INTEGERS = 2 ** 24;

/**
 * Named channels of vertices. The second set of texture coordinates is first, if a texture is looked up by it.
 * Attributes of applications follow in the file's order (glTF 2.0 §3.7.2.1: their names begin with an underscore). A
 * mesh has a limited number of channels; those over it are reported.
 */
export function readChannels(
  attributes: Attributes,
  secondTexcoords: string | undefined,
  names: ChannelNames,
): MeshChannelModel[] {
  const { issues } = attributes.file;
  const channels: MeshChannelModel[] = [];
  const second = secondTexcoords === undefined ? undefined : attributes.usable(secondTexcoords, ['VEC2'], 0);
  if (second) channels.push({ name: SECOND_TEXCOORD_NAME, width: 2, values: second });
  const keys = new Set<number>();
  for (const name of Object.keys(attributes.indices).filter((semantic) => semantic.startsWith('_'))) {
    const key = channelKey(name);
    const { type, componentType, normalized } = attributes.definition(name)!;
    const twice = 'the primitive has it twice, as upper and lower case are the same';
    const full = `the primitive has ${NAMED_CHANNEL_LIMIT} such attributes already`;
    const isFull = channels.length >= NAMED_CHANNEL_LIMIT;
    const why = names.add(name) ?? (keys.has(key) ? twice : isFull ? full : undefined);
    const place = attributes.at.path + pointer(name);
    if (why !== undefined) {
      issues.warn('GLTF_ATTRIBUTE_IGNORED', place, `${quote(name)} is ignored: ${why}`);
      continue;
    }
    const values = attributes.usable(name, TYPES, 0);
    if (!values) continue;
    keys.add(key);
    if (componentType === 5125 && values.some((value) => value >= EXACT_INTEGERS)) {
      const message = `numbers of ${quote(name)} from ${EXACT_INTEGERS} on are rounded to floats`;
      issues.warn('GLTF_VALUES_REPAIRED', place, message);
    }
    const format = normalized === true ? FORMATS[componentType] : undefined;
    channels.push({ name, width: TYPE_WIDTH[type], values, ...(format ? { format } : {}) });
  }
  return channels;
}
