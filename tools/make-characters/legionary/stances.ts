import { SHIELD_AIM, type SomeControls } from '../motion/controls.ts';

/** Ready to fight: left foot and shield forward, the blade low beside the hip. */
export const GUARD: SomeControls = {
  pelvis: [0.005, -0.035, -0.005],
  pelvisTurn: [3, -16, 0],
  torsoTurn: [3, 6, 0],
  headTurn: [2, 3, 0],
  handL: [0.05, -0.4, 0.27],
  aimL: SHIELD_AIM.l,
  faceL: [0.3, 0.02, 1],
  elbowL: [0.8, -0.55, -0.5],
  handR: [-0.07, -0.4, 0.1],
  aimR: [0.12, 0.3, 1],
  elbowR: [-0.5, -0.3, -1],
  footL: [0.025, 0, 0.17],
  footTurnL: [0, 8, 0],
  footR: [-0.035, 0, -0.16],
  footTurnR: [0, -32, 0],
};

/** Behind the shield: crouched, chin down, the blade beside its edge. */
export const COVER: SomeControls = {
  ...GUARD,
  pelvis: [0, -0.12, 0.02],
  pelvisTurn: [8, -22, 0],
  torsoTurn: [12, 8, 0],
  headTurn: [8, 2, 0],
  handL: [-0.11, -0.2, 0.36],
  faceL: [0.04, 0.42, 1],
  elbowL: [0.9, -0.7, -0.2],
  handR: [-0.1, -0.3, 0.06],
  aimR: [0.1, 0.25, 1],
};
