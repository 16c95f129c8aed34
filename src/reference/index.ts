// The twin of every stage, the readers and records that they are made of, and the float64 evaluator that judges them.
// For checking and debugging: plain loops that work on the same bytes as the kernels.
export { type ClipMotion, resolveMotion, RigTable, sampleLane } from '../asset/clip-format.ts';
export {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  evaluateVertices,
  type LocalPose,
  POSE_STRIDE,
  restPose,
} from '../asset/evaluate.ts';
export { AnimatorHead, AnimatorRegions, MachineState } from '../animator/layout.ts';
export { AnimatorMemory } from '../animator/memory.ts';
export { planAnimators } from '../animator/regions.ts';
export { treeWeights } from '../animator/tree-weights.ts';
export { openBatch, openVertices } from '../asset/vertex-channels.ts';
export { View } from '../layout/index.ts';
export { type ChannelTable, loadIndex, VertexLoader } from '../shaders/vertex-loader.ts';
export { createKinds, type Kinds } from '../stages/cull-characters/kinds.ts';
export { BinRecord, CullParams, Decision, SlotClass } from '../stages/cull-characters/layout.ts';
export { cullCharacters, type CullViews, type PlayedViews } from '../stages/cull-characters/reference.ts';
export { Modifier, Player } from '../stages/gather-motions/layout.ts';
export { gatherMotions, type GatherMotionsViews } from '../stages/gather-motions/reference.ts';
export { GroundParams } from '../stages/ground-characters/layout.ts';
export { groundCharacters, type GroundCharactersViews } from '../stages/ground-characters/reference.ts';
export { FrameParams, Motion, Resident, SlotState, Transform, VisibleCharacter } from '../stages/layout.ts';
export { readMotion } from '../stages/motion-record.ts';
export { Attachment, PreviousLocal, SocketJoint } from '../stages/place-sockets/layout.ts';
export { placeSockets, type PlaceSocketsViews } from '../stages/place-sockets/reference.ts';
export { poseJoints, type PoseJointsViews } from '../stages/pose-joints/reference.ts';
export { AskedJoint, JointAnswer } from '../stages/read-joints/layout.ts';
export { readJoints, type ReadJointsViews } from '../stages/read-joints/reference.ts';
export { shiftTransforms } from '../stages/shift-transforms/reference.ts';
export { skinVertices, type SkinVerticesViews } from '../stages/skin-vertices/reference.ts';
export { StepParams } from '../stages/step-controllers/layout.ts';
export { stepControllers, type StepControllersViews } from '../stages/step-controllers/reference.ts';
