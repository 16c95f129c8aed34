import { type ClipPlan, keyedClip } from '../motion/clip.ts';
import { GUARD } from './stances.ts';

/** The legion's thrust: drawn back to the hip, a step, and the point goes in past the shield. */
const thrust = keyedClip({
  name: 'attack_1',
  frameCount: 28,
  base: GUARD,
  events: [
    ['swing', 9],
    ['strike', 11],
  ],
  keys: [
    [0, GUARD],
    [7, { pelvis: [-0.02, -0.075, -0.09], pelvisTurn: [2, -34, 0], torsoTurn: [4, -16, -3], headTurn: [4, 2, 0] }],
    [7, { handR: [-0.13, -0.27, -0.16], aimR: [0.3, 0.12, 1], elbowR: [-0.6, 0.15, -1] }],
    [7, { handL: [-0.03, -0.34, 0.3], faceL: [0.2, 0.04, 1], footL: [0.025, 0, 0.17], footTurnL: [0, 8, 0] }],
    [9, { pelvis: [-0.015, -0.08, -0.06], footL: [0.03, 0.06, 0.24], footTurnL: [-6, 8, 0] }],
    [11, { pelvis: [0.02, -0.13, 0.12], pelvisTurn: [8, 14, 0], torsoTurn: [10, 26, 3], headTurn: [4, 6, 0] }],
    [11, { handR: [0.13, 0.02, 0.5], aimR: [-0.38, 0.26, 1], elbowR: [-0.7, -0.6, -0.5] }],
    [11, { handL: [0.1, -0.38, 0.15], faceL: [0.95, 0.05, 1], footL: [0.03, 0, 0.36], footTurnL: [0, 8, 0] }],
    [11, { footR: [-0.035, 0, -0.16], footTurnR: [12, -32, 0] }],
    [14, { pelvis: [0.022, -0.135, 0.13], torsoTurn: [11, 28, 3], handR: [0.13, 0.01, 0.51], footTurnR: [18, -32, 0] }],
    [14, { footL: [0.03, 0, 0.36], footTurnL: [0, 8, 0], pelvisTurn: [8, 15, 0], handL: [0.11, -0.38, 0.14] }],
    [19, { pelvis: [0.01, -0.08, 0.06], pelvisTurn: [4, -6, 0], torsoTurn: [5, 10, 0], headTurn: [3, 4, 0] }],
    [19, { handR: [-0.06, -0.26, 0.22], aimR: [0.0, 0.3, 1], footL: [0.03, 0.05, 0.28], footTurnR: [5, -32, 0] }],
    [19, { handL: [0.03, -0.37, 0.25], faceL: [0.4, 0.02, 1] }],
    [22, { footL: [0.025, 0, 0.17], footTurnR: [0, -32, 0], pelvis: [0.005, -0.05, 0.0] }],
    [28, GUARD],
  ],
});

/** A cut from above the right shoulder down across to the left knee. */
const cut = keyedClip({
  name: 'attack_2',
  frameCount: 34,
  base: GUARD,
  events: [
    ['swing', 12],
    ['strike', 14],
  ],
  keys: [
    [0, GUARD],
    [4, { pelvis: [0.01, -0.07, 0.01], handR: [-0.12, -0.3, 0.14], aimR: [0.05, 0.7, 0.8], torsoTurn: [7, 8, 0] }],
    [10, { pelvis: [-0.03, -0.03, -0.08], pelvisTurn: [-3, -36, 0], torsoTurn: [-8, -26, -6], headTurn: [-2, 2, 0] }],
    [10, { handR: [-0.16, 0.26, -0.08], aimR: [0.25, 0.55, -0.85], elbowR: [-0.9, 0.3, -0.6] }],
    [10, { handL: [-0.02, -0.3, 0.32], faceL: [0.1, 0.08, 1], footL: [0.03, 0.0, 0.17], footTurnL: [0, 8, 0] }],
    [12, { handR: [-0.12, 0.3, 0.06], aimR: [0.1, 1, -0.35], footL: [0.03, 0.05, 0.23], torsoTurn: [-4, -12, -4] }],
    [14, { handR: [0.0, 0.18, 0.42], aimR: [-0.12, 0.75, 0.8], elbowR: [-0.9, -0.2, -0.4], footL: [0.04, 0, 0.31] }],
    [14, { handL: [0.12, -0.34, 0.2], faceL: [0.85, 0.05, 1], pelvisTurn: [8, -2, 0], torsoTurn: [10, 14, 4] }],
    [15, { handR: [0.12, -0.12, 0.49], aimR: [0.1, -0.15, 1], pelvis: [0.02, -0.12, 0.1] }],
    [18, { pelvis: [0.03, -0.16, 0.11], pelvisTurn: [13, 20, 0], torsoTurn: [20, 26, 8], headTurn: [8, 8, 0] }],
    [18, { handR: [0.3, -0.36, 0.3], aimR: [0.75, -0.55, 0.45], elbowR: [-0.6, 0.3, -0.3], footTurnR: [16, -32, 0] }],
    [18, { handL: [0.16, -0.38, 0.06], faceL: [1.3, 0.0, 0.8], footL: [0.04, 0, 0.31] }],
    [21, { handR: [0.31, -0.38, 0.26], aimR: [0.9, -0.5, 0.3], torsoTurn: [20, 28, 8], pelvis: [0.03, -0.155, 0.105] }],
    [21, { handL: [0.16, -0.38, 0.06], faceL: [1.3, 0, 0.8], pelvisTurn: [13, 20, 0], footTurnR: [16, -32, 0] }],
    [21, { footL: [0.04, 0, 0.31], headTurn: [8, 8, 0] }],
    [27, { handR: [0.06, -0.32, 0.3], aimR: [0.2, 0.3, 1], pelvis: [0.01, -0.08, 0.03], footL: [0.03, 0.045, 0.23] }],
    [27, { torsoTurn: [8, 12, 2], pelvisTurn: [5, -4, 0], handL: [0.07, -0.37, 0.22], faceL: [0.5, 0.02, 1] }],
    [29, { footL: [0.025, 0, 0.17], footTurnR: [2, -32, 0] }],
    [34, GUARD],
  ],
});

