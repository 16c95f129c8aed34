import { type ClipPlan, keyedClip } from '../motion/clip.ts';
import { GUARD } from './stances.ts';

/** Straight down from behind the head, with the whole back in it. */
const chop = keyedClip({
  name: 'attack_1',
  frameCount: 30,
  base: GUARD,
  events: [
    ['swing', 11],
    ['strike', 14],
  ],
  keys: [
    [0, GUARD],
    [4, { pelvis: [0, -0.12, -0.01], torsoTurn: [20, 8, 0], handR: [-0.2, -0.22, 0.18], aimR: [-0.2, 1, -0.2] }],
    [10, { pelvis: [-0.02, -0.02, -0.08], pelvisTurn: [-4, -30, 0], torsoTurn: [-18, -16, -4], headTurn: [-6, 2, 0] }],
    [10, { handR: [-0.2, 0.36, -0.08], aimR: [0.05, 0.25, -1], elbowR: [-0.8, 0.4, 0.3], followR: [1, 0, 0] }],
    [10, { handL: [0.04, -0.22, 0.36], faceL: [0.2, 0.2, 1], footL: [0.045, 0, 0.19], footTurnL: [0, 14, 0] }],
    [12, { handR: [-0.16, 0.42, 0.08], aimR: [0, 0.9, -0.5], footL: [0.05, 0.09, 0.28], torsoTurn: [-8, -8, -2] }],
    [13, { handR: [0.02, 0.22, 0.42], aimR: [0.02, 0.9, 0.7], footL: [0.05, 0, 0.38], pelvisTurn: [10, -4, 0] }],
    [13, { handL: [0.2, -0.3, 0.2], faceL: [1.1, 0.15, 0.9], elbowR: [-0.9, -0.2, -0.2], torsoTurn: [16, 8, 2] }],
    [15, { handR: [0.08, -0.06, 0.5], aimR: [0.08, 0.4, 1], pelvis: [0.02, -0.19, 0.1] }],
    [17, { pelvis: [0.02, -0.22, 0.12], pelvisTurn: [17, 6, 0], torsoTurn: [28, 16, 4], headTurn: [12, 4, 0] }],
    [17, { handR: [0.09, -0.24, 0.46], aimR: [0.15, 0.14, 1], footTurnR: [20, -34, 0], footL: [0.05, 0, 0.38] }],
    [17, { handL: [0.28, -0.3, 0.04], faceL: [1.4, 0.1, 0.4] }],
    [20, { pelvis: [0.02, -0.21, 0.12], torsoTurn: [27, 17, 4], handR: [0.09, -0.25, 0.45], aimR: [0.16, 0.16, 1] }],
    [
      20,
      {
        pelvisTurn: [16, 6, 0],
        headTurn: [10, 4, 0],
        footTurnR: [20, -34, 0],
        handL: [0.28, -0.3, 0.04],
        faceL: [1.4, 0.1, 0.4],
      },
    ],
    [20, { footL: [0.05, 0, 0.38] }],
    [24, { handR: [-0.12, -0.28, 0.3], aimR: [0, 0.7, 0.7], pelvis: [0.01, -0.13, 0.04], footL: [0.05, 0.06, 0.28] }],
    [24, { torsoTurn: [20, 8, 0], pelvisTurn: [12, -8, 0], handL: [0.14, -0.32, 0.22], faceL: [0.6, 0.1, 1] }],
    [26, { footL: [0.045, 0, 0.19], footTurnR: [4, -34, 0] }],
    [30, { ...GUARD, followR: [0.8, 0, 0] }],
  ],
});

