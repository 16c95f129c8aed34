import type { CharacterMesh } from '../character.ts';
import { LodMeter } from '../lods/index.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { packGeometry, type PackGeometryOptions } from './pack-geometry.ts';
import type { SkeletonMetrics } from './skeleton-metrics.ts';
import type { Steps } from './steps.ts';

/**
 * Packs the model's coarser meshes in the same way as the finest, each into its own blob. Measures their error, and
 * finds the joints that they need.
 *
 * @param poses Source of the sample poses for the error: the clips to be packed.
 */
export function* packLods(
  model: CharacterModel,
  options: PackGeometryOptions,
  poses: { readonly clips: readonly ClipModel[]; readonly metrics: SkeletonMetrics },
): Steps<CharacterMesh[]> {
  const { lods = [] } = model;
  if (lods.length === 0) return [];
  const meter = new LodMeter(model, poses.clips, poses.metrics);
  const packed: CharacterMesh[] = [];
  for (const { meshes } of lods) {
    const { words, indices, vertexCount, primitives, batchRuns } = yield* packGeometry({ ...model, meshes }, options);
    packed.push({ ...meter.judge(meshes), geometry: words, indices, vertexCount, primitives, batchRuns });
    yield;
  }
  return packed;
}

/** The model with the meshes of all LODs in one list, which bounds have to contain. */
export function withLods(model: CharacterModel): CharacterModel {
  if (!model.lods?.length) return model;
  return { ...model, meshes: [...model.meshes, ...model.lods.flatMap(({ meshes }) => meshes)] };
}
