export { LodMeter, MARGIN } from './measure-lods.ts';
export type { SamplePose } from './sample-poses.ts';
export { joinedTriangles, poseSpace } from './surface.ts';
