import type { Character } from '../asset/character.ts';
import type { StageName } from '../frame/frame.ts';
import type { SharingRules } from '../frame/shape.ts';
import type { SkinStage, TypePlace } from '../frame/types.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';

/** Buffers of one stage by name, little-endian words as they stood. */
export type CapturedArrays = Readonly<Record<string, Uint32Array<ArrayBuffer>>>;

/** One stage of a frame. */
export interface CapturedStage {
  readonly stage: StageName;
  /** All that the stage binds, by the names of its schema, before it ran; of pages the part that slots are cut from. */
  readonly inputs: CapturedArrays;
  /** What it may write, behind it. */
  readonly outputs: CapturedArrays;
}

/** What of a crowd's options stages depend on. */
export interface CapturedOptions {
  readonly characters: readonly Character[];
  /** By character: where it is skinned. */
  readonly skin: readonly SkinStage[];
  readonly capacity: number;
  readonly motions: number | undefined;
  readonly modifiers: number | undefined;
  readonly events: number | undefined;
  readonly rootMotion: 'apply' | 'report' | undefined;
  readonly vertexMemory: number | undefined;
  readonly copies: number | undefined;
  readonly poses: number | undefined;
  readonly levelTolerance: number | undefined;
  /** When far characters share poses. */
  readonly sharing: SharingRules | undefined;
}

/** What the host said of the frame beside buffers. */
export interface FrameNumbers {
  /** Rows of the columns that are in use. */
  readonly characterCount: number;
  /** Characters that have commands. */
  readonly runCount: number;
  /** Attachments that have been used, and room for them. */
  readonly socketCount: number;
  readonly socketCapacity: number;
  readonly hasGrants: boolean;
  readonly hasMoves: boolean;
  readonly hasFollowers: boolean;
  /** Somebody looked at it. */
  readonly isSeen: boolean;
  /** By page: vertices that slots are cut from. */
  readonly pageVertices: readonly number[];
}

/** Rows of a provider, and whether it has an update. */
export interface CapturedProvider {
  readonly rowCount: number;
  readonly characterRowCount: number;
  readonly stateRowCount: number;
  readonly updates: boolean;
}

/** Stages of one frame with all that they read and wrote: see `captureFrame`, `writeCapture`, `replayStage`. */
export interface FrameCapture {
  readonly backend: 'gpu' | 'cpu';
  /** Which adapter ran it, in its own words; '' on the CPU. */
  readonly adapter: string;
  readonly frame: number;
  /** Of its characters the tables are kept: after `readCapture` materials and images are gone. */
  readonly options: CapturedOptions;
  /** By character: where the crowd's tables have it. */
  readonly places: readonly TypePlace[];
  /** Names of vertex providers; their code and resources are not in a capture. */
  readonly providers: readonly string[];
  /** What each of them takes of memory. */
  readonly providerSizes: readonly CapturedProvider[];
  /** Which of equivalent kernels ran, or would have. */
  readonly kernels: KernelChoice;
  readonly numbers: FrameNumbers;
  /** In the order of the frame; only those that ran and were asked for. */
  readonly stages: readonly CapturedStage[];
}