/** A reaper's swing, flat from right to left, that nearly turns him round. */
const sweep = keyedClip({
  name: 'attack_2',
  frameCount: 34,
  base: GUARD,
  events: [
    ['swing', 11],
    ['strike', 14],
  ],
  keys: [
    [0, GUARD],
    [9, { pelvis: [-0.05, -0.1, -0.06], pelvisTurn: [4, -46, 0], torsoTurn: [6, -44, 6], headTurn: [2, 2, 0] }],
    [9, { handR: [-0.38, -0.12, -0.12], aimR: [-0.55, 0.45, -0.75], elbowR: [-0.5, -0.5, -0.9], followR: [1, 0, 0] }],
    [9, { handL: [0.0, -0.24, 0.38], faceL: [0.1, 0.1, 1], footR: [-0.06, 0, -0.18], footTurnR: [0, -44, 0] }],
    [12, { handR: [-0.4, -0.1, 0.12], aimR: [-1, 0.2, 0.15], pelvisTurn: [7, -26, 0], torsoTurn: [10, -16, 2] }],
    [12, { footR: [-0.08, 0.07, -0.04], footTurnR: [6, -30, 0], footL: [0.045, 0, 0.19], footTurnL: [0, 14, 0] }],
    [14, { pelvis: [0.0, -0.14, 0.08], pelvisTurn: [10, 8, 0], torsoTurn: [14, 22, -2], headTurn: [6, 4, 0] }],
    [14, { handR: [-0.06, -0.1, 0.52], aimR: [-0.15, 0.06, 1], elbowR: [-0.9, -0.3, -0.1], footR: [-0.07, 0, 0.12] }],
    [14, { handL: [0.22, -0.26, 0.14], faceL: [1.2, 0.1, 0.7], footTurnR: [0, -14, 0] }],
    [18, { pelvis: [0.03, -0.16, 0.08], pelvisTurn: [12, 38, 0], torsoTurn: [16, 46, -8], headTurn: [8, 20, 0] }],
    [
      18,
      { handR: [0.26, -0.12, 0.38], aimR: [0.95, 0.02, 0.25], handL: [0.34, -0.28, -0.04], faceL: [1.3, 0.05, -0.1] },
    ],
    [20, { pelvis: [0.03, -0.155, 0.075], pelvisTurn: [12, 44, 0], torsoTurn: [15, 52, -9], headTurn: [8, 22, 0] }],
    [20, { handR: [0.3, -0.08, 0.3], aimR: [0.9, 0.2, -0.4], handL: [0.36, -0.28, -0.06], faceL: [1.3, 0.05, -0.2] }],
    [22, { footR: [-0.07, 0, 0.12], footTurnR: [0, -14, 0] }],
    [27, { pelvis: [0.01, -0.11, 0.02], pelvisTurn: [10, 4, 0], torsoTurn: [17, 16, -2], headTurn: [6, 6, 0] }],
    [27, { handR: [-0.08, -0.16, 0.34], aimR: [0.1, 1, 0.3], handL: [0.18, -0.32, 0.2], faceL: [0.7, 0.1, 1] }],
    [26, { footR: [-0.07, 0.06, -0.04] }],
    [29, { footR: [-0.06, 0, -0.18], footTurnR: [0, -34, 0] }],
    [34, { ...GUARD, followR: [0.8, 0, 0] }],
  ],
});

const hit = keyedClip({
  name: 'hit',
  frameCount: 20,
  base: GUARD,
  keys: [
    [0, GUARD],
    [
      3,
      { pelvis: [-0.02, -0.1, -0.09], pelvisTurn: [-2, -30, -4], torsoTurn: [-8, -26, -8], headTurn: [-16, -26, -10] },
    ],
    [3, { handL: [0.22, -0.26, 0.24], faceL: [0.9, 0.3, 1], handR: [-0.36, -0.14, 0.06], aimR: [-0.8, 0.8, -0.2] }],
    [3, { footR: [-0.06, 0, -0.18], shoulderL: [8, -6, 0], shoulderR: [10, -8, 0] }],
    [6, { pelvis: [-0.03, -0.14, -0.14], pelvisTurn: [8, -32, -3], torsoTurn: [20, -24, -6], headTurn: [14, -12, -4] }],
    [6, { handL: [0.16, -0.3, 0.24], handR: [-0.3, -0.24, 0.12], aimR: [-0.5, 0.9, 0.2], footR: [-0.07, 0.05, -0.27] }],
    [8, { footR: [-0.08, 0, -0.31], footTurnR: [0, -38, 0] }],
    [12, { pelvis: [-0.01, -0.12, -0.08], torsoTurn: [20, -4, -2], headTurn: [8, -2, 2], shoulderL: [0, 0, 0] }],
    [12, { shoulderR: [0, 0, 0], handL: [0.08, -0.32, 0.3], footR: [-0.08, 0, -0.31] }],
    [15, { footR: [-0.07, 0.05, -0.24] }],
    [20, GUARD],
  ],
});

