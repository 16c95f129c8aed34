import type { Issue } from '../../errors.ts';

/**
 * An animator controller as people and tools write it: the JSON form (docs/controllers.md), the argument of
 * `controller()`, and what importers return are all this. Everything but names and states is optional; defaults stand
 * beside each field. `compileController` turns it into the tables that kernels and twins read.
 *
 * `P` is the union of parameter names: in code the compiler checks every use of one.
 */
export interface ControllerModel<P extends string = string> {
  readonly format: typeof CONTROLLER_FORMAT;
  readonly version: typeof CONTROLLER_VERSION;
  readonly name: string;
  readonly parameters: Readonly<Record<P, ParameterModel>>;
  /** Bottom-up; the first always has weight 1 and needs a machine of its own. */
  readonly layers: readonly LayerModel<P>[];
  /** What is known of clips beside their keys, by reference. It wins over what a character's clips say. */
  readonly clips?: Readonly<Record<string, ClipFacts>>;
  /** Who may use a trigger in one update: each machine once, or only the first that does. Default 'each'. */
  readonly triggerScope?: 'each' | 'first';
  /** Exit times hold whenever the clock stands at or behind them, not only when it crosses them. Default false. */
  readonly latchedExit?: boolean;
  /**
   * Clips of a blend tree that fire an event of one name: 'all' with weight, or only the 'heaviest' of those that loop alike
   * and go the same way. A step between walking and running is then reported once. Default 'all'.
   */
  readonly blendedEvents?: 'all' | 'heaviest';
  /** What an importer had to leave out or change. Not part of the JSON form. */
  readonly issues?: readonly Issue[];
}

export const CONTROLLER_FORMAT = 'maniple-controller';
export const CONTROLLER_VERSION = 1;

/** Defaults: 0, false, not set. */
export type ParameterModel =
  | { readonly type: 'float' | 'int'; readonly default?: number }
  | { readonly type: 'bool' | 'trigger'; readonly default?: boolean };

/** What a clip is, apart from its keys. Times in seconds. */
export interface ClipFacts {
  /** Default: the clip's own; 1 second for a clip that nothing resolves. 0 counts as 1 second. */
  readonly length?: number;
  /** Default: the clip's own; true for a clip that nothing resolves. */
  readonly loops?: boolean;
  /** Added to the phase of a looping clip: a fraction of it. Default 0. */
  readonly cycleOffset?: number;
  /** Plays with left and right exchanged. Default false. */
  readonly mirror?: boolean;
  /** Default: the clip's own. */
  readonly events?: readonly EventModel[];
  /** The pose that additive layers subtract. Default: the clip's own first frame. */
  readonly reference?: { readonly clip: string; readonly time?: number };
}

/** Something to tell the game when a clip passes a moment. */
export interface EventModel {
  readonly name: string;
  /** Seconds from the clip's begin. */
  readonly time: number;
  /** Handed to listeners as they are. */
  readonly number?: number;
  readonly integer?: number;
  readonly text?: string;
}

export interface LayerModel<P extends string = string> {
  readonly name: string;
  /** Whether it lies over what is below, or is added to it. Default 'override'. */
  readonly blend?: 'override' | 'additive';
  /** 0 to 1, default 1. */
  readonly weight?: number;
  /** A float parameter that replaces `weight`, clamped to 0 … 1. */
  readonly weightParameter?: P;
  /** Joints that the layer moves, default all. See {@link MaskModel}. */
  readonly mask?: MaskModel;
  /** Either a machine of its own … */
  readonly machine?: MachineModel<P>;
  /** … or that of another layer, with other motions. */
  readonly sync?: SyncModel<P>;
}

/**
 * Weights by joint: a slash path from below the skeleton's root (`Hips/Spine`), or, without a slash, a joint's name.
 * `/**` behind it stands for all joints below as well. Later entries win; joints that are not named have 0.
 */
export type MaskModel = Readonly<Record<string, number>>;

export interface SyncModel<P extends string = string> {
  /** Name of the layer whose machine runs. */
  readonly layer: string;
  /** Whether this layer's lengths count, by its weight, in the machine's clocks. Default false. */
  readonly timing?: boolean;
  /** By path of the state; a state that is not listed has no motion. */
  readonly motions: Readonly<Record<string, MotionModel<P>>>;
}

/**
 * States, and machines inside. A *path* names a state from the layer's root machine down: `Idle`, `Combat.Attack`.
 */