/** Struck on the chest: folds back and round, catches himself. */
const hit = keyedClip({
  name: 'hit',
  frameCount: 20,
  base: GUARD,
  keys: [
    [0, GUARD],
    [
      3,
      { pelvis: [-0.01, -0.06, -0.08], pelvisTurn: [-6, -24, -4], torsoTurn: [-14, -18, -8], headTurn: [-20, -14, -8] },
    ],
    [3, { handL: [0.12, -0.32, 0.2], faceL: [0.6, 0.3, 1], handR: [-0.26, -0.28, 0.16], aimR: [-0.4, 0.6, 0.8] }],
    [3, { footR: [-0.035, 0, -0.16], shoulderL: [8, -6, 0], shoulderR: [10, -8, 0] }],
    [6, { pelvis: [-0.02, -0.09, -0.13], pelvisTurn: [-2, -26, -3], torsoTurn: [4, -20, -6], headTurn: [8, -8, -3] }],
    [6, { handL: [0.1, -0.36, 0.18], handR: [-0.22, -0.33, 0.06], aimR: [-0.2, 0.1, 1], footR: [-0.05, 0.04, -0.24] }],
    [8, { footR: [-0.06, 0, -0.28], footTurnR: [0, -36, 0] }],
    [12, { pelvis: [-0.01, -0.085, -0.08], torsoTurn: [10, -4, -2], headTurn: [6, -2, 0], shoulderL: [0, 0, 0] }],
    [12, { shoulderR: [0, 0, 0], handL: [0.03, -0.37, 0.25], footR: [-0.06, 0, -0.28] }],
    [15, { footR: [-0.05, 0.04, -0.22] }],
    [20, GUARD],
  ],
});

