import type { Vec3 } from '../math/vec.ts';

/** A row of joints that swings: cloth, hair, fur. */
export interface Chain {
  readonly joints: readonly string[];
  /** Where the last joint ends in the bind pose. */
  readonly tip: Vec3;
  /** How strongly each joint returns to its rest direction: (2π × its own frequency)². */
  readonly stiffness: number;
  /** How fast swings die out: the rate per second. */
  readonly damping: number;
  /** 0 for what stands by its stiffness alone, 1 for cloth, more for what is heavy for its size. */
  readonly gravity: number;
  /** How much the air takes it along. */
  readonly drag: number;
  /** Thickness against the body. */
  readonly radius: number;
  /** The furthest that one joint bends from its rest direction, degrees: cloth folds, but a pelt does not stand on end. */
  readonly maxBend: number;
  /** Swings about the parent's X axis only: a flap that must not slip off sideways. */
  readonly hinged?: boolean;
  /**
   * Keeps it on one side of a joint, this many metres in front of it (below 0: behind it). So a cloak stays at the back, and an
   * apron does not slip between the legs.
   */
  readonly ahead?: { readonly joint: string; readonly by: number };
}

/** A round bone that cloth slides over; ends in the bind pose, fixed to a joint. */
export interface Capsule {
  readonly joint: string;
  readonly from: Vec3;
  readonly to: Vec3;
  readonly radius: number;
}

export interface SpringSet {
  readonly chains: readonly Chain[];
  readonly capsules: readonly Capsule[];
  /** Pairs of chains. Their equal-numbered tips keep their distance, so that a cloak does not tear. */
  readonly pairs: readonly (readonly [number, number])[];
}
