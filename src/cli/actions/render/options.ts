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
  readonly clip?: readonly string[];
  readonly controller?: string;
  readonly lods?: number;
  readonly json?: boolean;
}

/**
 * Debug views are the forward renderer's. Pictures are the same with either, four samples to a pixel. Software adapters take four
 * times as long for four pictures, and about as long as for one with the forward renderer, which shades a pixel's samples once.
 */
export function rendererOn(
  isSoftware: boolean,
  { renderer, output, samples }: Pick<RenderOptions, 'renderer' | 'output' | 'samples'>,
): 'visibility' | 'forward' {
  if (output !== 'color') return 'forward';
  return renderer ?? (isSoftware && samples === undefined ? 'forward' : 'visibility');
}

/** Returns true if the picture is drawn on twins as well, without a GPU. The forward renderer has no twins. */
export function drawsOnTwins(options: Pick<RenderOptions, 'backend' | 'renderer' | 'output'>): boolean {
  return options.backend === 'cpu' && rendererOn(false, options) === 'visibility';
}

/** Twins take some 0.1 ms a pixel. */
export function sizeOf(options: Pick<RenderOptions, 'size' | 'backend' | 'renderer' | 'output'>): PictureSize {
  return options.size ?? (drawsOnTwins(options) ? { width: 320, height: 180 } : { width: 1280, height: 720 });
}
