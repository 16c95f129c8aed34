import type { GLTF } from '@gltf-transform/core';
import { quoted } from '../../errors.ts';
import type { IssueList } from '../model-builder/issue-list.ts';
import {
  anything,
  describe,
  flag,
  integer,
  INVALID,
  isObject,
  list,
  map,
  numberBetween,
  oneOf,
  type Place,
  pointer,
  readValue,
  type Rule,
  text,
} from '../../forms/rules.ts';
import { MAX_MAGNITUDE } from '../model-builder/limits.ts';
import type { ImportLimits } from './limits.ts';

/**
 * glTF JSON with a checked structure: types, ranges and references of everything that moves or builds a vertex. Looks
 * are checked where they are read, because a broken texture does not make a character unusable. Names and extras are
 * never checked: read them with `nameOf`.
 */
export type CheckedGltf = Omit<GLTF.IGLTF, 'materials' | 'textures' | 'images' | 'samplers' | 'cameras'> & {
  materials?: unknown[];
  textures?: unknown[];
  images?: unknown[];
  samplers?: unknown[];
};

/** A file with checked JSON, its limits, and the list for its issues. */
export interface GltfJson {
  readonly json: CheckedGltf;
  readonly limits: ImportLimits;
  readonly issues: IssueList;
}

/** Errors after which the check of a file ends. */
const MAX_ERRORS = 100;

/** An object with these properties, and any others. Without a `?` a missing one is reported, at the object. */
function object(shape: Record<string, Rule<unknown>>): Rule<object> {
  const rules = Object.entries(shape).map(([key, rule]) => [key.replace('?', ''), rule, key.endsWith('?')] as const);
  return (value, place) => {
    if (!isObject(value)) return place.expected('an object', value);
    let held = true;
    for (const [key, rule, isOptional] of rules) {
      if (value[key] !== undefined) held = rule(value[key], place.inside(key)) !== INVALID && held;
      else if (!isOptional) {
        place.refuse(`The property "${key}" is missing.`);
        held = false;
      }
    }
    return held ? value : INVALID;
  };
}

/** An index into one of the file's top-level lists. */
function index(listName: string): Rule<number> {
  return (value, place: Place) => {
    const entries = isObject(place.root) ? place.root[listName] : undefined;
    const length = Array.isArray(entries) ? entries.length : 0;
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < length) return value as number;
    return place.refuse(`Expected an index of ${listName}, got ${describe(value)}; the file has ${length}.`);
  };
}

/** A number that can be computed with (JSON may say 1e999). */
const number = numberBetween(-MAX_MAGNITUDE, MAX_MAGNITUDE);
const numbers = (length: number) => list(number, length, length);
const byteOffset = integer(0);
const draco = object({ bufferView: index('bufferViews'), attributes: map(integer(0)) });
const primitive = object({
  attributes: map(index('accessors')),
  'indices?': index('accessors'),
  'material?': index('materials'),
  'mode?': integer(0, 6),
  'targets?': list(map(index('accessors'))),
  'extensions?': object({ 'KHR_draco_mesh_compression?': draco }),
});

/** The real contents of a compressed buffer view, by EXT_meshopt_compression and KHR_meshopt_compression. */
export interface MeshoptView {
  readonly buffer: number;
  readonly byteOffset?: number;
  readonly byteLength: number;
  readonly byteStride: number;
  readonly count: number;
  readonly mode: 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES';
  readonly filter?: 'NONE' | 'OCTAHEDRAL' | 'QUATERNION' | 'EXPONENTIAL' | 'COLOR';
}

const meshoptView = object({
  buffer: index('buffers'),
  byteLength: integer(1),
  byteStride: integer(1, 256),
  count: integer(1),
  mode: oneOf('ATTRIBUTES', 'TRIANGLES', 'INDICES'),
  'byteOffset?': byteOffset,
  'filter?': oneOf('NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR'),
});

const node = object({
  'children?': list(index('nodes')),
  'mesh?': index('meshes'),
  'skin?': index('skins'),
  'matrix?': numbers(16),
  'translation?': numbers(3),
  'rotation?': numbers(4),
  'scale?': numbers(3),
  'weights?': list(number),
});

const target = object({ path: text, 'node?': index('nodes') });
const animation = object({
  samplers: list(object({ input: index('accessors'), output: index('accessors') })),
  channels: list(object({ sampler: integer(0), target })),
});

