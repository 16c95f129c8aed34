import { poseJoints, type PoseJointsViews } from '../../stages/pose-joints/reference.ts';
import { poseInGroups, prepareSimd } from '../../stages/pose-joints/simd/poses.ts';

/** To be awaited before the first frame. */
export const preparePoses: () => Promise<void> = prepareSimd;

/** Poses a frame on the CPU: by the kernel in WebAssembly, or by the twin where WebAssembly is missing. */
export function poseOnCpu(views: PoseJointsViews): void {
  if (!poseInGroups(views)) poseJoints(views);
}
