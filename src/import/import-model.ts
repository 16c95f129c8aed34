import { expectBytes, expectOptions } from '../character/arguments.ts';
import type { CharacterModel } from '../character/model.ts';
import type { BvhOptions } from './bvh/import-bvh.ts';
import { decodeText } from './decode-text.ts';
import type { FbxOptions } from './fbx/import-fbx.ts';
import type { ImportOptions } from './gltf/import-gltf.ts';
import type { ResolveResource } from './gltf/resources.ts';

/** How a model is imported, whatever its format. */
export interface ModelOptions extends ImportOptions {
  /** Name of the model, and of a clip without one. Default: `model`. */
  readonly name?: string;
  /** Reads files that a glTF file refers to: see `GltfSource`. */
  readonly resolve?: ResolveResource;
  /** A fact that FBX files may have wrong. */
  readonly fbx?: Pick<FbxOptions, 'unit'>;
  /** Facts that BVH files lack. */
  readonly bvh?: Omit<BvhOptions, 'name'>;
}

/** A format that models have. */
interface ModelFormat {
  readonly name: string;
  /** Matches the text of the file's first bytes, without a byte order mark. */
  readonly start: RegExp;
  /** Readers are loaded when a file needs them. */
  readonly read: (bytes: Uint8Array, options: ModelOptions & { readonly name: string }) => Promise<CharacterModel>;
}

/** VRM files are GLB. */
const FORMATS: readonly ModelFormat[] = [
  {
    name: 'glTF',
    start: /^(glTF|\s*\{)/,
    read: async (bytes, { name, resolve, ...options }) => {
      const { importGltf } = await import('./gltf/import-gltf.ts');
      return importGltf({ name, bytes, ...(resolve ? { resolve } : {}) }, options);
    },
  },
  {
    name: 'FBX',
    start: /^(Kaydara FBX Binary|\s*;\s*FBX\b|(\s|;[^\n]*\n)*FBXHeaderExtension\s*:)/,
    read: async (bytes, { name, resolve, fbx, ...options }) => {
      const { importFbx } = await import('./fbx/import-fbx.ts');
      return importFbx({ name, bytes, ...(resolve ? { resolve } : {}) }, { ...options, ...fbx });
    },
  },
  {
    name: 'BVH',
    start: /^\s*HIERARCHY\s/i,
    read: async (bytes, { name, bvh }) => (await import('./bvh/import-bvh.ts')).importBvh(bytes, { ...bvh, name }),
  },
  {
    name: 'Unity clip',
    start: /^%YAML 1\.1\s+%TAG !u! /,
    read: async (bytes, { name }) =>
      (await import('./unity/humanoid/import-humanoid.ts')).importUnityHumanoid(bytes, name),
  },
];

/** Bytes of a file's start that {@link formatOf} needs. */
export const FORMAT_HEAD = 512;

/** The name of a file's format, by its content: `glTF` (VRM too), `FBX`, `BVH` or `Unity clip`. Undefined if there is no reader for it. */
export function formatOf(bytes: Uint8Array): string | undefined {
  return findFormat(bytes)?.name;
}

function findFormat(bytes: Uint8Array): ModelFormat | undefined {
  const head = decodeText(bytes.subarray(0, FORMAT_HEAD)).replace(/^\uFEFF/, '');
  return FORMATS.find(({ start }) => start.test(head));
}

/**
 * Imports a model of any format that Maniple reads: glTF, GLB, VRM 0.x and 1.0, FBX, BVH, and Unity's clips of humanoids (`.anim`), which
 * move a default body. The content says which, not the name. The reader is loaded on demand.
 *
 * @throws ManipleError FILE_NOT_A_MODEL for other files, with what they are; else as `importGltf`, FBX_…, BVH_… or UNITY_…
 * @example const model = await importModel(await file.bytes(), { name: 'dancer' });
 */
export async function importModel(bytes: Uint8Array, options: ModelOptions = {}): Promise<CharacterModel> {
  expectBytes('bytes', bytes);
  expectOptions(options);
  const format = findFormat(bytes);
  if (!format) return (await import('./gltf/foreign.ts')).refuseForeign(bytes);
  return format.read(bytes, { ...options, name: options.name ?? 'model' });
}
