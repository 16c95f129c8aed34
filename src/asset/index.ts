// Characters as data: pack models, read and write baked files. No GPU.
export { BAKED_VERSION, isBaked, readBaked, writeBaked } from './baked/index.ts';
export type { BatchRun, Character, CharacterClip, CharacterJoint, CharacterPrimitive } from './character.ts';
export { loadCharacter, type LoadOptions } from './load-character.ts';
export type {
  BindingModel,
  CharacterModel,
  ClipModel,
  ImageModel,
  InfluencesModel,
  Interpolation,
  JointModel,
  MaterialModel,
  MeshModel,
  MorphSetModel,
  MorphTargetModel,
  TextureModel,
  TrackModel,
  Vec3,
  Vec4,
  Wrap,
} from './model.ts';
export { type ClipStats, DEFAULT_BUDGET_SHARE, packCharacter, type PackOptions } from './pack/index.ts';
export { addSockets } from './sockets.ts';
