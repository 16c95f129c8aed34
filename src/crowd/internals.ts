import { refuseArgument } from './arguments.ts';
import type { Attachments, AttachOptions } from './attachments.ts';
import type { Crowd } from './crowd.ts';
import type { CrowdState } from './crowd-state.ts';
import type { CrowdOptions } from './options.ts';
import type { Readings } from './readings.ts';

/** Parts of a crowd that other folders work on. No entry exports them. */
export interface CrowdInternals {
  readonly host: CrowdState;
  readonly readings: Readings;
  /** The device that the crowd was created with. */
  readonly device: GPUDevice | undefined;
  /** Options that would create the crowd as it is now. */
  readonly options: () => CrowdOptions;
  /** Changes how many copies slots have. Motions are as in `grow`. @throws ManipleError CROWD_FRAME_OPEN, DEVICE_LIMIT */
  readonly setCopies: (copies: 1 | 2 | 3) => void;
  /** Attaches one thing to each of the rows; below 0: no character. */
  readonly attach: (rows: readonly number[], socket: string | number, options: AttachOptions) => Attachments;
}

const handles = new WeakMap<Crowd, CrowdInternals>();

/** Called once, by the constructor of `Crowd`. */
export function setInternals(crowd: Crowd, internals: CrowdInternals): void {
  handles.set(crowd, internals);
}

export function internalsOf(crowd: Crowd): CrowdInternals {
  return handles.get(crowd)!;
}

export function isCrowd(value: unknown): boolean {
  return handles.has(value as Crowd);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectCrowd(value: unknown): void {
  if (!isCrowd(value))
    refuseArgument('crowd', value, 'a crowd, as createCrowd makes them; of a ManipleCrowd its `core`');
}
