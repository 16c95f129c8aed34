import { breathing } from '../motion/breath.ts';
import { type ClipPlan, keyedClip } from '../motion/clip.ts';
import { COVER, GUARD } from './stances.ts';

const idle = keyedClip({
  name: 'idle',
  frameCount: 84,
  loop: true,
  base: GUARD,
  keys: [
    [0, { pelvis: [0.012, -0.035, -0.005], headTurn: [2, 5, 0], pelvisTurn: [3, -16, 0.8] }],
    [42, { pelvis: [-0.008, -0.037, -0.005], headTurn: [2, 0, 0], pelvisTurn: [3, -15, -0.8] }],
  ],
  overlay: breathing(1, 1),
});

/** Looks along the line, eases his shoulders, turns the sword in his hand. */
const idleVariant = keyedClip({
  name: 'idle_variant',
  frameCount: 88,
  loop: true,
  base: GUARD,
  keys: [
    [0, { pelvis: [0.012, -0.035, -0.005], headTurn: [2, 5, 0], torsoTurn: [3, 6, 0] }],
    [0, { handR: [-0.07, -0.4, 0.1], aimR: [0.12, 0.3, 1], handL: [0.05, -0.4, 0.27], faceL: [0.3, 0.02, 1] }],
    [17, { pelvis: [0.04, -0.03, -0.01], headTurn: [-1, 42, -3], torsoTurn: [1, 16, 0], handL: [0.04, -0.4, 0.25] }],
    [31, { pelvis: [0.04, -0.03, -0.01], headTurn: [-1, 46, -3], torsoTurn: [1, 18, 0], faceL: [0.28, 0, 1] }],
    [49, { pelvis: [-0.05, -0.042, -0.01], headTurn: [3, -38, 3], torsoTurn: [4, -8, 0], handR: [-0.1, -0.3, 0.2] }],
    [49, { aimR: [0.1, 1, 0.35], handL: [-0.02, -0.36, 0.28], faceL: [0.1, 0.03, 1] }],
    [59, { headTurn: [8, -32, 5], handR: [-0.06, -0.24, 0.26], aimR: [0.5, 0.9, -0.1], torsoTurn: [4, -7, 0] }],
    [
      69,
      { pelvis: [-0.045, -0.042, -0.01], headTurn: [4, -24, 3], handR: [-0.1, -0.3, 0.22], aimR: [-0.35, 0.6, 0.9] },
    ],
    [79, { handR: [-0.08, -0.39, 0.12], aimR: [0.1, 0.25, 1], headTurn: [2, 0, 0] }],
  ],
  overlay: breathing(2, 0.8),
});

const blockIdle = keyedClip({
  name: 'block_idle',
  frameCount: 54,
  loop: true,
  base: COVER,
  keys: [
    [0, { pelvis: [0, -0.12, 0.02] }],
    [27, { pelvis: [0.008, -0.126, 0.024] }],
  ],
  overlay: breathing(1, 0.9),
});

/** The shield comes up, takes a blow and gives a little. Ends as block_idle begins. */
const block = keyedClip({
  name: 'block',
  frameCount: 20,
  base: COVER,
  events: [['impact', 8]],
  keys: [
    [0, GUARD],
    [2, { pelvis: [0.005, -0.07, 0], torsoTurn: [6, 6, 0], handL: [-0.03, -0.32, 0.31] }],
    [7, { ...COVER, pelvis: [0, -0.12, 0.05], handL: [-0.11, -0.17, 0.4] }],
    [9, { pelvis: [0, -0.15, -0.045], pelvisTurn: [3, -24, 0], torsoTurn: [4, 12, 0], headTurn: [14, 4, 0] }],
    [9, { handL: [-0.1, -0.2, 0.27], faceL: [0.02, 0.5, 1], handR: [-0.14, -0.26, -0.04] }],
    [14, { pelvis: [0, -0.115, 0.03], pelvisTurn: [8, -22, 0], torsoTurn: [13, 8, 0], headTurn: [7, 2, 0] }],
    [14, { handL: [-0.11, -0.195, 0.37], faceL: [0.04, 0.4, 1], handR: [-0.1, -0.3, 0.07] }],
    [20, COVER],
  ],
  // ends on the breath with which block_idle begins
  overlay: (phase, keyed) => breathing(1, 0.9 * phase)(0, keyed),
});

/** Two beats: the sword is thrust at the sky, the shield answers. */
const cheer = keyedClip({
  name: 'cheer',
  frameCount: 40,
  loop: true,
  base: {
    ...GUARD,
    pelvisTurn: [0, -6, 0],
    footL: [0.045, 0, 0.03],
    footR: [-0.045, 0, -0.02],
    footTurnR: [0, -16, 0],
    footTurnL: [0, 14, 0],
  },
  events: [
    ['shout', 8],
    ['shout', 28],
  ],
  keys: [
    [
      0,
      {
        pelvis: [0, -0.09, 0.01],
        torsoTurn: [9, 0, 2],
        headTurn: [4, 0, 0],
        handR: [-0.24, -0.05, 0.2],
        aimR: [-0.2, 1, -0.25],
      },
    ],
    [0, { handL: [0.2, -0.36, 0.18], faceL: [1, 0.05, 1], footTurnL: [0, 14, 0], footTurnR: [0, -16, 0] }],
    [
      8,
      {
        pelvis: [0.005, 0.0, 0],
        torsoTurn: [-9, 6, -4],
        headTurn: [-16, 4, 0],
        handR: [-0.2, 0.6, 0.08],
        aimR: [0.05, 1, 0.12],
      },
    ],
    [8, { handL: [0.34, -0.2, 0.16], faceL: [1.5, 0.3, 0.8], footTurnL: [16, 14, 0], footTurnR: [16, -16, 0] }],
    [12, { pelvis: [0.005, -0.025, 0], handR: [-0.21, 0.57, 0.06], footTurnL: [0, 14, 0], footTurnR: [0, -16, 0] }],
    [
      20,
      {
        pelvis: [-0.005, -0.085, 0.01],
        torsoTurn: [8, 2, 2],
        headTurn: [0, 2, 0],
        handR: [-0.27, 0.02, 0.18],
        aimR: [-0.2, 1, -0.15],
      },
    ],
    [20, { handL: [0.21, -0.36, 0.18], faceL: [1, 0.05, 1] }],
    [
      28,
      {
        pelvis: [-0.005, 0.002, 0],
        torsoTurn: [-10, 10, -5],
        headTurn: [-18, 6, 0],
        handR: [-0.24, 0.59, 0.1],
        aimR: [-0.12, 1, 0.15],
      },
    ],
    [28, { handL: [0.35, -0.18, 0.15], faceL: [1.5, 0.3, 0.8], footTurnL: [16, 14, 0], footTurnR: [16, -16, 0] }],
    [32, { pelvis: [-0.005, -0.025, 0], handR: [-0.24, 0.56, 0.08], footTurnL: [0, 14, 0], footTurnR: [0, -16, 0] }],
  ],
});

export const standClips: readonly ClipPlan[] = [idle, idleVariant, block, blockIdle, cheer];
