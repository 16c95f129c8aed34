import { encodeDispatch, type Dispatch } from '../stages/kernel.ts';
import type { Timings } from './timings.ts';

/** The order of the frame. Every list of stages in Maniple follows it. */
export const STAGES = [
  'step-controllers',
  'ground-characters',
  'cull-characters',
  'gather-motions',
  'pose-joints',
  'place-sockets',
  'update-characters',
  'keep-palettes',
  'skin-vertices',
] as const;

export type StageName = (typeof STAGES)[number];

/** Dispatches by stage. A stage that is missing has nothing to do. */
export type FrameDispatches = Readonly<Partial<Record<StageName, readonly Dispatch[]>>>;

/** The stages that a crowd can run. */
export function stagesOf(hasControllers: boolean, hasUpdates: boolean): readonly StageName[] {
  const isMissing = { 'step-controllers': !hasControllers, 'update-characters': !hasUpdates };
  return STAGES.filter((stage) => !isMissing[stage as keyof typeof isMissing]);
}

/** When a recorder is called: before or after a stage runs. */
export type Moment = 'inputs' | 'outputs';

/** Records the frame: one pass per stage. `behind` is called after each stage and may record more. */
export function encodeFrame(
  encoder: GPUCommandEncoder,
  dispatches: FrameDispatches,
  timings?: Timings,
  behind?: (stage: StageName) => void,
  record?: (stage: StageName, dispatches: readonly Dispatch[], moment: Moment) => void,
): void {
  for (const stage of STAGES) {
    const list = dispatches[stage];
    if (!list || list.length === 0) continue;
    record?.(stage, list, 'inputs');
    const pass = encoder.beginComputePass({ label: stage, ...timings?.writes(stage) });
    for (const dispatch of list) encodeDispatch(pass, dispatch);
    pass.end();
    record?.(stage, list, 'outputs');
    behind?.(stage);
  }
}
