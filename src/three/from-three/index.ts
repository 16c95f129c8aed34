export {
  characterFromGltf,
  characterFromGltfAsync,
  type CharacterFromGltfAsyncOptions,
  type CharacterFromGltfOptions,
  characterFromModel,
  characterFromModelAsync,
} from './character-from-gltf.ts';
export { modelFromThree, type ModelOptions } from './model-from-three.ts';
export type { ThreeScene, ThreeSource } from './source.ts';
export { crowdFromMixers, type FromMixersOptions, type MixedCrowd, type MixedRoot } from './mixers.ts';
