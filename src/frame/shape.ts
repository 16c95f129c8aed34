import type { AnimatorPlan } from '../animator/regions.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';
import type { ControllerTraits } from '../stages/step-controllers/traits.ts';
import type { ResourceSource } from '../stages/provider-resources.ts';
import type { VertexProvider } from '../stages/providers.ts';
import type { SkinnedChannel } from '../stages/skinned-channel.ts';
import type { Kinds } from '../stages/cull-characters/kinds.ts';
import type { SlotClasses } from './cull-tables.ts';
import type { CrowdTables } from './types.ts';

/** When characters share poses. */
export interface SharingRules {
  /** Pixels across below which a character may. */
  readonly below: number;
  /** Shared poses of one clip. */
  readonly phases: number;
  /** Share of all that it shows that its heaviest clip must have. */
  readonly weight: number;
}

/** Poses that far characters share: rows of the crowd's columns behind those of characters. */
export interface SharingPlan extends SharingRules {
  /** Of each type: its first among them, and how many there are, clip by clip. */
  readonly firstOf: readonly number[];
  readonly countOf: readonly number[];
  /** Of all types. */
  readonly count: number;
}

/** What stays while a crowd neither grows nor takes other characters. */
export interface CrowdShape {
  readonly tables: CrowdTables;
  /** Rows of columns: characters that can live, and shared poses behind them. */
  readonly capacity: number;
  /** Undefined: far characters share no poses. */
  readonly sharing: SharingPlan | undefined;
  /** Clips that can play on one character at once. */
  readonly playerCapacity: number;
  /** Records of one motion list. */
  readonly motionCapacity: number;
  /** Modifiers of one character. */
  readonly modifierCapacity: number;
  readonly animators: AnimatorPlan;
  /** What controllers can do; undefined when no type has one. */
  readonly controllers: ControllerTraits | undefined;
  /** Events that fit into one frame. */
  readonly eventCapacity: number;
  readonly kernels: KernelChoice;
  /** What vertices go through whose meshes name it. */
  readonly providers: readonly VertexProvider[];
  /** What the application has bound for them. */
  readonly resources: ResourceSource;
  /** What is written with every skinned vertex besides. */
  readonly skinnedChannel?: SkinnedChannel | undefined;
  /** Vertices that slots may take. */
  readonly vertexBudget: number;
  readonly classes: SlotClasses;
  /** Types, levels and size classes as cull-characters reads them. */
  readonly kinds: Kinds;
  /** The most characters that are posed in one frame. */
  readonly poseLimit: number;
}
