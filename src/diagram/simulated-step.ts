/**
 * A step that `maniple simulate` prints: the state after it. Inside a step parameters are set first, then the clocks
 * advance.
 */
export interface SimulatedStep {
  /** Seconds since the begin, this step included. */
  readonly time: number;
  readonly layers: readonly SimulatedLayer[];
  /** In the order in which they fired. */
  readonly events: readonly SimulatedEvent[];
  /** Accumulated root motion: metres, and a quaternion x, y, z, w. */
  readonly root: {
    readonly position: readonly [number, number, number];
    readonly rotation: readonly [number, number, number, number];
  };
  /** Values that the step ran with. */
  readonly parameters?: Readonly<Record<string, number | boolean>>;
}

export interface SimulatedLayer {
  readonly name: string;
  readonly state: string;
  /** Whole cycles of the state's clock, and its fraction. */
  readonly cycles: number;
  readonly phase: number;
  /** The state that a transition leads to. Without a transition the fields below are zeros. */
  readonly next: string | null;
  readonly nextCycles: number;
  readonly nextPhase: number;
  /** 0 … 1 */
  readonly progress: number;
  /** True if the source of the transition is a frozen pose. */
  readonly frozen: boolean;
  /** The heaviest first. Weights include trees and the transition, not the layer. */
  readonly motions: readonly { readonly clip: string; readonly phase: number; readonly weight: number }[];
}

export interface SimulatedEvent {
  readonly name: string;
  /** Name of the layer that plays the clip. */
  readonly layer?: string;
  readonly clip: string;
  readonly phase: number;
  readonly weight: number;
}
