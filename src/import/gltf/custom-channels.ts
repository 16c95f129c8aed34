import type { GLTF } from '@gltf-transform/core';
import type { ChannelFormat, MeshChannelModel } from '../../character/model.ts';
import { NAMED_CHANNEL_LIMIT } from '../../character/format/geometry-layout.ts';
import { channelKey, SECOND_TEXCOORD_NAME } from '../../character/vertex-formats.ts';
import type { ChannelNames } from '../model-builder/channel-names.ts';
import type { Attributes } from './attributes.ts';
import { pointer, quote, type IssueList } from '../model-builder/issue-list.ts';
import { TYPE_WIDTH } from './layout.ts';

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

/** The part of a primitive that channels are read from. */
interface Primitive {
  readonly semantics: readonly string[];
  readonly secondTexcoords: string | undefined;
  readonly path: string;
}

/**
 * Named channels of vertices. The second set of texture coordinates is first, if a texture is looked up by it.
 * Attributes of applications follow in the file's order (glTF 2.0 §3.7.2.1: their names begin with an underscore). A
 * mesh has a limited number of channels; those over it are reported.
 */
export function readChannels(
  attributes: Attributes,
  { semantics, secondTexcoords, path }: Primitive,
  names: ChannelNames,
  issues: IssueList,
): MeshChannelModel[] {
  const channels: MeshChannelModel[] = [];
  const second = secondTexcoords === undefined ? undefined : attributes.usable(secondTexcoords, ['VEC2'], 0);
  if (second) channels.push({ name: SECOND_TEXCOORD_NAME, width: 2, values: second });
  const keys = new Set<number>();
  for (const name of semantics.filter((semantic) => semantic.startsWith('_'))) {
    const key = channelKey(name);
    const { type, componentType, normalized } = attributes.definition(name)!;
    const why =
      names.add(name) ??
      (keys.has(key) ? 'the primitive has it twice, as upper and lower case are the same' : undefined) ??
      (channels.length >= NAMED_CHANNEL_LIMIT
        ? `the primitive has ${NAMED_CHANNEL_LIMIT} such attributes already`
        : undefined);
    if (why !== undefined) {
      issues.warn('GLTF_ATTRIBUTE_IGNORED', path + pointer(name), `${quote(name)} is ignored: ${why}`);
      continue;
    }
    const values = attributes.usable(name, TYPES, 0);
    if (!values) continue;
    keys.add(key);
    if (componentType === 5125 && values.some((value) => value >= EXACT_INTEGERS)) {
      const message = `numbers of ${quote(name)} from ${EXACT_INTEGERS} on are rounded to floats`;
      issues.warn('GLTF_VALUES_REPAIRED', path + pointer(name), message);
    }
    const format = normalized === true ? FORMATS[componentType] : undefined;
    channels.push({ name, width: TYPE_WIDTH[type], values, ...(format ? { format } : {}) });
  }
  return channels;
}
