import type { Issue } from '../errors.ts';

/**
 * An animator controller as people and tools write it: the JSON form (docs/controllers.md), the argument of
 * `defineController`, and the result of importers. Everything except names and states is optional, and each field documents
 * its default. `compileController` turns it into the tables that kernels and twins read.
 *
 * `P` is the union of parameter names: TypeScript checks every use of one in code.
 */
export interface ControllerModel<P extends string = string> {
  readonly format: typeof CONTROLLER_FORMAT;
  readonly version: typeof CONTROLLER_VERSION;
  readonly name: string;
  readonly parameters: Readonly<Record<P, ParameterModel>>;
  /** Bottom-up; the first always has weight 1 and needs a machine of its own. */
  readonly layers: readonly LayerModel<P>[];
  /** Facts about clips other than their keys, by reference. They override those of the character's clips. */
  readonly clips?: Readonly<Record<string, ClipFacts>>;
  /** Use of a trigger in one update: by each machine once, or only by the first machine. Default 'each'. */
  readonly triggerScope?: 'each' | 'first';
  /** Exit times hold whenever the clock is at or after them, not only when it crosses them. Default false. */
  readonly latchedExit?: boolean;
  /**
   * Clips of a blend tree that fire an event of one name: 'all' with weight, or only the 'heaviest' of those that loop
   * alike and play in the same direction. With 'heaviest', a step between walking and running is reported once. Default
   * 'all'.
   */
  readonly blendedEvents?: 'all' | 'heaviest';
  /** Parts that an importer had to leave out or change. Not part of the JSON form. */
  readonly issues?: readonly Issue[];
}

export const CONTROLLER_FORMAT = 'maniple-controller';
export const CONTROLLER_VERSION = 1;

/** Defaults: 0, false, not set. */
export type ParameterModel =
  | { readonly type: 'float' | 'int'; readonly default?: number }
  | { readonly type: 'bool' | 'trigger'; readonly default?: boolean };

/** Properties of a clip, apart from its keys. Times in seconds. */
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

/** An event that the application receives when a clip passes a moment. */
export interface EventModel {
  readonly name: string;
  /** Seconds from the start of the clip. */
  readonly time: number;
  /** Passed to listeners unchanged. */
  readonly number?: number;
  readonly integer?: number;
  readonly text?: string;
}

export interface LayerModel<P extends string = string> {
  readonly name: string;
  /** 'override': blended over the layers below. 'additive': added to them. Default 'override'. */
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
 * Weights by joint: a slash path from below the skeleton's root (`Hips/Spine`), or, without a slash, a joint's name. A
 * path that ends in `/**` includes all joints below. Later entries win. Joints that are not named have 0.
 *
 * `humanoid:leftArm` is a part of a humanoid's body, as Unity's avatar masks have them: `root` (hips and above), `body`, `head`, `leftLeg`,
 * `rightLeg`, `leftArm`, `rightArm`, `leftFingers`, `rightFingers`. It needs a character with known bones: `model.humanoid`.
 */
export type MaskModel = Readonly<Record<string, number>>;

export interface SyncModel<P extends string = string> {
  /** Name of the layer that owns the machine. */
  readonly layer: string;
  /** True if this layer's lengths count, by its weight, in the machine's clocks. Default false. */
  readonly timing?: boolean;
  /** By path of the state. A state that is not listed has no motion. */
  readonly motions: Readonly<Record<string, MotionModel<P>>>;
}

/** States, and machines inside. A *path* names a state from the layer's root machine down: `Idle`, `Combat.Attack`. */
export interface MachineModel<P extends string = string> {
  /** Path of the state that the machine begins in. Without one it begins in an empty state, named by its own path. */
  readonly default?: string;
  /** Other states to begin in, by condition: the first that holds. */
  readonly entry?: readonly EntryModel<P>[];
  readonly states: Readonly<Record<string, StateModel<P>>>;
  readonly machines?: Readonly<Record<string, MachineModel<P>>>;
  /** Transitions from any state, tried before those of states. Only on the root machine. */
  readonly any?: readonly TransitionModel<P>[];
  /** Destinations when an inner machine is left: the first that holds. Else the outer machine is entered. */
  readonly exits?: readonly EntryModel<P>[];
}

/** Destination: a state, a machine to enter, or the exit of the machine that contains it. */
export type DestinationModel =
  | { readonly to: string; readonly toMachine?: never; readonly toExit?: never }
  | { readonly to?: never; readonly toMachine: string; readonly toExit?: never }
  | { readonly to?: never; readonly toMachine?: never; readonly toExit: true };

/** A transition that takes no time. */
export type EntryModel<P extends string = string> = DestinationModel & { readonly when?: readonly ConditionModel<P>[] };

export interface StateModel<P extends string = string> {
  /** Without it: an empty state. */
  readonly motion?: MotionModel<P>;
  /** Default 1; negative plays backwards. */
  readonly speed?: number;
  /** A float parameter that multiplies `speed`. */
  readonly speedParameter?: P;
  /** A float parameter that gives the phase to show, instead of the clock. */
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
  /** Conditions that all have to hold. Without any, an exit time is required. */
  readonly when?: readonly ConditionModel<P>[];
  /** Exit time in cycles of the source. Up to 1 it recurs every cycle, above 1 it holds only once. Default: none. */
  readonly exitTime?: number;
  /** Default 0: at once. */
  readonly duration?: number;
  /** True if `duration` is in seconds (default), false if it is in cycles of the source. */
  readonly fixed?: boolean;
  /** Phase that the destination starts at. Default 0. */
  readonly offset?: number;
  /** Source of transitions that may interrupt this one, in addition to those from any state. Default 'none'. */
  readonly interruption?: InterruptionModel;
  /** True if only transitions above this one may interrupt it, within the list that contains it. Default true. */
  readonly ordered?: boolean;
  /** For a transition from any state: true if it may lead to the current state. Default true. */
  readonly toSelf?: boolean;
};

export type InterruptionModel = 'none' | 'current' | 'next' | 'currentThenNext' | 'nextThenCurrent';

/** Without an operator: true if the parameter is true (set, other than 0). */
export type ConditionModel<P extends string = string> = { readonly parameter: P } & (
  | { readonly is?: boolean }
  | { readonly greater: number }
  | { readonly less: number }
  | { readonly equals: number }
  | { readonly notEquals: number }
  | { readonly atLeast: number }
  | { readonly atMost: number }
);

/** A clip, by reference (its name; `guid:fileID` in Unity's files), or a blend tree. */
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
  /** Without it: as if the child did not exist. */
  readonly motion?: MotionModel<P>;
  /** Divides its length. Negative values play it mirrored in time, 0 holds its start. Default 1. */
  readonly timeScale?: number;
  readonly cycleOffset?: number;
  readonly mirror?: boolean;
}
