import { gatherMotions, type GatherMotionsViews } from '../stages/gather-motions/reference.ts';
import { encodeDispatch, type Dispatch } from '../stages/kernel.ts';
import { poseJoints, type PoseJointsViews } from '../stages/pose-joints/reference.ts';
import { skinVertices, type SkinVerticesViews } from '../stages/skin-vertices/reference.ts';
import { stepControllers, type StepControllersViews } from '../stages/step-controllers/reference.ts';
import { turnSlots, type TurnSlotsViews } from '../stages/turn-slots/reference.ts';
import type { Timings } from './timings.ts';

/** The order of the frame. Every list of stages in Maniple follows it. */
export const STAGES = ['step-controllers', 'turn-slots', 'gather-motions', 'pose-joints', 'skin-vertices'] as const;

export type StageName = (typeof STAGES)[number];

/** Stages that run once for the whole crowd; the others run page by page. */
export type CrowdStageName = 'step-controllers';
export type PageStageName = Exclude<StageName, CrowdStageName>;

/** What each stage dispatches for one page. */
export type PageDispatches = Readonly<Record<PageStageName, readonly Dispatch[]>>;
/** What each stage of the crowd dispatches. */
export type CrowdDispatches = Readonly<Record<CrowdStageName, readonly Dispatch[]>>;

/** The stages that a crowd runs: without controllers there is none to step. */
export function stagesOf(hasControllers: boolean): readonly StageName[] {
  return STAGES.filter((stage) => hasControllers || stage !== 'step-controllers');
}

/** Records the frame: one pass per stage, in it one dispatch per page and kernel variant. `crowd`: none without controllers. */
export function encodeFrame(
  encoder: GPUCommandEncoder,
  crowd: CrowdDispatches | undefined,
  pages: readonly PageDispatches[],
  timings?: Timings,
): void {
  for (const stage of stagesOf(crowd !== undefined)) {
    const pass = encoder.beginComputePass({ label: stage, ...timings?.writes(stage) });
    const dispatches = stage === 'step-controllers' ? crowd![stage] : pages.flatMap((page) => page[stage]);
    for (const dispatch of dispatches) encodeDispatch(pass, dispatch);
    pass.end();
  }
}

type Timed = (stage: StageName, run: () => void) => void;
const untimed: Timed = (_, run) => run();

/** The crowd's own part of the same frame on the twins. */
export function runCrowdStages(views: StepControllersViews, timed: Timed = untimed): void {
  timed('step-controllers', () => stepControllers(views));
}

/** The rest of it, for one page. */
export function runPageStages(
  views: TurnSlotsViews & GatherMotionsViews & PoseJointsViews & SkinVerticesViews,
  timed: Timed = untimed,
): void {
  timed('turn-slots', () => turnSlots(views));
  timed('gather-motions', () => gatherMotions(views));
  timed('pose-joints', () => poseJoints(views));
  timed('skin-vertices', () => skinVertices(views));
}
