import { expectBytes, expectOptions, refuseArgument } from '../../character/arguments.ts';
import type { CharacterModel } from '../../character/model.ts';
import { error, ManipleError } from '../../errors.ts';
import { readClips } from './clips.ts';
import { openContainer } from './container.ts';
import { decodeAccessors, type GltfFile } from './decode.ts';
import type { DracoModule } from './draco.ts';
import { checkExtensions } from './extensions.ts';
import { checkHierarchy } from './hierarchy.ts';
import { Images } from './images.ts';
import { IssueList, refuse, sentence } from '../model-builder/issue-list.ts';
import { checkLayout } from './layout.ts';
import { DEFAULT_IMPORT_LIMITS, type ImportLimits } from './limits.ts';
import { readMaterials } from './materials.ts';
import { checkMeshCost } from './mesh-cost.ts';
import { readMeshes } from './meshes.ts';
import { readNodeLods } from './node-lods.ts';
import { loadBuffers, type ResolveResource, Resources } from './resources.ts';
import { checkRestMeshes, checkRestTransforms } from '../model-builder/rest-pose.ts';
import { checkSchema, extensionOf, type GltfJson } from './schema.ts';
import { readSkeleton, type Skeleton } from './skeleton.ts';
import { turnModel } from '../model-builder/turn-model.ts';
import { requireWasm } from '../wasm.ts';

/** A file to import: its bytes, and how to get at those that it refers to. */
export interface GltfSource {
  /** Name of the file in messages and in the model. */
  readonly name: string;
  /** A GLB, or glTF JSON in UTF-8. */
  readonly bytes: Uint8Array;
  /**
   * Reads a file that the glTF refers to. It gets a relative path, percent-decoded, that never leaves the model's
   * folder: absolute paths, `..` and URIs with a scheme are refused before. Data URIs never get here. Each file is asked for once,
   * with the bytes that it may have at most.
   */
  readonly resolve?: ResolveResource;
}

/** Parts of a file to import, and limits. */
export interface ImportOptions {
  /** Index of the scene to import; the file's default scene otherwise, or all roots if it has no scene. */
  readonly scene?: number;
  /** Called as each stage begins, and for each mesh. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Limits to change; see DEFAULT_IMPORT_LIMITS. */
  readonly limits?: Partial<ImportLimits>;
  /**
   * Makes the Draco decoder for files that need one. By default that of `draco3dgltf`, which in a browser fetches
   * `draco_decoder_gltf.wasm` from the page's folder: copy it from `maniple/dist`. To have it elsewhere, install `draco3dgltf` and
   * pass `() => createDecoderModule({ locateFile: (name) => … })`.
   */
  readonly draco?: DracoModule;
}

/** The progress of an import. */
export interface ImportProgress {
  /** The current stage, in this order. */
  readonly stage: 'check' | 'decode' | 'meshes' | 'clips';
  /** How much of the whole import is done, 0 to 1. */
  readonly done: number;
}

/**
 * Reads a glTF 2.0 file into a character: skeleton, palette, meshes, morph targets, clips, materials, encoded images.
 *
 * Files are untrusted. Everything is checked before it is used, within the time and memory that `limits` allow. Repairs
 * are listed in the model's `issues` with counts and JSON pointers. A file with other faults is refused as a whole,
 * with everything that was found.
 *
 * Cost: 0.05 to 0.4 s for characters of 0.3 to 4 MB; at the default limits at most 5 s and 1 GB.
 *
 * @throws ManipleError with codes FILE_*, GLTF_*, CHARACTER_TOO_MANY_JOINTS, WASM_BLOCKED (a page's security policy) or
 *   USAGE (no such scene), CROWD_BAD_ARGUMENT, never anything else
 * @example const model = await importGltf({ name: 'knight', bytes: await readFile('knight.glb') });
 */
