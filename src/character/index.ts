// Characters and controllers as data: pack models, read and write baked files and controllers. No GPU.
export { BAKED_VERSION, isBaked, readBaked, writeBaked } from './file/index.ts';
export { above, below, bool, controller, float, int, is, not, tree1d, tree2d, trigger } from '../controller/builder.ts';
export type { ControllerDefinition } from '../controller/builder.ts';
export {
  type ChildModel,
  type ClipFacts,
  type ConditionModel,
  CONTROLLER_FORMAT,
  CONTROLLER_VERSION,
  type ControllerModel,
  type DestinationModel,
  type EntryModel,
  type EventModel,
  type InterruptionModel,
  type LayerModel,
  type MachineModel,
  type MaskModel,
  type MotionModel,
  type ParameterModel,
  type StateModel,
  type SyncModel,
  type TransitionModel,
  type TreeModel,
} from '../controller/model.ts';
export { compileController, type CompiledController, type CompileOptions } from '../controller/compile.ts';
export { controllerJson, parseController } from '../controller/parse.ts';
export {
  type BatchRun,
  type Character,
  type CharacterClip,
  type CharacterJoint,
  type CharacterMesh,
  type CharacterPrimitive,
  LOD_LIMIT,
} from './character.ts';
export type { FileSource } from './fetch-bytes.ts';
export { loadCharacter, type LoadOptions } from './load-character.ts';
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
export { packScenery } from './scenery/pack-scenery.ts';
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
export { additiveClip, type ReferencePose } from './additive-clip.ts';
export { extractRootMotion, type RootMotionOptions } from './root-motion.ts';
export { addSockets } from './sockets.ts';
export type { MissingOptions } from './bind-controller.ts';
export { withController } from './with-controller.ts';
export { channelKey, type VertexFormat, type VertexFormatChoice, type VertexFormatOption } from './vertex-formats.ts';
