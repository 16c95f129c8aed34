import { poseJoints, type PoseJointsViews } from '../../stages/pose-joints/reference.ts';
import { poseInGroups, prepareSimd } from '../../stages/pose-joints/simd/poses.ts';

/** To be awaited before the first frame. */
export const preparePoses: () => Promise<void> = prepareSimd;

/** What the CPU backend runs in a frame: the kernel in WebAssembly, or the twin where there is none. */
export function poseOnCpu(views: PoseJointsViews): void {
  if (!poseInGroups(views)) poseJoints(views);
}
