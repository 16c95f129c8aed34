import type { PoseSharingOptions } from '../crowd/options.ts';
import type { Character } from '../character/character.ts';
import type { StageName } from '../frame/stages.ts';
import type { SkinStage, TypePlace } from '../frame/tables/crowd-types.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';

/** Buffers of one stage by name, as unchanged little-endian words. */
export type CapturedArrays = Readonly<Record<string, Uint32Array<ArrayBuffer>>>;

/** One stage of a frame. */
export interface CapturedStage {
  readonly stage: StageName;
  /**
   * All arrays that the stage binds, by the names of its schema, before it ran. For pages, the part that slots are cut
   * from.
   */
  readonly inputs: CapturedArrays;
  /** Arrays that it may write, after it ran. */
  readonly outputs: CapturedArrays;
}

/** Options of a crowd that affect stages. */
export interface CapturedOptions {
  readonly characters: readonly Character[];
  /** By character: the stage that skins it. */
  readonly skin: readonly SkinStage[];
  readonly capacity: number;
  readonly maxClips: number | undefined;
  readonly maxModifiers: number | undefined;
  readonly maxEvents: number | undefined;
  readonly rootMotion: 'apply' | 'report' | undefined;
  readonly maxVertexBytes: number | undefined;
  readonly copies: number | undefined;
  readonly maxPoses: number | undefined;
  readonly lodTolerancePx: number | undefined;
  /** Rules for sharing poses of far characters. */
  readonly poseSharing: Required<PoseSharingOptions> | undefined;
}

/** CPU-side values of the frame, in addition to buffers. */
export interface FrameNumbers {
  /** Number of column rows in use. */
  readonly characterCount: number;
  /** Number of characters with commands. */
  readonly runCount: number;
  /** Number of attachments that have been used, and their capacity. */
  readonly socketCount: number;
  readonly socketCapacity: number;
  readonly hasGrants: boolean;
  readonly hasMoves: boolean;
  readonly hasFollowers: boolean;
  /** True if the frame has views. */
  readonly isSeen: boolean;
  /** By page: vertices that slots are cut from. */
  readonly pageRows: readonly number[];
}

/** Rows of a provider, and whether it has an update. */
export interface CapturedProvider {
  readonly rowCount: number;
  readonly characterRowCount: number;
  readonly stateRowCount: number;
  readonly updates: boolean;
}

/** Stages of one frame with all arrays that they read and wrote: see `captureFrame`, `writeCapture`, `replayStage`. */
export interface FrameCapture {
  readonly backend: 'gpu' | 'cpu';
  /** The adapter's own description; '' on the CPU. */
  readonly adapter: string;
  readonly frame: number;
  /** Includes the tables of its characters. After `readCapture`, materials and images are missing. */
  readonly options: CapturedOptions;
  /** By character: its position in the crowd's tables. */
  readonly places: readonly TypePlace[];
  /** Names of vertex providers; their code and resources are not in a capture. */
  readonly providers: readonly string[];
  /** Memory sizes of each provider. */
  readonly providerSizes: readonly CapturedProvider[];
  /** The choice among equivalent kernels, also for the CPU backend. */
  readonly kernels: KernelChoice;
  readonly numbers: FrameNumbers;
  /** In the order of the frame. Contains only requested stages that ran. */
  readonly stages: readonly CapturedStage[];
}
