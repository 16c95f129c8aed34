import { LEFTWARDS, RIGHTWARDS, type Vec3, ZERO } from '../math/vec.ts';

/**
 * Controls that an animator moves: three numbers each, all of which can be interpolated. `solve.ts` turns them into joint
 * rotations. Angles are degrees: [pitch forward, yaw left, roll right]; lengths are metres.
 */
const CONTROL_REST = {
  /** The pelvis, away from its bind place, and its turn. */
  pelvis: ZERO,
  pelvisTurn: ZERO,
  /** The chest against the pelvis, spread over the spine. */
  torsoTurn: ZERO,
  /** The head in model space, so that it stays steady while the body works. */
  headTurn: ZERO,
  /** First number: degrees by which the head looks left on the neck, whichever way the neck points. */
  headTwist: ZERO,
  /** [raise, forward, –] in degrees, on top of what a raised hand brings along. */
  shoulderL: ZERO,
  shoulderR: ZERO,
  /** The wrist from the shoulder, in the hand's frame (see follow). */
  handL: [0.1, -0.45, 0.1] as Vec3,
  handR: [-0.1, -0.45, 0.1] as Vec3,
  /** Where the thumb side of the fist points: a blade's direction. */
  aimL: [0, 0, 1] as Vec3,
  aimR: [0, 0, 1] as Vec3,
  /** Where the knuckles point: a shield's front. Zero: on along the forearm. */
  faceL: ZERO,
  faceR: ZERO,
  /** Which way the elbow bends out. */
  elbowL: [0.6, -0.5, -0.7] as Vec3,
  elbowR: [-0.6, -0.5, -0.7] as Vec3,
  /** First number: 1 when the hand's frame turns with the chest, 0 when it keeps to the model's axes. */
  followL: [1, 0, 0] as Vec3,
  followR: [1, 0, 0] as Vec3,
  /** The flat foot, away from its bind place. */
  footL: ZERO,
  footR: ZERO,
  /** [roll: below 0 on the heel, above 0 on the ball; yaw left; bank] in degrees. */
  footTurnL: ZERO,
  footTurnR: ZERO,
  /** Added to the direction in which the knee points. */
  kneeL: ZERO,
  kneeR: ZERO,
  /** First number: degrees by which the fingers open. */
  gripL: ZERO,
  gripR: ZERO,
} satisfies Record<string, Vec3>;

export type ControlName = keyof typeof CONTROL_REST;
export type Controls = Record<ControlName, Vec3>;
export type SomeControls = Partial<Controls>;

/** The axis that a fist's thumb side points along when the shield is held out in front. */
export const SHIELD_AIM = { l: RIGHTWARDS, r: LEFTWARDS } as const;

export const withRest = (some: SomeControls): Controls => ({ ...CONTROL_REST, ...some });
