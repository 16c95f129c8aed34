import type { CharacterModel } from '../character/model.ts';
import type { DeviceKind } from '../device/adapter-kind.ts';
import type { FramePace, Heat } from './frames.ts';
import type { Sampled } from './report.ts';

/** The legionary and the raider. */
export type Soldiers<T> = readonly [legionary: T, raider: T];

/** Device and sources of scenes. */
export interface BenchContext {
  readonly device: GPUDevice;
  readonly kind: DeviceKind;
  /** Work before each frame; undefined on software adapters. */
  readonly heat: Heat | undefined;
  /** Reads both models. */
  readonly models: () => Promise<Soldiers<CharacterModel>>;
  /** Makes a thing in the first round that needs it, and returns the same one in later rounds. */
  readonly once: <T>(name: string, make: () => T | Promise<T>) => Promise<T>;
  /** Reports progress. */
  readonly say: (text: string) => void;
}

/** One measurement of a scene. */
export interface BenchRun extends BenchContext {
  readonly scene: string;
  readonly count: number;
  readonly pace: FramePace;
  readonly samples: { add(sampled: Sampled): void };
}

/** A scene, or a comparison with a baseline. */
export interface BenchScene {
  /** One line for the documents. */
  readonly about: string;
  /** Numbers of characters, the smallest first. */
  readonly counts: { readonly hardware: readonly number[]; readonly software: readonly number[] };
  /** Creates everything, measures, and destroys everything. @throws LeavesOut */
  readonly run: (run: BenchRun) => Promise<void>;
}

/** Thrown where a scene cannot run here; the message is the reason. */
export class LeavesOut extends Error {}

export const DT = 1 / 60;

/** Pictures of scenes. */
export function pictureSize({ kind }: Pick<BenchContext, 'kind'>): { readonly width: number; readonly height: number } {
  return kind === 'hardware' ? { width: 1920, height: 1080 } : { width: 320, height: 180 };
}

/** Bytes of vertices that a crowd may keep: what one of these scenes needs at most. */
export const VERTEX_LIMIT = 2 ** 33;
