// The API for pages that play baked characters. It includes no importer and nothing of Node's. Most modules are loaded
// with the device, and this file imports only their types.
export type { Character, CharacterClip, CharacterJoint, CharacterPrimitive } from './asset/character.ts';
export {
  above,
  below,
  bool,
  controller,
  type ControllerDefinition,
  float,
  int,
  is,
  not,
  tree1d,
  tree2d,
  trigger,
} from './asset/controller/builder.ts';
export type { ControllerModel } from './asset/controller/model.ts';
export type { FileSource } from './asset/fetch-bytes.ts';
export { loadCharacter, type LoadOptions } from './asset/load-character.ts';
export { addSockets } from './asset/sockets.ts';
export type { MissingOptions } from './asset/bind-controller.ts';
export { withController } from './asset/with-controller.ts';
export type { AnimatorState, LayerMotion, LayerState } from './crowd/animator-state.ts';
export type { CrossFadeOptions, PlayStateOptions } from './crowd/controller-inputs.ts';
export type { SocketReading } from './crowd/readings.ts';
export type { CharacterColumn, ColumnOptions, ColumnValue, GroupColumn } from './crowd/character-column.ts';
export type { Attachment, Attachments, AttachOptions, SocketOffset } from './crowd/attachments.ts';
export type { LookAtOptions } from './crowd/look-at.ts';
export { createCrowd } from './crowd/create-crowd.ts';
export type { Crowd } from './crowd/crowd.ts';
export type { CharacterEvent, CrowdListeners, DroppedInstances } from './crowd/events.ts';
export type { CrowdView, EncodedFrame, FrameOptions, FrameStats } from './crowd/frame-options.ts';
export type { Group } from './crowd/group.ts';
export type { CharacterId } from './crowd/ids.ts';
export { requestDevice } from './crowd/request-device.ts';
export type { CrowdStats } from './crowd/readings.ts';
export type { JointModifier } from './crowd/modifiers.ts';
export type { CrowdOptions, SharingOptions, SkinStage } from './crowd/options.ts';
export { NOT_ATTACHED } from './crowd/not-attached.ts';
export type { ParameterColumn } from './crowd/parameter-column.ts';
export type { Ground } from './crowd/ground.ts';
export type { Origin, PlaceCallback, Placement } from './crowd/placement.ts';
export type { PlayedClip, PlayOptions } from './crowd/playback.ts';
export type { CharacterPose, Reading, VertexReading } from './crowd/readings.ts';
export type { TuningCache } from './crowd/skin-records.ts';
export type { InputLog, InputLogOptions } from './crowd/state/input-log.ts';
export type { KeepOptions } from './crowd/state/keeper.ts';
export { rebuildCrowd } from './crowd/state/rebuild.ts';
export type { RebuildOptions, RebuiltCrowd } from './crowd/state/rebuild-lost.ts';
export { recordInputs, replay } from './crowd/state/replay.ts';
export type { ReplayOptions } from './crowd/state/replay-log.ts';
export { readSnapshot } from './crowd/state/read-snapshot.ts';
export type { CrowdSnapshot } from './crowd/state/snapshot.ts';
export type { Tint } from './crowd/tint.ts';
export type { EulerLike, QuaternionLike, VectorLike } from './crowd/vectors.ts';
export type { SkinTuning, TunedMesh } from './crowd/measure-skins.ts';
export { type TuneOptions, tuneSkinning } from './crowd/tune-skinning.ts';
export type { AdapterDescription, DeviceKind } from './device/adapter-kind.ts';
export { checkLimits, type DeviceOptions, type RequestedDevice } from './device/request-device.ts';
export { formatIssue, type Issue, ISSUE_CODES, type IssueCode, issuesOf, ManipleError } from './errors.ts';
export { loadShaderNames } from './shaders/compile.ts';
export { checkProviders } from './stages/check-providers.ts';
export type { SkinnedChannel, SkinnedFormat } from './stages/skinned-channel.ts';
export type { SkinVariant } from './stages/skin-vertices/variant.ts';
export type { BoundResource, ProviderResources } from './stages/provider-resources.ts';
export type {
  CharacterSite,
  ProvidedSurface,
  ProviderSite,
  ProviderUpdate,
  StateRow,
  VertexProvider,
} from './stages/providers.ts';
export type { KernelChoice, SkinChoice } from './stages/kernel-choice.ts';
export type { ProviderBuffer, ProviderResource, ProviderSampler, ProviderTexture } from './stages/providers.ts';
