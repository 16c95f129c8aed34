import { type ClipPlan, keyedClip } from '../motion/clip.ts';
import { breathing } from '../motion/breath.ts';
import { COVER, GUARD } from './stances.ts';

/** Sways on his feet like a man at sea, never quite still. */
const idle = keyedClip({
  name: 'idle',
  frameCount: 66,
  loop: true,
  base: GUARD,
  keys: [
    [0, { pelvis: [0.03, -0.075, -0.005], pelvisTurn: [9, -18, 1.5], headTurn: [5, 6, -1], aimR: [-0.22, 1, -0.4] }],
    [
      33,
      { pelvis: [-0.026, -0.083, -0.012], pelvisTurn: [9, -13, -1.5], headTurn: [5, -3, 1], aimR: [-0.12, 1, -0.46] },
    ],
  ],
  overlay: breathing(1, 1.5),
});

/** Rolls his neck, shakes out the axe and bares his teeth. */
const idleVariant = keyedClip({
  name: 'idle_variant',
  frameCount: 76,
  loop: true,
  base: GUARD,
  keys: [
    [0, { pelvis: [0.03, -0.075, -0.005], pelvisTurn: [9, -18, 1.5], headTurn: [5, 6, -1], torsoTurn: [15, 6, 0] }],
    [0, { handR: [-0.2, -0.2, 0.14], aimR: [-0.22, 1, -0.4], handL: [0.06, -0.33, 0.31], faceL: [0.3, 0.12, 1] }],
    [13, { pelvis: [0.045, -0.06, -0.02], torsoTurn: [6, 10, 0], headTurn: [-8, 24, 16], handR: [-0.24, -0.3, 0.16] }],
    [22, { headTurn: [14, 0, 20], aimR: [-0.6, 0.5, 0.7], torsoTurn: [10, 4, 3], handL: [0.14, -0.38, 0.22] }],
    [31, { headTurn: [-2, -26, -14], pelvis: [-0.03, -0.075, -0.01], handR: [-0.2, -0.26, 0.28], aimR: [0.1, 0.2, 1] }],
    [38, { headTurn: [-10, -8, 0], aimR: [0.75, 0.7, 0.5], torsoTurn: [2, -10, -3], faceL: [0.6, 0.1, 1] }],
    [45, { pelvis: [-0.04, -0.06, -0.02], headTurn: [-14, -4, 4], handR: [-0.18, -0.12, 0.2], aimR: [0.25, 1, -0.5] }],
    [57, { torsoTurn: [20, -2, 0], headTurn: [9, -2, 0], pelvis: [-0.02, -0.11, 0.02], handL: [0.02, -0.28, 0.34] }],
    [57, { faceL: [0.2, 0.15, 1], handR: [-0.22, -0.14, 0.12], aimR: [-0.3, 1, -0.3] }],
    [67, { torsoTurn: [16, 4, 0], headTurn: [5, 4, -1], handR: [-0.2, -0.19, 0.14] }],
  ],
  overlay: breathing(2, 1.2),
});

const blockIdle = keyedClip({
  name: 'block_idle',
  frameCount: 48,
  loop: true,
  base: COVER,
  keys: [
    [0, { pelvis: [0.008, -0.15, 0], headTurn: [10, 2, 0] }],
    [24, { pelvis: [-0.008, -0.16, 0.006], headTurn: [10, -3, 0] }],
  ],
  overlay: breathing(1, 1.2),
});

