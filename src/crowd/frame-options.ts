import { fail } from '../errors.ts';
import { refuseArgument } from './arguments.ts';
import type { CrowdView } from '../frame/tables/crowd-view.ts';
import type { FrameRecorder } from '../frame/backend.ts';
import type { Origin } from './placement.ts';

export type { FrameStats } from '../frame/backend.ts';
export type { CrowdView } from '../frame/tables/crowd-view.ts';

/** How a frame runs. */
export interface FrameOptions {
  /** Seconds that pass: 0 or more. */
  readonly dt: number;
  /**
   * Up to 32 cameras and shadow cascades. Characters outside all of them are stepped, but not posed and not skinned. Default: every character is shown, at the finest level of detail, in every frame. An empty list is `seen: false`.
   */
  readonly views?: readonly CrowdView[];
  /** False: a frame without views. State machines, ground and sockets run, but no poses and skins. Default true. */
  readonly seen?: boolean;
  /** @internal See `captureFrame`. */
  readonly recorder?: FrameRecorder;
}

/** A frame that has been recorded but not submitted. */
export interface EncodedFrame {
  /** Its number: frames count from 1. */
  readonly frame: number;
  /** The crowd's origin in this frame: all that it draws, and the cameras that see it, count from there. */
  readonly origin: Origin;
  /**
   * `socketMatrices` and `previousSocketMatrices` of this frame; undefined once the frame cannot be drawn any more: when the next
   * one is encoded, or with `copies: 3` the one after that.
   */
  readonly socketMatrices: GPUBuffer | undefined;
  readonly previousSocketMatrices: GPUBuffer | undefined;
  /**
   * Call this once the encoder's commands are submitted: only then can uploads and read-backs be mapped. Resolves when
   * the frame has run; rejects with DEVICE_LOST.
   */
  submitted(): Promise<void>;
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
