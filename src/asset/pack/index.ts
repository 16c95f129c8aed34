import { determinant3 } from '../../shaders/affine.ts';
import { fail, type Issue, quoted, warning } from '../../errors.ts';
import type { MissingOptions } from '../bind-controller.ts';
import type { Character } from '../character.ts';
import { PART_LIMIT } from '../geometry-layout.ts';
import type { CharacterModel, MeshModel } from '../model.ts';
import type { VertexFormatOption } from '../vertex-formats.ts';
import { expectController } from '../controller/compile.ts';
import type { ControllerModel } from '../controller/model.ts';
import type { RootMotionOptions } from '../root-motion.ts';
import { WEIGHTS_PER_LANE } from './channels.ts';
import { CLIP_WORK_LIMIT } from './clip-work.ts';
import { checkModel } from './check-model.ts';
import { addDifferences, bindController, withoutRoot } from './controlled.ts';
import { packGeometry } from './pack-geometry.ts';
import { packLods, withLods } from './pack-lods.ts';
import { packRig } from './pack-rig.ts';
import { measurePoses } from './pose-bounds.ts';
import { measureSkeleton } from './skeleton-metrics.ts';

export type { ClipStats } from './pack-clip.ts';

/** How closely to pack, and which clips. */
export interface PackOptions extends MissingOptions {
  /**
   * Metres by which a packed clip may stray from the file's keys, at any vertex and time. Default: 0.1 mm on a
   * character of 1.8 m, in proportion to the model's size. 0 keeps every key, unquantised.
   */
  readonly errorBudget?: number;
  /** Indices into the model's clips, in the order that the character is to have them; default all. */
  readonly clips?: readonly number[];
  /** What decides which clips play. Clips are found by name; what additive layers need of them is packed beside them. */
  readonly controller?: ControllerModel;
  /** Takes the motion of a joint out of all clips, so that controllers move the character by it. */
  readonly rootMotion?: Omit<RootMotionOptions, 'issues'>;
  /** How vertices are packed, the same way for all meshes or for each in its own. Default: `standard`. */
  readonly vertexFormat?: VertexFormatOption;
  /** Bits of the crowd's vertex providers that a mesh goes through: bit i for the i-th in its list. Default: none. */
  readonly providers?: (mesh: MeshModel) => number;
  /**
   * The most work that packing clips may be: samples × (joints + animated channels), over all clips; keys that are close or turn
   * far have more samples. Default 10 million: some 5 s, and half a gigabyte. Infinity packs whatever there is memory for.
   */
  readonly maxClipWork?: number;
  /** Called before each clip, with the count of clips that are packed (0 at first) and of those to pack. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Error budget as a share of the model's size: 0.1 mm on 1.8 m. */
export const DEFAULT_BUDGET_SHARE: number = 0.0001 / 1.8;

/**
 * Packs a model into the tables that a crowd runs on.
 *
 * Cost: tens of milliseconds for a typical clip; of all clips together some 5 s, unless `maxClipWork` is raised. Coarser meshes of the model (those
 * of the file, or made by `addLods` of maniple/import) are measured against the finest: about a second for 7,000 triangles.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT (an option of another kind), CHARACTER_NO_JOINTS, CHARACTER_TOO_MANY_JOINTS, CHARACTER_MORPHS_UNMATCHED,
 *  CHARACTER_TOO_MANY_MORPHS, CHARACTER_TOO_LARGE, CHARACTER_LODS_UNMATCHED, CHARACTER_CHANNELS, CHARACTER_VERTEX_FORMAT, CLIP_NOT_FOUND, CLIP_TOO_LONG;
 *  CLIP_ROOT_JOINT with `rootMotion`,
 *  and as `compileController` with `controller`
 * @example const knight = packCharacter(await loadModel('knight.glb'));
 */
export function packCharacter(model: CharacterModel, options: PackOptions = {}): Character {
  checkModel(model);
  checkPackOptions(options);
  const everyLod = withLods(model);
  const metrics = measureSkeleton(everyLod);
  const errorBudget = options.errorBudget ?? metrics.size * DEFAULT_BUDGET_SHARE;
  const issues: Issue[] = [];
  const wanted = (options.clips ?? model.clips.map((_, index) => index)).map(
    (index) => model.clips[index] ?? fail('CLIP_NOT_FOUND', model.name, `has no clip ${index}.`),
  );
  const own = withoutRoot(model, wanted, options.rootMotion, issues);
  const controlled = options.controller && addDifferences(model, own, options.controller, issues);
  const clips = controlled?.clips ?? own;
  const morphNames = model.morphSets.flatMap(({ names }) => names);
  const laneCount = model.joints.length + Math.ceil(morphNames.length / WEIGHTS_PER_LANE);
  // ahead of all that takes seconds: names may be wrong
  const controller = controlled && bindController(model, controlled, options.controller!, laneCount, issues, options);
  const onProgress = options.onProgress ?? (() => undefined);
  const rig = packRig(model, metrics, clips, {
    errorBudget,
    maxClipWork: options.maxClipWork ?? CLIP_WORK_LIMIT,
    onProgress,
  });
  const geometryOptions = {
    paletteCount: model.bindings.length,
    nonUniform: hasNonUniformScale(model),
    exactWeights: errorBudget === 0,
    vertexFormat: options.vertexFormat,
    providers: options.providers,
  };
  const geometry = packGeometry(model, geometryOptions);
  const lods = packLods(model, geometryOptions, { clips: own, metrics });
  const names = geometry.channelNames;
  const poses = measurePoses(everyLod, clips, {
    errorBudget,
    firstDifference: own.length,
    additiveLayers: options.controller?.layers.filter(({ blend }) => blend === 'additive').length ?? 0,
  });
  return {
    name: model.name,
    size: metrics.size,
    bounds: metrics.bounds,
    reach: poses.reach,
    rig: rig.words,
    error: 0,
    geometry: geometry.words,
    indices: geometry.indices,
    vertexCount: geometry.vertexCount,
    lods,
    joints: model.joints.map(({ name, parentIndex, nodeIndex }) => ({ name, parentIndex, nodeIndex })),
    sockets: [],
    clips: rig.clips.map((stats, index) => {
      const bounds = poses.clips[index];
      return { ...stats, loops: clips[index]!.loops ?? true, ...(bounds ? { bounds } : {}) };
    }),
    ...(controller ? { controller } : {}),
    parts: geometry.parts,
    primitives: geometry.primitives,
    batchRuns: geometry.batchRuns,
    ...(names.length > 0 ? { channels: names } : {}),
    morphNames,
    materials: model.materials,
    images: model.images,
    influenceHistogram: influenceHistogram(model),
    issues: [...model.issues, ...partIssues(model), ...issues, ...(controller?.issues ?? [])],
  };
}

/** Whether normals need the inverse transpose: some scale stretches or mirrors. */
function hasNonUniformScale(model: CharacterModel): boolean {
  const stretches = (s: ArrayLike<number>, at = 0) => {
    const [x, y, z] = [s[at]!, s[at + 1]!, s[at + 2]!];
    return Math.min(x, y, z) <= 0 || Math.max(x, y, z) > 1.001 * Math.min(x, y, z);
  };
  return (
    model.joints.some(({ scale }) => stretches(scale)) ||
    model.bindings.some(({ jointFromMesh: m }) => {
      const lengths = [0, 1, 2].map((c) => Math.hypot(m[c]!, m[c + 4]!, m[c + 8]!));
      return determinant3(m) < 0 || stretches(lengths) || !isSimilarity(m, lengths[0]!);
    }) ||
    model.clips.some(({ tracks }) =>
      tracks.some(({ path, values }) => {
        if (path !== 'scale') return false;
        for (let at = 0; at < values.length; at += 3) if (stretches(values, at)) return true;
        return false;
      }),
    )
  );
}

function isSimilarity(m: ArrayLike<number>, scale: number): boolean {
  const dot = (a: number, b: number) => m[a]! * m[b]! + m[a + 4]! * m[b + 4]! + m[a + 8]! * m[b + 8]!;
  return [dot(0, 1), dot(1, 2), dot(0, 2)].every((d) => Math.abs(d) <= 1e-3 * scale * scale);
}

function influenceHistogram(model: CharacterModel): number[] {
  const histogram: number[] = [];
  for (const { influences, vertexCount } of model.meshes) {
    for (let v = 0; v < vertexCount; v++) {
      const count = influences.offsets[v + 1]! - influences.offsets[v]!;
      histogram[count] = (histogram[count] ?? 0) + 1;
    }
  }
  return Array.from(histogram, (count) => count ?? 0);
}

function partIssues(model: CharacterModel): Issue[] {
  const count = new Set(model.meshes.map(({ nodeIndex }) => nodeIndex)).size;
  if (count <= PART_LIMIT) return [];
  return [
    warning(
      'CHARACTER_TOO_MANY_PARTS',
      model.name,
      `${count} mesh nodes; only ${PART_LIMIT} parts can be hidden one by one, the rest share the last.`,
      'Join meshes that are always shown together.',
    ),
  ];
}

/** Options that JavaScript passes and types forbid. @throws ManipleError CROWD_BAD_ARGUMENT, CONTROLLER_INVALID */
function checkPackOptions(options: PackOptions): void {
  const expect = (holds: boolean, name: string, value: unknown, expected: string): void => {
    if (!holds) fail('CROWD_BAD_ARGUMENT', name, `Got ${quoted(value)} for ${name}; expected ${expected}.`);
  };
  expect(typeof options === 'object' && options !== null && !Array.isArray(options), 'options', options, 'an object');
  const { errorBudget = 0, clips = [], maxClipWork = 0, controller, onProgress } = options;
  const isSize = (value: unknown): boolean => typeof value === 'number' && value >= 0;
  expect(isSize(errorBudget) && errorBudget < Infinity, 'errorBudget', errorBudget, 'metres, 0 or more');
  expect(isSize(maxClipWork), 'maxClipWork', maxClipWork, 'a number of 0 or more');
  expect(Array.isArray(clips), 'clips', clips, 'a list of indices');
  expect(onProgress === undefined || typeof onProgress === 'function', 'onProgress', onProgress, 'a function');
  if (controller !== undefined) expectController(controller);
}
