import type { AnimatorPlan } from '../../controller/eval/regions.ts';
import type { KernelChoice } from '../../stages/kernel-choice.ts';
import type { ControllerTraits } from '../../stages/step-controllers/traits.ts';
import type { ResourceSource } from '../../stages/provider-resources.ts';
import type { VertexProvider } from '../../stages/providers.ts';
import type { SkinnedChannel } from '../../stages/skinned-channel.ts';
import type { Kinds } from '../../stages/cull-characters/layout.ts';
import type { SlotClasses } from './cull-tables.ts';
import type { CrowdTables } from './crowd-types.ts';

/** Conditions for sharing poses. */
export interface SharingRules {
  /** Pixels across below which a character may share poses. */
  readonly below: number;
  /** Number of shared poses per clip. */
  readonly phases: number;
  /** Minimum share of the heaviest clip in a character's total weight. */
  readonly weight: number;
}

/** Poses that far characters share. Their rows follow the character rows in the crowd's columns. */
export interface SharingPlan extends SharingRules {
  /** Index of each type's first shared pose. Poses are ordered clip by clip. */
  readonly firstOf: readonly number[];
  /** Number of shared poses of each type. */
  readonly countOf: readonly number[];
  /** Number of shared poses of all types. */
  readonly count: number;
}

/** Properties of a crowd that change only when it grows or its character types change. */
export interface CrowdLayout {
  readonly tables: CrowdTables;
  /** Rows of columns: the maximum number of characters, then the shared poses. */
  readonly capacity: number;
  /** Undefined if no poses are shared. */
  readonly sharing: SharingPlan | undefined;
  /** Maximum clips that play on one character at once. */
  readonly playerCapacity: number;
  /** Maximum records of one motion list. */
  readonly motionCapacity: number;
  /** Maximum modifiers of one character. */
  readonly modifierCapacity: number;
  readonly animators: AnimatorPlan;
  /** Features that controllers use; undefined if no type has a controller. */
  readonly controllers: ControllerTraits | undefined;
  /** Maximum events of one frame. */
  readonly eventCapacity: number;
  readonly kernels: KernelChoice;
  /** Vertex providers. They apply to meshes that name them. */
  readonly providers: readonly VertexProvider[];
  /** Resources that the application has bound for them. */
  readonly resources: ResourceSource;
  /** An additional word per skinned vertex. */
  readonly skinnedChannel?: SkinnedChannel | undefined;
  /** Maximum rows of all slots. */
  readonly rowBudget: number;
  readonly classes: SlotClasses;
  /** Types, levels and size classes as cull-characters reads them. */
  readonly kinds: Kinds;
  /** Maximum characters that are posed in one frame. */
  readonly poseLimit: number;
}
