import type { GLTF } from '@gltf-transform/core';
import type { IssueList } from '../model-builder/issue-list.ts';
import {
  anything,
  boolean,
  Check,
  index,
  integer,
  isObject,
  list,
  map,
  number,
  numbers,
  object,
  oneOf,
  text,
} from '../json-shape.ts';

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

const byteOffset = integer(0);
const primitive = object(
  { attributes: map(index('accessors')) },
  {
    indices: index('accessors'),
    material: index('materials'),
    mode: integer(0, 6),
    targets: list(map(index('accessors'))),
    extensions: object({}, {
      KHR_draco_mesh_compression: object({ bufferView: index('bufferViews'), attributes: map(integer(0)) }),
    }),
  },
); // prettier-ignore

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

const meshoptView = object(
  {
    buffer: index('buffers'),
    byteLength: integer(1),
    byteStride: integer(1, 256),
    count: integer(1),
    mode: oneOf('ATTRIBUTES', 'TRIANGLES', 'INDICES'),
  },
  { byteOffset, filter: oneOf('NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR') },
);

const gltf = object(
  { asset: object({ version: text }, { minVersion: text }) },
  {
    extensionsUsed: list(text, 0, 1_000),
    extensionsRequired: list(text, 0, 1_000),
    scene: index('scenes'),
    scenes: list(object({}, { nodes: list(index('nodes')) })),
    nodes: list(
      object(
        {},
        {
          children: list(index('nodes')),
          mesh: index('meshes'),
          skin: index('skins'),
          matrix: numbers(16),
          translation: numbers(3),
          rotation: numbers(4),
          scale: numbers(3),
          weights: list(number),
        },
      ),
    ),
    skins: list(object({ joints: list(index('nodes'), 1) }, { inverseBindMatrices: index('accessors') })),
    meshes: list(object({ primitives: list(primitive) }, { weights: list(number) })),
    animations: list(
      object({
        samplers: list(object({ input: index('accessors'), output: index('accessors') })),
        channels: list(object({ sampler: integer(0), target: object({ path: text }, { node: index('nodes') }) })),
      }),
    ),
    accessors: list(
      object(
        {
          componentType: oneOf(5120, 5121, 5122, 5123, 5125, 5126),
          count: integer(1),
          type: oneOf('SCALAR', 'VEC2', 'VEC3', 'VEC4', 'MAT2', 'MAT3', 'MAT4'),
        },
        {
          bufferView: index('bufferViews'),
          byteOffset,
          normalized: boolean,
          sparse: object({
            count: integer(1),
            indices: object(
              { bufferView: index('bufferViews'), componentType: oneOf(5121, 5123, 5125) },
              { byteOffset },
            ),
            values: object({ bufferView: index('bufferViews') }, { byteOffset }),
          }),
        },
      ),
    ),
    bufferViews: list(
      object(
        { buffer: index('buffers'), byteLength: integer(0) },
        {
          byteOffset,
          byteStride: integer(0, 65_535),
          extensions: object({}, { EXT_meshopt_compression: meshoptView, KHR_meshopt_compression: meshoptView }),
        },
      ),
    ),
    buffers: list(object({ byteLength: integer(0) }, { uri: text })),
    materials: list(anything),
    textures: list(anything),
    images: list(anything),
    samplers: list(anything),
  },
);

/** Checks the JSON's structure. @throws ManipleError GLTF_INVALID with everything that does not hold */
export function checkSchema(json: unknown, issues: IssueList): CheckedGltf {
  const check = new Check(isObject(json) ? json : {}, issues);
  gltf(json, check);
  issues.throwIfErrors();
  const checked = json as CheckedGltf;
  checkVersion(checked, check);
  checked.animations?.forEach((animation, i) => {
    animation.channels.forEach((channel, k) => {
      if (channel.sampler < animation.samplers.length) return;
      check.path.push('animations', i, 'channels', k, 'sampler');
      check.refuse(`refers to samplers[${channel.sampler}], the animation has ${animation.samplers.length}`);
      check.path.length = 0;
    });
  });
  issues.throwIfErrors();
  return checked;
}

function checkVersion({ asset }: CheckedGltf, check: Check): void {
  check.path.push('asset');
  if (!/^2(\.|$)/.test(asset.version)) {
    check.refuse(`glTF version ${asset.version} is not supported, only 2.x`);
  } else if (asset.minVersion !== undefined && asset.minVersion !== '2.0') {
    check.refuse(`the file needs glTF ${asset.minVersion}, this reader supports 2.0`);
  }
  check.path.length = 0;
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
  const extension = extensionOf(view, 'KHR_meshopt_compression') ?? extensionOf(view, 'EXT_meshopt_compression');
  return extension as MeshoptView | undefined;
}

/** Returns true if a primitive's attributes name joints for its vertices. */
export function isSkinned(attributes: Readonly<Record<string, number>>): boolean {
  return attributes.JOINTS_0 !== undefined && attributes.WEIGHTS_0 !== undefined;
}
