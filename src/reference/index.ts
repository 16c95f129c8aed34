// The twin of every stage, their readers and records, and the float64 evaluator that checks them.
// For tests and debugging: plain loops that work on the same bytes as the kernels.
export { type ClipMotion, resolveMotion, RigTable, sampleLane } from '../character/format/clip-format.ts';
export {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  evaluateVertices,
  type LocalPose,
  POSE_STRIDE,
  restPose,
} from '../character/evaluate.ts';
export { AnimatorHead, AnimatorRegions, MachineState } from '../controller/eval/layout.ts';
export { AnimatorMemory } from '../controller/eval/memory.ts';
export { planAnimators } from '../controller/eval/regions.ts';
export { treeWeights } from '../controller/eval/tree-weights.ts';
export { openBatch, openVertices } from '../vertex/vertex-channels.ts';
export { View } from '../layout/index.ts';
export { type ChannelTable, loadIndex, VertexLoader } from '../vertex/vertex-loader.ts';
export { type TriangleWeights, weightsAt } from '../render/visibility/barycentrics.ts';
export { createKinds, type Kinds } from '../stages/cull-characters/kinds.ts';
export { BinRecord, CullParams, Decision, SlotClass } from '../stages/cull-characters/layout.ts';
export { placeDraws, placeRanges, type PlaceRangesViews } from '../stages/cull-characters/place-ranges.ts';
export { cullCharacters, type CullViews, type PlayedViews } from '../stages/cull-characters/reference.ts';
export { countBatches, type CountArrays } from '../render/visibility/filter-triangles/count-reference.ts';
export {
  type InstanceInputs,
  type PlacedInstance,
  placeInstance,
} from '../render/visibility/filter-triangles/instance-reference.ts';
export { type FilterView, nearestMiddle, nearestMiddleIn } from '../render/visibility/filter-triangles/reference.ts';
export { Modifier, Player } from '../stages/gather-motions/layout.ts';
export { listMotions } from '../stages/gather-motions/list-reference.ts';
export { gatherMotions, type GatherMotionsViews } from '../stages/gather-motions/reference.ts';
export { GroundParams } from '../stages/ground-characters/layout.ts';
export { groundCharacters, type GroundCharactersViews } from '../stages/ground-characters/reference.ts';
export { keepPalettes, type KeepPalettesViews } from '../stages/keep-palettes/reference.ts';
export { FrameParams, Motion, Resident, SlotState, Transform, VisibleCharacter } from '../stages/layout.ts';
export { readMotion } from '../stages/motion-record.ts';
export { Attachment, PreviousLocal, SocketJoint } from '../stages/place-sockets/layout.ts';
export { placeSockets, type PlaceSocketsViews } from '../stages/place-sockets/reference.ts';
export { poseJoints, type PoseJointsViews } from '../stages/pose-joints/reference.ts';
export { isHole, type MaskedMaterial } from '../render/visibility/raster-triangles/masks-reference.ts';
export {
  type GridView,
  type RasterSetup,
  rasterSetup,
  setUpPlaced,
  setUpTriangle,
} from '../render/visibility/raster-triangles/reference.ts';
export { AskedJoint, JointAnswer } from '../stages/read-joints/layout.ts';
export { readJoints, type ReadJointsViews } from '../stages/read-joints/reference.ts';
export {
  type SeenTriangle,
  type ShadedLook,
  type ShadedPixel,
  type ShadedPoint,
  shadePixel,
} from '../render/visibility/shade-pixels/reference.ts';
export { shiftTransforms } from '../stages/shift-transforms/reference.ts';
export { skinVertices, type SkinVerticesViews } from '../stages/skin-vertices/reference.ts';
export { StepParams } from '../stages/step-controllers/layout.ts';
export { stepControllers, type StepControllersViews } from '../stages/step-controllers/reference.ts';
export { pixelsFromWorld, ShownVertices, type StaticAttributes } from '../render/visibility/shown-triangle.ts';
export {
  type FoundTriangle,
  type Point,
  type ShownTriangle,
  type TriangleArrays,
  TriangleReader,
} from '../render/visibility/triangle-reference.ts';
export { updateCharacters } from '../stages/update-characters/reference.ts';