/** Doubles over the wound, drops to his knees, and goes down on his face like a tree. */
const fall = keyedClip({
  name: 'fall',
  frameCount: 48,
  base: GUARD,
  events: [
    ['knees', 15],
    ['body_fall', 33],
  ],
  keys: [
    [0, GUARD],
    [3, { pelvis: [-0.01, -0.1, -0.14], pelvisTurn: [14, -14, 0], torsoTurn: [34, -6, 4], headTurn: [26, 4, 4] }],
    [3, { handL: [0.02, -0.34, 0.3], faceL: [0.4, 0.3, 1], handR: [-0.28, -0.2, 0.24], aimR: [-0.7, 0.6, 0.5] }],
    [8, { pelvis: [0, -0.22, -0.2], pelvisTurn: [6, -10, -2], torsoTurn: [22, -4, -3], headTurn: [8, 0, -6] }],
    [8, { footL: [0.045, 0, 0.19], footTurnL: [0, 14, 0], footR: [-0.06, 0, -0.22], footTurnR: [14, -34, 0] }],
    [8, { handR: [-0.3, -0.34, 0.16], aimR: [-0.6, 0.1, 0.9], followR: [0.6, 0, 0], followL: [0.7, 0, 0] }],
    [12, { footL: [0.045, 0.05, -0.24], footTurnL: [40, 10, 0], footR: [-0.06, 0.02, -0.44], footTurnR: [40, -20, 0] }],
    [15, { pelvis: [0, -0.475, -0.2], pelvisTurn: [4, -6, 0], torsoTurn: [18, -2, 0], headTurn: [20, 0, 2] }],
    [15, { footL: [0.04, 0.01, -0.52], footTurnL: [66, 4, 0], footR: [-0.05, 0, -0.56], footTurnR: [68, -8, 0] }],
    [15, { handL: [0.14, -0.42, 0.2], faceL: [0.6, 0.3, 1], handR: [-0.3, -0.42, 0.08], aimR: [-0.4, -0.1, 1] }],
    [15, { kneeL: [0.2, 0, 0.5], kneeR: [-0.25, 0, 0.5] }],
    [18, { pelvis: [0, -0.46, -0.21], torsoTurn: [4, 2, -2], headTurn: [-16, 6, -8], handR: [-0.3, -0.44, 0.04] }],
    [23, { pelvis: [0.005, -0.465, -0.19], torsoTurn: [2, 2, -2], headTurn: [-20, 8, -8], pelvisTurn: [6, -4, -2] }],
    [23, { footL: [0.04, 0.01, -0.52], footR: [-0.05, 0, -0.56], footTurnL: [66, 4, 0], footTurnR: [68, -8, 0] }],
    [
      23,
      {
        followL: [0.7, 0, 0],
        followR: [0.6, 0, 0],
        handL: [0.16, -0.42, 0.2],
        faceL: [0.6, 0.3, 1],
        aimR: [-0.4, -0.1, 1],
      },
    ],
    [29, { pelvis: [0.005, -0.55, 0.19], pelvisTurn: [42, -2, -2], torsoTurn: [10, 2, -2], headTurn: [30, 4, -6] }],
    [29, { handL: [0.3, -0.1, 0.36], faceL: [0.4, -0.7, 0.8], handR: [-0.32, -0.1, 0.36], aimR: [-0.4, 0.25, 1] }],
    [29, { gripR: [0, 0, 0], footL: [0.045, 0.01, -0.56], footR: [-0.05, 0, -0.6] }],
    [
      33,
      {
        pelvis: [0.005, -0.76, 0.39],
        pelvisTurn: [84, 0, -1],
        torsoTurn: [2, 0, 0],
        headTurn: [62, 0, 6],
        followL: [0, 0, 0],
      },
    ],
    [
      33,
      {
        followR: [0, 0, 0],
        handL: [0.34, 0.08, 0.3],
        faceL: [0.3, -1, 0.35],
        handR: [-0.34, -0.06, 0.36],
        aimR: [-0.55, 0.06, 0.9],
      },
    ],
    [33, { footL: [0.05, 0.01, -0.63], footR: [-0.05, 0, -0.64], footTurnL: [82, 6, 0], footTurnR: [84, -10, 0] }],
    [
      36,
      {
        pelvis: [0.005, -0.74, 0.4],
        pelvisTurn: [82, 0, -1],
        torsoTurn: [-3, 0, 0],
        headTurn: [56, 0, 8],
        handL: [0.34, 0.11, 0.3],
      },
    ],
    [
      41,
      {
        pelvis: [0.005, -0.762, 0.4],
        pelvisTurn: [86, 0, -1],
        torsoTurn: [0, 0, 0],
        headTurn: [62, 0, 14],
        handL: [0.35, 0.08, 0.3],
      },
    ],
    [41, { footL: [0.05, 0.01, -0.63], footR: [-0.05, 0, -0.64], footTurnL: [84, 8, 0], footTurnR: [84, -12, 0] }],
    [41, { handR: [-0.34, -0.08, 0.36], gripR: [40, 0, 0] }],
    [48, { pelvis: [0.005, -0.764, 0.4], headTurn: [64, 0, 16] }],
  ],
});

export const fightClips: readonly ClipPlan[] = [chop, sweep, hit, fall];
