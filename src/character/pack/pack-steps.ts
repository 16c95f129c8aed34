import { determinant3 } from '../../math/affine.ts';
import { type Issue, warning } from '../../errors.ts';
import type { Character, CharacterMesh } from '../character.ts';
import { PART_LIMIT } from '../format/geometry-layout.ts';
import { LodMeter } from '../lods/measure-lods.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { checkModel } from './check-model.ts';
import { chooseClips, namesOfOthers } from './choose-clips.ts';
import { controlledClips } from './controlled.ts';
import { DEFAULT_BUDGET_SHARE, type PackOptions } from './options.ts';
import { packGeometry, type PackGeometryOptions } from './pack-geometry.ts';
import { clipSetup, packClipsHere, packRig, type PackClips } from './pack-rig.ts';
import { measurePoses } from './pose-bounds.ts';
import { measureSkeleton, type SkeletonMetrics } from './skeleton-metrics.ts';
import { type Steps, together } from './steps.ts';

/**
 * Does the work of `packCharacter`, in steps.
 * @param packClips Packs the clips, in this thread or in others.
 * @throws as `packCharacter`
 */
export function* packSteps(
  model: CharacterModel,
  options: PackOptions = {},
  packClips: PackClips = packClipsHere,
): Steps<Character> {
  checkModel(model);
  const names = model.clips.map(({ name }) => name);
  const chosen = chooseClips(names, options, model.name);
  const everyLod = withLods(model);
  const metrics = measureSkeleton(everyLod);
  const errorBudget = options.errorBudget ?? metrics.size * DEFAULT_BUDGET_SHARE;
  const issues: Issue[] = [];
  const source = chosen.map((index) => model.clips[index]!);
  yield;
  // before anything that takes seconds, because names may be wrong
  const { own, clips, controller } = controlledClips(model, source, options, issues);
  const setup = clipSetup(model, metrics, clips, { errorBudget, maxClipWork: options.maxClipWork });
  const [packed, { mesh, parts, channels, lods, poses }] = yield* together(
    packClips(setup, clips, options.onProgress),
    packRest(),
  );
  const unpacked = [...namesOfOthers(names, chosen), ...(model.unreadClips ?? [])];
  return {
    name: model.name,
    size: metrics.size,
    bounds: metrics.bounds,
    reach: poses.reach,
    rig: packRig(setup, packed),
    error: 0,
    ...mesh,
    lods,
    joints: model.joints.map(({ name, parentIndex, nodeIndex }) => ({ name, parentIndex, nodeIndex })),
    sockets: [],
    clips: packed.map(({ stats }, index) => {
      const bounds = poses.clips[index];
      return { ...stats, loops: clips[index]!.loops ?? true, ...(bounds ? { bounds } : {}) };
    }),
    ...(unpacked.length > 0 ? { unpackedClips: unpacked } : {}),
    ...(controller ? { controller } : {}),
    parts,
    ...(channels.length > 0 ? { channels } : {}),
    morphNames: model.morphSets.flatMap((set) => set.names),
    materials: model.materials,
    images: model.images,
    influenceHistogram: influenceHistogram(model),
    issues: [...model.issues, ...partIssues(model), ...issues, ...(controller?.issues ?? [])],
  };

  function* packRest() {
    const geometryOptions = {
      paletteCount: model.bindings.length,
      nonUniform: hasNonUniformScale(model, source),
      exactWeights: errorBudget === 0,
      vertexFormat: options.vertexFormat,
      providers: options.providers,
    };
    const { mesh, parts, channels } = yield* packGeometry(model, geometryOptions);
    yield;
    const lods = yield* packLods(model, geometryOptions, own, metrics);
    const poses = yield* measurePoses(everyLod, clips, {
      errorBudget,
      firstDifference: own.length,
      additiveLayers: options.controller?.layers.filter(({ blend }) => blend === 'additive').length ?? 0,
    });
    return { mesh, parts, channels, lods, poses };
  }
}

/** The model with the meshes of all LODs in one list, which bounds have to contain. */
function withLods(model: CharacterModel): CharacterModel {
  return { ...model, meshes: [...model.meshes, ...(model.lods ?? []).flatMap(({ meshes }) => meshes)] };
}

/** Packs coarser meshes like the finest, measures them over the clips, and finds the joints that they need. */
function* packLods(
  model: CharacterModel,
  options: PackGeometryOptions,
  clips: readonly ClipModel[],
  metrics: SkeletonMetrics,
): Steps<CharacterMesh[]> {
  const { lods = [] } = model;
  if (lods.length === 0) return [];
  const meter = new LodMeter(model, clips, metrics);
  const packed: CharacterMesh[] = [];
  for (const { meshes } of lods) {
    const { mesh } = yield* packGeometry({ ...model, meshes }, options);
    packed.push({ ...meter.judge(meshes), ...mesh });
    yield;
  }
  return packed;
}

/** Returns true if normals need the inverse transpose, because some scale stretches or mirrors. */
function hasNonUniformScale(model: CharacterModel, clips: readonly ClipModel[]): boolean {
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
    clips.some(({ tracks }) =>
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
  const message = `${count} mesh nodes; only ${PART_LIMIT} parts can be hidden one by one, the rest share the last.`;
  return [warning('CHARACTER_TOO_MANY_PARTS', model.name, message, 'Join meshes that are always shown together.')];
}