export async function importGltf(source: GltfSource, options: ImportOptions = {}): Promise<CharacterModel> {
  expectSource(source);
  expectOptions(options);
  const issues = new IssueList();
  try {
    return await read(source, options, issues);
  } catch (thrown) {
    if (thrown instanceof ManipleError) throw thrown;
    // a file that passes every check and still breaks a reader is broken; report it with what was found
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const hint = 'If other programs open it, please report it as a defect of Maniple.';
    const last = error('GLTF_DECODE_FAILED', '', sentence(`the file could not be read: ${reason}`), hint);
    throw new ManipleError([last, ...issues.list()]);
  }
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
function expectSource(source: GltfSource): void {
  const { bytes } = ((source as unknown) ?? {}) as Partial<GltfSource>;
  const suggestion = "Write importGltf({ name: 'knight', bytes }), or importModel(bytes).";
  if (bytes === undefined) refuseArgument('source', source, 'a name and bytes', suggestion);
  expectBytes('bytes', bytes);
}

async function read(source: GltfSource, options: ImportOptions, issues: IssueList): Promise<CharacterModel> {
  const limits = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  const progress = (stage: ImportProgress['stage'], done: number): void => options.onProgress?.({ stage, done });
  progress('check', 0);
  const container = await openContainer(source.bytes, limits, issues);
  const plain: GltfJson = { json: checkSchema(container.json, issues), limits, issues };
  const parents = checkJson(plain, options.scene);
  const avatar = VRM.some((name) => extensionOf(plain.json, name)) ? await import('./vrm/read-vrm.ts') : undefined;
  const opened = avatar?.openVrm(plain);
  const checked: GltfJson = opened ? { ...plain, json: { ...plain.json, materials: opened.materials } } : plain;
  await requireWasm();

  progress('decode', 0.4);
  const resources = new Resources(source.resolve, limits, source.bytes.byteLength);
  const buffers = await loadBuffers(checked, container.binary, resources);
  issues.throwIfErrors();
  const reader = await decodeAccessors(checked, buffers, options.draco ?? defaultDraco);
  const file: GltfFile = { ...checked, parents, buffers, reader };

  const { lodsOf, hidden } = readNodeLods(file, parents);
  const skeleton = readSkeleton(file, { scene: options.scene, hidden, named: opened?.nodes ?? [] });
  checkRestTransforms(skeleton, issues);
  const drawn = skeleton.meshNodes.flatMap((node) => [node, ...(lodsOf.get(node) ?? [])]);
  checkMeshCost(file, drawn);
  issues.throwIfErrors();
  const onMesh = (done: number, total: number): void => progress('meshes', 0.5 + (0.3 * done) / total);
  const bound = await readMeshes(file, { skeleton, lodsOf }, onMesh);
  issues.throwIfErrors();
  checkRestMeshes(bound, skeleton, issues);
  issues.throwIfErrors();
  progress('clips', 0.8);
  const person = opened && avatar?.readVrm(file, opened, skeleton, bound);
  const clips = [...readClips(file, skeleton, bound), ...(person?.clips ?? [])];
  const look = await readMaterials(file, new Images(file, resources));
  checkContent(skeleton, bound.meshes.length, clips.length, issues);
  progress('clips', 1);
  const { meshes, lods, bindings, morphSets } = bound;
  const { joints } = skeleton;
  const coarser = lods.length > 0 ? { lods } : {};
  const { humanoid, vrm } = person ?? {};
  const known = { ...(humanoid ? { humanoid } : {}), ...(vrm ? { vrm } : {}) };
  const content = { joints, bindings, meshes, ...coarser, morphSets, clips, ...look, ...known };
  const model: CharacterModel = { name: source.name, ...content, issues: issues.list() };
  // VRM 0.x faces −Z, all else +Z
  return opened?.isOld ? turnModel(model, [0, 1, 0, 0]) : model;
}

/** Extensions of avatars, and of clips for them. */
const VRM = ['VRM', 'VRMC_vrm', 'VRMC_vrm_animation'] as const;

/** Everything that can be said about the JSON before a byte of data is read; returns the parent of every node. */
function checkJson(file: GltfJson, scene: number | undefined): Int32Array {
  checkExtensions(file);
  checkLayout(file);
  file.issues.throwIfErrors();
  const parents = checkHierarchy(file);
  file.issues.throwIfErrors();
  if (scene !== undefined && !file.json.scenes?.[scene]) {
    const message = `scene ${scene} was asked for, the file has ${file.json.scenes?.length ?? 0}`;
    refuse('USAGE', '/scenes', message, 'Leave `scene` out for the default one.');
  }
  return parents;
}

async function defaultDraco(): Promise<unknown> {
  // not the package itself, which loads the encoder as well
  const { default: createDecoderModule } = await import('draco3dgltf/draco_decoder_gltf_nodejs.js');
  // the decoder throws its messages about broken data as errors, so it need not print them
  return createDecoderModule({ printErr: () => undefined });
}

/** Refuses a file with nothing to show or to play. Without meshes it is still of use for its clips or its joints. */
function checkContent({ joints, meshNodes }: Skeleton, meshCount: number, clipCount: number, issues: IssueList): void {
  if (meshCount > 0) return;
  if (clipCount === 0 && (joints.length === 0 || meshNodes.length > 0)) {
    issues.error('GLTF_NO_MESH', '/scenes', 'the scene has neither a mesh that can be drawn nor a skeleton nor a clip');
  } else {
    const hint = clipCount > 0 ? 'Its clips can be bound to another character.' : 'It has only a skeleton.';
    issues.info('GLTF_NO_MESH', '/scenes', 'the scene has no mesh that can be drawn', hint);
  }
  issues.throwIfErrors();
}
