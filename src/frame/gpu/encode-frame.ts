import type { Timings } from '../../device/timings.ts';
import { encodeDispatch, type Dispatch } from '../../stages/kernel.ts';
import { type Moment, type StageName, STAGES } from '../stages.ts';

/** Dispatches by stage. A stage that is missing has nothing to do. */
export type FrameDispatches = Readonly<Partial<Record<StageName, readonly Dispatch[]>>>;

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
