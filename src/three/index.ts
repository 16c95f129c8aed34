// Crowds in scenes of three.js, drawn by its renderers. The page provides three.js.
export type { AttachedMesh, CarriedBy, SocketObject } from './attached.ts';
export { crowdColumn } from './crowd-column.ts';
export { crowdChannel, crowdId, crowdTint } from './crowd-nodes.ts';
export {
  characterFromGltf,
  characterFromGltfAsync,
  type CharacterFromGltfAsyncOptions,
  type CharacterFromGltfOptions,
  characterFromModel,
  characterFromModelAsync,
} from './from-three/character-from-gltf.ts';
export { crowdFromMixers, type FromMixersOptions, type MixedCrowd } from './from-three/mixers.ts';
export { modelFromThree, type ModelOptions, type ThreeSource } from './from-three/model-from-three.ts';
export {
  type AdoptedCrowdOptions,
  ManipleCrowd,
  type ManipleCrowdEvents,
  type ManipleCrowdLooks,
  type ManipleCrowdOptions,
  type CrowdPickHit,
  type PickViewport,
  type UpdateOptions,
} from './maniple-crowd.ts';
export type { CrowdTier } from '../crowd/options.ts';
export type { CrowdRenderer } from './internals.ts';
export type { CrowdIntersection } from './transform-readback.ts';
export { type SourceGeometry, sourceGeometries } from './sources.ts';
