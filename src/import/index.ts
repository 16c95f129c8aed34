export { bindClip, type BoundClip } from './bind-clip.ts';
export { type GltfSource, importGltf, type ImportOptions, type ImportProgress } from './gltf/import-gltf.ts';
export { DEFAULT_IMPORT_LIMITS, type ImportLimits } from './gltf/limits.ts';
export type { ResolveResource } from './gltf/resources.ts';
export { loadModel } from './load-model.ts';
