import { SHIELD_AIM, type SomeControls } from '../motion/controls.ts';

/** Crouched to spring: shield low before him, the axe cocked beside the shoulder. */
export const GUARD: SomeControls = {
  pelvis: [0, -0.075, -0.01],
  pelvisTurn: [9, -16, 0],
  torsoTurn: [15, 6, 0],
  headTurn: [5, 2, 0],
  handL: [0.06, -0.33, 0.31],
  aimL: SHIELD_AIM.l,
  faceL: [0.3, 0.12, 1],
  elbowL: [0.9, -0.6, -0.3],
  followL: [0.7, 0, 0],
  handR: [-0.2, -0.2, 0.14],
  aimR: [-0.22, 1, -0.4],
  elbowR: [-0.9, -0.6, -0.5],
  followR: [0.8, 0, 0],
  footL: [0.045, 0, 0.19],
  footTurnL: [0, 14, 0],
  footR: [-0.06, 0, -0.18],
  footTurnR: [0, -34, 0],
  kneeL: [0.25, 0, 0],
  kneeR: [-0.3, 0, 0],
};

/** Drawn together behind the boards, glaring over the rim. */
export const COVER: SomeControls = {
  ...GUARD,
  pelvis: [0, -0.15, 0],
  pelvisTurn: [12, -26, 0],
  torsoTurn: [18, 12, 0],
  headTurn: [10, 2, 0],
  handL: [-0.12, -0.1, 0.42],
  faceL: [0.02, 0.45, 1],
  elbowL: [0.9, -0.8, -0.1],
  handR: [-0.22, -0.16, 0.02],
  aimR: [-0.25, 1, -0.55],
};