const indexType = oneOf(5121, 5123, 5125);
const indices = object({ bufferView: index('bufferViews'), componentType: indexType, 'byteOffset?': byteOffset });
const values = object({ bufferView: index('bufferViews'), 'byteOffset?': byteOffset });
const accessor = object({
  componentType: oneOf(5120, 5121, 5122, 5123, 5125, 5126),
  count: integer(1),
  type: oneOf('SCALAR', 'VEC2', 'VEC3', 'VEC4', 'MAT2', 'MAT3', 'MAT4'),
  'bufferView?': index('bufferViews'),
  'byteOffset?': byteOffset,
  'normalized?': flag,
  'sparse?': object({ count: integer(1), indices, values }),
});

const bufferView = object({
  buffer: index('buffers'),
  byteLength: integer(0),
  'byteOffset?': byteOffset,
  'byteStride?': integer(0, 65_535),
  'extensions?': object({ 'EXT_meshopt_compression?': meshoptView, 'KHR_meshopt_compression?': meshoptView }),
});

const gltf = object({
  asset: object({ version: text, 'minVersion?': text }),
  'extensionsUsed?': list(text, 1_000),
  'extensionsRequired?': list(text, 1_000),
  'scene?': index('scenes'),
  'scenes?': list(object({ 'nodes?': list(index('nodes')) })),
  'nodes?': list(node),
  'skins?': list(object({ joints: list(index('nodes'), Infinity, 1), 'inverseBindMatrices?': index('accessors') })),
  'meshes?': list(object({ primitives: list(primitive), 'weights?': list(number) })),
  'animations?': list(animation),
  'accessors?': list(accessor),
  'bufferViews?': list(bufferView),
  'buffers?': list(object({ byteLength: integer(0), 'uri?': text })),
  'materials?': list(anything),
  'textures?': list(anything),
  'images?': list(anything),
  'samplers?': list(anything),
});

/** Checks the JSON's structure. @throws ManipleError GLTF_INVALID with everything that does not hold */
export function checkSchema(json: unknown, issues: IssueList): CheckedGltf {
  let count = 0;
  const refuse = (path: string, message: string): void => {
    issues.error('GLTF_INVALID', path, message);
    if (++count >= MAX_ERRORS) issues.throwIfErrors();
  };
  readValue(gltf, json, refuse);
  issues.throwIfErrors();
  const checked = json as CheckedGltf;
  const { version, minVersion } = checked.asset;
  if (!/^2(\.|$)/.test(version)) {
    refuse('/asset', `Expected glTF 2.x, got version ${quoted(version)}.`);
  } else if (minVersion !== undefined && minVersion !== '2.0') {
    refuse('/asset', `Expected minVersion 2.0, got ${quoted(minVersion)}.`);
  }
  checked.animations?.forEach(({ samplers, channels }, i) => {
    channels.forEach(({ sampler }, k) => {
      if (sampler < samplers.length) return;
      const message = `Expected an index of samplers, got ${sampler}; the animation has ${samplers.length}.`;
      refuse(pointer('animations', i, 'channels', k, 'sampler'), message);
    });
  });
  issues.throwIfErrors();
  return checked;
}

/** The name of a node, clip, mesh or material as in the file; "" if it has no name. */
export function nameOf(entry: unknown): string {
  return isObject(entry) && typeof entry.name === 'string' ? entry.name : '';
}

/** An extension's object on some entry of the file, if it is there and is an object. */
export function extensionOf(entry: unknown, name: string): Record<string, unknown> | undefined {
  if (!isObject(entry) || !isObject(entry.extensions)) return undefined;
  const extension = entry.extensions[name];
  return isObject(extension) ? extension : undefined;
}

/** How a buffer view is compressed, if it is. */
export function meshoptOf(view: GLTF.IBufferView): MeshoptView | undefined {
  return meshoptExtension(view) as MeshoptView | undefined;
}

/** Meshopt's extension on a buffer view or a buffer, by either of its names. */
export function meshoptExtension(entry: unknown): Record<string, unknown> | undefined {
  return extensionOf(entry, 'KHR_meshopt_compression') ?? extensionOf(entry, 'EXT_meshopt_compression');
}

/** Returns true if a primitive's attributes name joints for its vertices. */
export function isSkinned(attributes: Readonly<Record<string, number>>): boolean {
  return attributes.JOINTS_0 !== undefined && attributes.WEIGHTS_0 !== undefined;
}
