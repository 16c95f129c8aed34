export { addLods, type LodOptions } from './lods/add-lods.ts';
export { bindClip, type BoundClip } from './bind-clip.ts';
export type { BvhOptions } from './bvh/import-bvh.ts';
export { type BvhLimits, DEFAULT_BVH_LIMITS } from './bvh/limits.ts';
export type { FbxOptions } from './fbx/import-fbx.ts';
export { type GltfSource, importGltf, type ImportOptions, type ImportProgress } from './gltf/import-gltf.ts';
export { DEFAULT_IMPORT_LIMITS, type ImportLimits } from './gltf/limits.ts';
export type { ResolveResource } from './gltf/resources.ts';
export { importModel, type ModelOptions } from './import-model.ts';
export { loadModel } from './load-model.ts';
export { addStickFigure } from './stick-figure.ts';
export { importPlayCanvasGraph, type PlayCanvasOptions } from './playcanvas/import-graph.ts';
export { bindUnityClip } from './unity/bind-unity-clip.ts';
export { importUnityClip, type UnityClip, type UnityClipOptions, type UnityTrack } from './unity/clip.ts';
export { importUnityController, type UnityController, type UnityControllerOptions } from './unity/controller.ts';
export { evaluateUnityCurve, type UnityKey } from './unity/curve.ts';
export { readUnityDocuments, type UnityDocument } from './unity/documents.ts';
export { importUnityMask, type UnityMask } from './unity/mask.ts';
export { applyUnityOverride, importUnityOverride, type UnityOverride } from './unity/override.ts';
export type { ResolveMotion } from './unity/fields.ts';
export { findHumanoid, type HumanoidFinding, readHumanoidMap } from '../humanoid/index.ts';
export {
  bindClips,
  type BindClipsOptions,
  type BoundClips,
  type ClipReport,
  type ClipSource,
  type FootTrace,
} from '../retarget/index.ts';