/** Staggers, buckles and goes down on his back, the shield half over him. */
const fall = keyedClip({
  name: 'fall',
  frameCount: 48,
  base: GUARD,
  events: [['body_fall', 29]],
  keys: [
    [0, { ...GUARD, kneeL: [0, 0, 0], kneeR: [0, 0, 0], followL: [1, 0, 0], followR: [1, 0, 0] }],
    [
      3,
      { pelvis: [-0.01, -0.07, -0.1], pelvisTurn: [-8, -22, -4], torsoTurn: [-16, -14, -6], headTurn: [-24, -10, -6] },
    ],
    [3, { handL: [0.16, -0.26, 0.26], faceL: [0.6, 0.4, 1], handR: [-0.3, -0.2, 0.2], aimR: [-0.5, 0.8, 0.6] }],
    [3, { footR: [-0.035, 0, -0.16], footTurnR: [0, -32, 0] }],
    [9, { pelvis: [-0.03, -0.13, -0.26], pelvisTurn: [-6, -16, -3], torsoTurn: [10, -8, -4], headTurn: [12, -6, -8] }],
    [
      9,
      { footR: [-0.06, 0.06, -0.34], handL: [0.12, -0.34, 0.2], handR: [-0.28, -0.26, 0.02], aimR: [-0.6, 0.3, 0.8] },
    ],
    [11, { footR: [-0.07, 0, -0.46], footTurnR: [0, -30, 0], pelvis: [-0.03, -0.2, -0.34], followL: [0.9, 0, 0] }],
    [15, { pelvis: [-0.02, -0.34, -0.44], pelvisTurn: [-12, -10, 2], torsoTurn: [16, 2, 3], headTurn: [10, 4, 6] }],
    [
      15,
      {
        footL: [0.03, 0, 0.17],
        footTurnL: [0, 8, 0],
        footTurnR: [8, -26, 0],
        kneeL: [0.2, 0.3, 0],
        kneeR: [-0.4, 0.2, 0],
      },
    ],
    [
      15,
      {
        handL: [0.2, -0.3, 0.22],
        faceL: [0.5, 0.7, 0.8],
        handR: [-0.34, -0.22, -0.06],
        aimR: [-0.9, 0.3, 0.2],
        footR: [-0.07, 0, -0.46],
      },
    ],
    [
      22,
      {
        pelvis: [0, -0.66, -0.62],
        pelvisTurn: [-46, -4, 3],
        torsoTurn: [10, 4, 2],
        headTurn: [-16, 6, 6],
        headTwist: [0, 0, 0],
        gripR: [0, 0, 0],
        kneeL: [0.2, 1, 0],
      },
    ],
    [
      22,
      {
        footL: [0.04, 0, 0.13],
        footTurnL: [-8, 12, 0],
        footR: [-0.07, 0.02, -0.2],
        footTurnR: [-30, -20, 0],
        kneeR: [-0.5, 1, 0],
      },
    ],
    [
      22,
      {
        followL: [0.5, 0, 0],
        followR: [0.4, 0, 0],
        handL: [0.16, 0.1, 0.36],
        faceL: [0.3, 0.9, 0.5],
        handR: [-0.44, 0.02, 0.04],
      },
    ],
    [22, { aimR: [-0.8, 0.5, -0.2], elbowL: [0.9, -0.2, -0.3], elbowR: [-0.5, 0.2, -0.6] }],
    [
      28,
      {
        pelvis: [0.01, -0.785, -0.68],
        pelvisTurn: [-86, 0, 2],
        torsoTurn: [-2, 4, 0],
        headTurn: [-62, 4, 4],
        headTwist: [14, 0, 0],
        footTurnR: [-62, -18, 0],
      },
    ],
    [
      28,
      {
        footL: [0.05, 0, 0.07],
        footTurnL: [-6, 18, 0],
        footR: [-0.06, 0.02, 0.1],
        kneeL: [0.5, 1, 0],
        kneeR: [-0.3, 1, 0],
      },
    ],
    [
      28,
      {
        followL: [0, 0, 0],
        followR: [0, 0, 0],
        handL: [0.08, 0.08, 0.36],
        faceL: [0.35, 1, 0.1],
        handR: [-0.46, 0.0, 0.06],
      },
    ],
    [28, { aimR: [-0.75, 0.25, -0.5] }],
    [
      32,
      {
        pelvis: [0.01, -0.77, -0.69],
        pelvisTurn: [-88, 0, 2],
        torsoTurn: [3, 4, 0],
        headTurn: [-58, 4, 4],
        headTwist: [24, 0, 0],
        handR: [-0.47, -0.02, 0.08],
      },
    ],
    [32, { handL: [0.09, 0.1, 0.35], faceL: [0.5, 1, 0.05], aimR: [-0.75, 0.1, -0.6] }],
    [
      37,
      {
        pelvis: [0.01, -0.785, -0.69],
        pelvisTurn: [-89, 0, 1],
        torsoTurn: [-1, 3, 0],
        headTurn: [-70, 2, 2],
        headTwist: [50, 0, 0],
        kneeL: [0.9, 1, 0],
      },
    ],
    [
      37,
      {
        handL: [0.12, 0.03, 0.35],
        faceL: [0.7, 1, 0],
        handR: [-0.47, -0.04, 0.08],
        aimR: [-0.75, -0.02, -0.62],
        footTurnR: [-74, -22, 0],
      },
    ],
    [
      43,
      {
        headTurn: [-72, 0, 0],
        headTwist: [64, 0, 0],
        gripR: [42, 0, 0],
        handL: [0.13, 0.02, 0.35],
        kneeL: [1.1, 1, 0],
        footL: [0.07, 0, 0.1],
        footTurnL: [-4, 24, 6],
      },
    ],
    [48, { headTurn: [-72, 0, 0], headTwist: [66, 0, 0], pelvis: [0.01, -0.785, -0.69], kneeL: [1.15, 1, 0] }],
  ],
});

export const fightClips: readonly ClipPlan[] = [thrust, cut, hit, fall];