/** The shield is thrown up, a blow lands on it, he shoves back. Ends as block_idle begins. */
const block = keyedClip({
  name: 'block',
  frameCount: 20,
  base: COVER,
  events: [['impact', 8]],
  keys: [
    [0, GUARD],
    [2, { pelvis: [0, -0.11, -0.01], torsoTurn: [18, 6, 0], handL: [0.02, -0.28, 0.32], headTurn: [8, 2, 0] }],
    [7, { ...COVER, pelvis: [0, -0.14, 0.04], handL: [-0.12, -0.02, 0.46] }],
    [9, { pelvis: [0, -0.19, -0.07], pelvisTurn: [6, -30, 2], torsoTurn: [8, 16, 2], headTurn: [18, 4, 3] }],
    [9, { handL: [-0.1, -0.06, 0.32], faceL: [0, 0.55, 1], handR: [-0.3, -0.12, -0.04], aimR: [-0.5, 0.9, -0.5] }],
    [13, { pelvis: [0, -0.12, 0.05], pelvisTurn: [13, -22, 0], torsoTurn: [20, 10, 0], headTurn: [6, 2, 0] }],
    [13, { handL: [-0.1, -0.1, 0.47], faceL: [0.05, 0.38, 1], handR: [-0.22, -0.14, 0.04], aimR: [-0.25, 1, -0.5] }],
    [20, { ...COVER, pelvis: [0.008, -0.15, 0] }],
  ],
  overlay: (phase, keyed) => breathing(1, 1.2 * phase)(0, keyed),
});

/** Beats the axe on the shield and roars at the sky. */
const cheer = keyedClip({
  name: 'cheer',
  frameCount: 42,
  loop: true,
  base: {
    ...GUARD,
    pelvisTurn: [4, -4, 0],
    footL: [0.08, 0, 0.05],
    footR: [-0.08, 0, -0.03],
    footTurnR: [0, -22, 0],
    footTurnL: [0, 20, 0],
  },
  events: [
    ['impact', 7],
    ['impact', 16],
    ['shout', 30],
  ],
  keys: [
    [
      0,
      {
        pelvis: [0, -0.1, 0],
        torsoTurn: [14, 0, 0],
        headTurn: [4, 4, 0],
        handR: [-0.2, -0.08, 0.3],
        aimR: [0.1, 1, 0.3],
      },
    ],
    [0, { handL: [0.12, -0.27, 0.28], faceL: [0.1, 0.2, 1] }],
    [
      7,
      {
        pelvis: [0, -0.15, 0.01],
        torsoTurn: [19, 8, 2],
        headTurn: [10, 4, 0],
        handR: [-0.12, -0.18, 0.4],
        aimR: [0.85, 0.3, 0.5],
      },
    ],
    [7, { handL: [0.1, -0.24, 0.24], faceL: [-0.05, 0.25, 1] }],
    [
      11,
      {
        pelvis: [0, -0.09, 0],
        torsoTurn: [13, 0, 0],
        handR: [-0.2, -0.06, 0.33],
        aimR: [0.1, 1, 0.35],
        handL: [0.12, -0.27, 0.28],
      },
    ],
    [
      16,
      {
        pelvis: [0, -0.16, 0.01],
        torsoTurn: [21, 9, 2],
        headTurn: [12, 4, 0],
        handR: [-0.12, -0.19, 0.4],
        aimR: [0.85, 0.28, 0.5],
      },
    ],
    [16, { handL: [0.1, -0.24, 0.24], faceL: [-0.05, 0.26, 1] }],
    [
      20,
      {
        pelvis: [0, -0.14, 0],
        torsoTurn: [14, 2, 0],
        headTurn: [4, 0, 0],
        handR: [-0.22, -0.06, 0.24],
        aimR: [-0.1, 1, 0.1],
      },
    ],
    [
      27,
      {
        pelvis: [0, -0.01, 0.01],
        torsoTurn: [-16, -6, 0],
        headTurn: [-28, 0, 4],
        handR: [-0.32, 0.42, 0.06],
        aimR: [-0.35, 1, 0.1],
      },
    ],
    [27, { handL: [0.36, -0.02, 0.2], faceL: [1, 0.3, 0.7], footTurnL: [0, 20, 0], footTurnR: [0, -22, 0] }],
    [31, { pelvis: [0, -0.02, 0.01], headTurn: [-30, 6, -4], handR: [-0.3, 0.44, 0.08], aimR: [-0.3, 1, 0.15] }],
    [
      35,
      {
        pelvis: [0, -0.03, 0.01],
        torsoTurn: [-14, -3, 0],
        headTurn: [-26, -2, 2],
        handR: [-0.3, 0.4, 0.08],
        handL: [0.34, -0.04, 0.2],
        faceL: [1, 0.3, 0.7],
      },
    ],
  ],
});

export const standClips: readonly ClipPlan[] = [idle, idleVariant, block, blockIdle, cheer];
