import type { Dispatch } from '../stages/kernel.ts';
import type { FrameInputs } from './backend.ts';
import type { FrameViews, Moment, StageName } from './frame.ts';

/** A stage about to run, or that has just run: what backends tell a recorder. */
export interface RecordedMoment {
  readonly stage: StageName;
  readonly moment: Moment;
  readonly inputs: FrameInputs;
}

/** Looks on while a frame runs: takes copies, changes nothing. */
export interface FrameRecorder {
  /** `encoder` is between passes; copies that are recorded into it see what the stage sees. */
  kernels(
    at: RecordedMoment,
    gpu: { readonly device: GPUDevice; readonly encoder: GPUCommandEncoder; readonly dispatches: readonly Dispatch[] },
  ): void;
  twins(at: RecordedMoment, views: FrameViews): void;
}