export interface MachineModel<P extends string = string> {
  /** Path of the state that the machine begins in. Without one it begins in an empty state, named by its own path. */
  readonly default?: string;
  /** Where to begin instead, by condition: the first that holds. */
  readonly entry?: readonly EntryModel<P>[];
  readonly states: Readonly<Record<string, StateModel<P>>>;
  readonly machines?: Readonly<Record<string, MachineModel<P>>>;
  /** Transitions from any state, tried before those of states. Only on the root machine. */
  readonly any?: readonly TransitionModel<P>[];
  /** Where a machine inside another goes when it is left: the first that holds; else the outer machine is entered. */
  readonly exits?: readonly EntryModel<P>[];
}

/** Where something leads: to a state, into a machine, or out of the machine that it stands in. */
export type DestinationModel =
  | { readonly to: string; readonly toMachine?: never; readonly toExit?: never }
  | { readonly to?: never; readonly toMachine: string; readonly toExit?: never }
  | { readonly to?: never; readonly toMachine?: never; readonly toExit: true };

/** A way that takes no time. */
export type EntryModel<P extends string = string> = DestinationModel & { readonly when?: readonly ConditionModel<P>[] };

export interface StateModel<P extends string = string> {
  /** None: an empty state. */
  readonly motion?: MotionModel<P>;
  /** Default 1; negative plays backwards. */
  readonly speed?: number;
  /** A float parameter that multiplies `speed`. */
  readonly speedParameter?: P;
  /** A float parameter that is the phase to show, in place of the clock. */
  readonly timeParameter?: P;
  /** Added to the phase of looping clips: a fraction. Default 0. */
  readonly cycleOffset?: number;
  readonly cycleOffsetParameter?: P;
  /** With left and right exchanged. Default false. */
  readonly mirror?: boolean;
  readonly mirrorParameter?: P;
  /** In the order in which they are tried. */
  readonly transitions?: readonly TransitionModel<P>[];
}

export type TransitionModel<P extends string = string> = DestinationModel & {
  /** All have to hold. Without any, there has to be an exit time. */
  readonly when?: readonly ConditionModel<P>[];
  /** Cycles of the source: up to 1 it comes again every cycle, above only once. Default: none. */
  readonly exitTime?: number;
  /** Default 0: at once. */
  readonly duration?: number;
  /** Whether `duration` is in seconds (default) or in cycles of the source. */
  readonly fixed?: boolean;
  /** Phase that the destination starts at. Default 0. */
  readonly offset?: number;
  /** Whose transitions may interrupt this one, beside those from any state. Default 'none'. */
  readonly interruption?: InterruptionModel;
  /** Of a list that this transition stands in, only those above it may interrupt it. Default true. */
  readonly ordered?: boolean;
  /** Of a transition from any state: whether it may lead to the state that is there. Default true. */
  readonly toSelf?: boolean;
};

export type InterruptionModel = 'none' | 'current' | 'next' | 'currentThenNext' | 'nextThenCurrent';

/** Without an operator: that the parameter is true (set, other than 0). */
export type ConditionModel<P extends string = string> = { readonly parameter: P } & (
  | { readonly is?: boolean }
  | { readonly greater: number }
  | { readonly less: number }
  | { readonly equals: number }
  | { readonly notEquals: number }
  | { readonly atLeast: number }
  | { readonly atMost: number }
);

/** A clip, by reference (its name; `guid:fileID` in files of Unity), or a blend tree. */
export type MotionModel<P extends string = string> = string | TreeModel<P>;

/** Weighted motions; at most 16 children, 4 levels and 32 clips in all. */
export type TreeModel<P extends string = string> = { readonly name?: string } & (
  | {
      readonly blend: '1d';
      readonly parameter: P;
      readonly children: readonly (ChildModel<P> & { readonly at: number })[];
    }
  | {
      readonly blend: 'directional' | 'freeformDirectional' | 'freeformCartesian';
      readonly parameters: readonly [P, P];
      readonly children: readonly (ChildModel<P> & { readonly at: readonly [number, number] })[];
    }
  | {
      readonly blend: 'direct';
      /** Divide weights by their sum. Default false. */
      readonly normalized?: boolean;
      readonly children: readonly (ChildModel<P> & { readonly weightParameter: P })[];
    }
);

export interface ChildModel<P extends string = string> {
  /** None: as if the child were not there. */
  readonly motion?: MotionModel<P>;
  /** Divides its length; negative plays it mirrored in time, 0 holds its begin. Default 1. */
  readonly timeScale?: number;
  readonly cycleOffset?: number;
  readonly mirror?: boolean;
}
