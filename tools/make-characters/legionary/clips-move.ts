import { BACKWARDS, FORWARD, LEFTWARDS, RIGHTWARDS } from '../math/vec.ts';
import type { ClipPlan } from '../motion/clip.ts';
import { SHIELD_AIM, type SomeControls } from '../motion/controls.ts';
import { gaitClip, swing, wave } from '../motion/gait.ts';

/** The marching step: shield before the left side, sword upright before the shoulder. */
const walk = gaitClip({
  name: 'walk',
  frameCount: 28,
  speed: 1.4,
  direction: FORWARD,
  stance: 0.58,
  centre: -0.06,
  lift: 0.065,
  spread: -0.02,
  toeOut: 5,
  heelStrike: 20,
  toeOff: 42,
  pelvisHeight: -0.042,
  bob: 0.018,
  bobPeak: 0.6,
  sway: 0.022,
  lean: 5,
  hipYaw: 9,
  hipRoll: 4,
  chestYaw: 6,
  upper: (phase) => ({
    followL: [0.55, 0, 0],
    handL: swing(phase, 0.05, [0.045, -0.4 + 0.008 * wave(2 * phase, 0.7), 0.25], [0, 0, -0.02]),
    aimL: SHIELD_AIM.l,
    faceL: [0.3 + 0.03 * wave(phase, 0.1), 0.03 * wave(2 * phase, 0.75), 1],
    elbowL: [0.8, -0.55, -0.5],
    followR: [0.8, 0, 0],
    handR: swing(phase, 0.02, [-0.085, -0.365 + 0.01 * wave(2 * phase, 0.7), 0.1], [0.012, 0.02, 0.1]),
    aimR: swing(phase, 0.06, [0.06, 1, 0.55], [0, -0.12, 0.16]),
    elbowR: [-0.5, -0.3, -1],
  }),
});

/** A charge behind the shield, the blade drawn back at the hip. */
const run = gaitClip({
  name: 'run',
  frameCount: 20,
  speed: 3.4,
  direction: FORWARD,
  stance: 0.34,
  centre: -0.11,
  lift: 0.2,
  liftPeak: 0.38,
  spread: -0.04,
  toeOut: 3,
  heelStrike: 8,
  toeOff: 50,
  swingRoll: 62,
  pelvisHeight: -0.072,
  bob: 0.034,
  bobPeak: 0.9,
  sway: 0.014,
  lean: 19,
  hipYaw: 14,
  hipRoll: 5,
  chestYaw: 11,
  upper: (phase) => ({
    followL: [0.45, 0, 0],
    handL: swing(phase, 0.1, [0.0, -0.31 + 0.018 * wave(2 * phase, 0.15), 0.3], [0, 0.01, -0.03]),
    aimL: SHIELD_AIM.l,
    faceL: [0.2 + 0.05 * wave(phase, 0.15), 0.06 + 0.04 * wave(2 * phase, 0.2), 1],
    elbowL: [0.9, -0.6, -0.4],
    followR: [0.9, 0, 0],
    handR: swing(phase, 0.03, [-0.1, -0.33 + 0.015 * wave(2 * phase, 0.15), 0.04], [0.03, 0.07, 0.2]),
    aimR: swing(phase, 0.06, [0.1, 0.42, 1], [0.06, 0.3, 0]),
    elbowR: [-0.45, -0.3, -1],
  }),
});

const guardArms = (phase: number): SomeControls => ({
  handL: [0, -0.34 + 0.008 * wave(2 * phase, 0.2), 0.3],
  aimL: SHIELD_AIM.l,
  faceL: [0.12, 0.04 + 0.02 * wave(2 * phase, 0.3), 1],
  elbowL: [0.8, -0.55, -0.5],
  followL: [0.6, 0, 0],
  handR: [-0.08, -0.37 + 0.012 * wave(2 * phase, 0.25), 0.08 + 0.015 * wave(phase, 0.1)],
  aimR: [0.12, 0.36 + 0.05 * wave(2 * phase, 0.3), 1],
  elbowR: [-0.5, -0.3, -1],
});

/** Gives ground without turning his back: toes first, low, shield up. */
const walkBack = gaitClip({
  name: 'walk_back',
  frameCount: 30,
  speed: 0.95,
  direction: BACKWARDS,
  stance: 0.6,
  centre: -0.02,
  lift: 0.06,
  spread: 0.02,
  toeOut: 8,
  heelStrike: -22,
  toeOff: 0,
  swingRoll: 12,
  pelvisHeight: -0.07,
  bob: 0.013,
  bobPeak: 0.6,
  sway: 0.026,
  lean: 8,
  hipYaw: -6,
  hipRoll: 3,
  chestYaw: -3,
  upper: guardArms,
});

/** Side steps that never cross: one foot opens, the other closes up. */
const strafe = (name: string, left: boolean): ClipPlan =>
  gaitClip({
    name,
    frameCount: 20,
    speed: 0.85,
    direction: left ? LEFTWARDS : RIGHTWARDS,
    stance: 0.56,
    rightDelay: left ? 0.42 : 0.58,
    centre: 0,
    lift: 0.055,
    spread: 0.085,
    toeOut: 10,
    heelStrike: -8,
    toeOff: 10,
    swingRoll: 10,
    pelvisHeight: -0.085,
    bob: 0.014,
    bobPeak: 0.75,
    sway: 0.008,
    lean: 9,
    hipYaw: 0,
    hipRoll: 3,
    chestYaw: 0,
    upper: (phase, legs) => ({
      ...guardArms(phase),
      pelvisTurn: [3.5, -10, (left ? -2 : 2) + legs.pelvisTurn![2] * 0.6],
      torsoTurn: [6, 6, left ? -2 : 2],
    }),
  });

export const moveClips: readonly ClipPlan[] = [
  walk,
  run,
  strafe('strafe_left', true),
  strafe('strafe_right', false),
  walkBack,
];
