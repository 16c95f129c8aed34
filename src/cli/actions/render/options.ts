import type { Camera } from '../../../render/camera.ts';
import type { Output, Shard } from '../../options.ts';

/** `maniple render`, as its command line says. */
export interface RenderOptions {
  readonly count?: number;
  readonly out?: string;
  readonly frames: number;
  readonly fps: number;
  readonly shard?: Shard;
  readonly video?: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly camera?: Camera;
  /** Degrees. */
  readonly orbit?: number;
  readonly output: Output;
  readonly renderer: 'visibility' | 'forward';
  /** Samples per pixel of the visibility renderer. */
  readonly samples?: number;
  readonly backend: 'gpu' | 'cpu';
  readonly seed: number;
  readonly errorBudget?: number;
  readonly clip?: readonly string[];
  readonly controller?: string;
  /** File of a map of other files. */
  readonly clips?: string;
  readonly lods?: number;
  readonly json?: boolean;
}
