import { gatherMotions, type GatherMotionsViews } from '../stages/gather-motions/reference.ts';
import { encodeDispatch, type Dispatch } from '../stages/kernel.ts';
import { poseJoints, type PoseJointsViews } from '../stages/pose-joints/reference.ts';
import { skinVertices, type SkinVerticesViews } from '../stages/skin-vertices/reference.ts';
import { turnSlots, type TurnSlotsViews } from '../stages/turn-slots/reference.ts';
import type { Timings } from './timings.ts';

/** The order of the frame. Every list of stages in Maniple follows it. */
export const STAGES = ['turn-slots', 'gather-motions', 'pose-joints', 'skin-vertices'] as const;

export type StageName = (typeof STAGES)[number];

/** What each stage dispatches for one page. */
export type PageDispatches = Readonly<Record<StageName, readonly Dispatch[]>>;

/** Records the frame: one pass per stage, in it one dispatch per page and kernel variant. */
export function encodeFrame(encoder: GPUCommandEncoder, pages: readonly PageDispatches[], timings?: Timings): void {
  for (const stage of STAGES) {
    const pass = encoder.beginComputePass({ label: stage, ...timings?.writes(stage) });
    for (const page of pages) for (const dispatch of page[stage]) encodeDispatch(pass, dispatch);
    pass.end();
  }
}

/** The same frame on the twins, for one page. */
export function runFrame(
  views: TurnSlotsViews & GatherMotionsViews & PoseJointsViews & SkinVerticesViews,
  timed: (stage: StageName, run: () => void) => void = (_, run) => run(),
): void {
  timed('turn-slots', () => turnSlots(views));
  timed('gather-motions', () => gatherMotions(views));
  timed('pose-joints', () => poseJoints(views));
  timed('skin-vertices', () => skinVertices(views));
}
