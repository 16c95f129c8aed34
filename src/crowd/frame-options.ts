import { fail } from '../errors.ts';
import { type Names, refuseArgument } from './arguments.ts';
import type { CrowdView } from '../frame/tables/crowd-view.ts';
import type { Submission } from '../device/submissions.ts';
import type { FrameRecorder } from '../frame/backend.ts';
import type { Origin } from './placement.ts';

export type { Submission };
export type { CrowdView } from '../frame/tables/crowd-view.ts';

/** How a frame runs. */
export interface FrameOptions {
  /** Seconds that pass: 0 or more. */
  readonly dt: number;
  /**
   * Up to 32 cameras and shadow cascades. Characters outside all of them are stepped, but not posed and not skinned. Default: every character is shown, at the finest level of detail, in every frame. An empty list is a frame without views: state machines, ground and sockets run, but no poses and skins.
   */
  readonly views?: readonly CrowdView[];
  /** @internal See `captureFrame`. */
  readonly recorder?: FrameRecorder;
}

export const FRAME_OPTIONS: Names<FrameOptions> = { dt: true, views: true, recorder: true };

/** A frame that has been recorded but not submitted. */
export interface EncodedFrame extends Submission {
  /** Its number: frames count from 1. */
  readonly frame: number;
  /** The crowd's origin in this frame: all that it draws, and the cameras that see it, count from there. */
  readonly origin: Origin;
  /** Views of the frame that it shows: its own, or of the last frame that had some. Empty: all characters are shown. */
  readonly views: readonly CrowdView[];
  /**
   * `socketMatrices` and `previousSocketMatrices` of this frame; undefined once the frame cannot be drawn any more: when the next
   * one is encoded, or with `copies: 3` the one after that.
   */
  readonly socketMatrices: GPUBuffer | undefined;
  readonly previousSocketMatrices: GPUBuffer | undefined;
}

/**
 * Seconds that pass in a frame.
 * @param timeScale How fast time goes.
 * @throws ManipleError CROWD_BAD_ARGUMENT
 */
export function frameSeconds(dt: number | undefined, timeScale: number): number {
  if (dt === undefined) {
    const suggestion = 'Call update({ dt }) with the time since the last frame; dt: 0 lets no time pass.';
    fail('CROWD_BAD_ARGUMENT', 'dt', 'Got no seconds, so nothing would move.', suggestion);
  }
  if (!(typeof dt === 'number' && dt >= 0 && dt < 2 ** 31)) refuseArgument('dt', dt, '0 or more, below 2³¹ seconds');
  const seconds = dt * timeScale;
  if (seconds < 2 ** 31) return seconds;
  const message = `Got ${dt} seconds, ${timeScale} times as fast.`;
  return fail('CROWD_BAD_ARGUMENT', 'dt', message, 'Use 0 or more, below 2³¹ seconds.');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectTimeScale(scale: number): void {
  if (!(typeof scale === 'number' && scale >= 0 && scale <= 1e6)) refuseArgument('timeScale', scale, '0 to 1e6');
}
