import type { Camera } from '../../../render/camera.ts';
import type { FileMapOptions, Output, Shard } from '../../options.ts';

/** Pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** `maniple render`, as its command line says. */
export interface RenderOptions extends FileMapOptions {
  readonly count?: number;
  readonly out?: string;
  readonly frames: number;
  readonly fps: number;
  readonly shard?: Shard;
  /** Draws only frames that are not there yet. */
  readonly resume?: true;
  readonly video?: string;
  readonly size?: PictureSize;
  readonly camera?: Camera;
  /** Degrees. */
  readonly orbit?: number;
  readonly output: Output;
  /** Undefined: the one that is faster on the device. */
  readonly renderer?: 'visibility' | 'forward';
  /** Samples per pixel of the visibility renderer. */
  readonly samples?: number;
  readonly backend: 'gpu' | 'cpu';
  readonly seed: number;
  readonly errorBudget?: number;
  readonly bvhUnit?: number;
  readonly fbxUnit?: number;
  readonly clip?: readonly string[];
  readonly controller?: string;
  readonly lods?: number;
  readonly json?: boolean;
}

/**
 * Debug views are the forward renderer's. Pictures are the same with either, four samples to a pixel. Software adapters take four
 * times as long for four pictures, and about as long as for one with the forward renderer, which shades a pixel's samples once.
 * Devices of the compatibility level have only the forward renderer.
 */
export function rendererOn(
  prefersForward: boolean,
  { renderer, output, samples }: PictureOptions,
): 'visibility' | 'forward' {
  if (output !== 'color') return 'forward';
  return renderer ?? (prefersForward && samples === undefined ? 'forward' : 'visibility');
}

/** Returns true if the picture is drawn on twins as well, without a GPU. The forward renderer has no twins. */
export function drawsOnTwins(options: PictureOptions): boolean {
  return options.backend === 'cpu' && rendererOn(false, options) === 'visibility';
}

/** Twins take some 0.1 ms a pixel. */
export function sizeOf(options: PictureOptions): PictureSize {
  return options.size ?? (drawsOnTwins(options) ? { width: 320, height: 180 } : { width: 1280, height: 720 });
}

/** Options that decide how a picture is drawn. */
export type PictureOptions = Pick<RenderOptions, 'size' | 'output' | 'renderer' | 'samples' | 'backend'>;

/** Options for the times of frames and the positions of the camera. */
export type SequenceOptions = Pick<RenderOptions, 'frames' | 'fps' | 'shard' | 'camera' | 'orbit' | 'output'>;

/** Seconds from the staged moment to a single picture. */
const MOMENT = 1 / 60;

/** Seconds between frames, and how many pass before the first that is drawn. */
export function scheduleOf({ frames, fps, output }: SequenceOptions): { readonly dt: number; readonly early: number } {
  // what a debug view shows of a crowd is what has become of it since the frame before
  return { dt: frames > 1 ? 1 / fps : MOMENT, early: output === 'color' ? 0 : 1 };
}

/**
 * Angles by which the camera has turned in each frame, anticlockwise from above. After a full circle they begin again.
 * One angle where it does not turn.
 */
export function orbitsOf({ orbit = 0, frames }: SequenceOptions): readonly number[] {
  if (orbit === 0) return [0];
  return Array.from({ length: frames }, (_, i) => (orbit * Math.PI * i) / (180 * frames));
}
