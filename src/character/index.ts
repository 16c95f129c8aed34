// Characters as data: pack models, read and write baked files. No GPU.
export { BAKED_VERSION, type BakeOptions, isBaked, readBaked, writeBaked } from './file/index.ts';
export type { ClipArrivals } from './clip-arrivals.ts';
export {
  type Character,
  type CharacterClip,
  type CharacterJoint,
  type CharacterPrimitive,
  LOD_LIMIT,
} from './character.ts';
export type { HumanBone, HumanoidMap } from './humanoid.ts';
export type {
  BindingModel,
  ChannelFormat,
  CharacterModel,
  ClipModel,
  ImageModel,
  InfluencesModel,
  Interpolation,
  JointModel,
  LodModel,
  MaterialModel,
  MeshChannelModel,
  MeshModel,
  MorphSetModel,
  MorphTargetModel,
  RootMotionModel,
  TextureModel,
  TrackModel,
  Vec3,
  Vec4,
  Wrap,
} from './model.ts';
export { packScenery } from './pack-scenery.ts';
export {
  type ClipSelection,
  type ClipStats,
  DEFAULT_BUDGET_SHARE,
  packCharacter,
  packCharacterAsync,
  type PackAsyncOptions,
  type PackOptions,
  type PackProgress,
} from './pack/index.ts';
export { additiveClip } from './additive-clip.ts';
export { extractRootMotion, type RootMotionOptions } from './root-motion.ts';
export { channelKey, type VertexFormat, type VertexFormatChoice } from './vertex-formats.ts';
