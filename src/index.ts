// The API for pages that play baked characters. It includes no importer and nothing of Node's. Most modules are loaded
// with the device, and this file imports only their types.
export type { Character } from './character/character.ts';
export type { ClipArrivals } from './character/clip-arrivals.ts';
export type { FileSource } from './character/fetch-bytes.ts';
export { loadCharacter, type LoadOptions } from './character/load-character.ts';
export { addSockets } from './character/sockets.ts';
export { withController } from './character/bind-controller.ts';
export type { ControllerState, LayerState } from './crowd/readings.ts';
export type { CrossFadeOptions, PlayStateOptions } from './crowd/rows/controller-inputs.ts';
export type { SocketReading } from './crowd/readings.ts';
export type { CharacterColumn, ColumnOptions, GroupColumn } from './crowd/character-column.ts';
export type { Attachment, Attachments, AttachOptions, SocketOffset } from './crowd/attachments.ts';
export type { LookAtOptions } from './crowd/rows/modifiers.ts';
export { createCrowd } from './crowd/create-crowd.ts';
export type { Crowd } from './crowd/crowd.ts';
export type { CharacterEvent, CrowdListeners } from './crowd/rows/events.ts';
export type { CrowdView, EncodedFrame, FrameOptions, Submission } from './crowd/frame-options.ts';
export type { CharacterGroup } from './crowd/group.ts';
export type { CharacterId } from './crowd/rows/ids.ts';
export { requestDevice } from './crowd/request-device.ts';
export type { BudgetStats, CrowdStats } from './crowd/readings.ts';
export type { JointModifier } from './crowd/rows/modifiers.ts';
export type { CrowdBudget, CrowdOptions, CrowdTier, PoseSharingOptions, SkinStage } from './crowd/options.ts';
export { NOT_ATTACHED } from './crowd/not-attached.ts';
export type { ParameterColumn } from './crowd/group.ts';
export type { Ground } from './crowd/ground.ts';
export type { Origin, TransformCallback, CharacterTransform } from './crowd/placement.ts';
export type { PlayedClip, PlayOptions } from './crowd/rows/players.ts';
export type { CharacterPose, Reading, VertexReading } from './crowd/readings.ts';
export type { TuningCache } from './crowd/tuning/skin-records.ts';
export type { Tint } from './crowd/tint.ts';
export type { EulerLike, QuaternionLike, VectorLike } from './crowd/vectors.ts';
export type { SkinTuning } from './crowd/tuning/measure-skins.ts';
export { type TuneOptions, tuneSkinning } from './crowd/tuning/tune-skinning.ts';
export type { AdapterDescription, DeviceKind } from './device/adapter-kind.ts';
export type { DeviceTier } from './device/tier.ts';
export { checkLimits, type DeviceOptions, type RequestedDevice } from './device/request-device.ts';
export { formatIssue, type Issue, ISSUE_CODES, type IssueCode, issuesOf, ManipleError } from './errors.ts';
export { checkProviders } from './stages/check-providers.ts';
export type { SkinnedChannel } from './stages/skinned-channel.ts';
export type { BoundResource, ProviderResources } from './stages/provider-resources.ts';
export type {
  CharacterSite,
  ProvidedSurface,
  ProviderSite,
  ProviderUpdate,
  VertexProvider,
} from './stages/providers.ts';
export type { KernelChoice } from './stages/kernel-choice.ts';
export type { ProviderResource } from './stages/providers.ts';
