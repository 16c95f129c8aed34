import { foot } from '../body/foot.ts';
import { fist } from '../body/hand.ts';
import { limb } from '../body/limb.ts';
import { chainWeights } from '../geometry/weights.ts';
import { Surface } from '../geometry/surface.ts';
import { PALETTE as C } from './palette.ts';
import { build } from './rig.ts';

/** The left arm: a short crimson sleeve, a bare elbow, a leather bracer with brass edges. */
function arm(): Surface {
  return limb({
    path: [build.shoulder, build.elbow, build.wrist],
    count: 6,
    skin: (s) =>
      chainWeights(s, 'clavicle_l', [
        { joint: 'upper_arm_l', at: 0.02, width: 0.3 },
        { joint: 'lower_arm_l', at: 1, width: 0.36 },
        { joint: 'hand_l', at: 1.98, width: 0.16 },
      ]),
    rows: [
      { s: -0.12, wide: 0.055, deep: 0.07, paint: C.crimson },
      { s: 0.18, wide: 0.08, deep: 0.083, paint: C.crimson },
      { s: 0.54, wide: 0.084, deep: 0.086, paint: C.lining, hard: true },
      { s: 0.48, wide: 0.06, deep: 0.062, paint: C.skin, hard: true },
      { s: 0.8, wide: 0.057, deep: 0.06, paint: C.skin },
      { s: 1, wide: 0.05, deep: 0.053, shift: [0, -0.004], paint: C.skin },
      { s: 1.22, wide: 0.056, deep: 0.058, paint: C.skin },
      { s: 1.28, wide: 0.064, deep: 0.066, paint: C.gold, material: 'metal', hard: true },
      { s: 1.37, wide: 0.063, deep: 0.064, paint: C.leather, hard: true },
      { s: 1.83, wide: 0.049, deep: 0.047, paint: C.gold, material: 'metal', hard: true },
      { s: 1.94, wide: 0.05, deep: 0.047, paint: C.skin, hard: true },
      { s: 2.06, wide: 0.036, deep: 0.035, paint: C.skin },
    ],
  });
}

/** The left leg: bare but for the straps that tie the boot up the shin. */
function leg(): Surface {
  return limb({
    path: [build.hip, build.knee, build.ankle],
    count: 6,
    skin: (s) =>
      chainWeights(s, 'thigh_l', [
        { joint: 'shin_l', at: 1, width: 0.34 },
        { joint: 'foot_l', at: 1.97, width: 0.2 },
      ]),
    rows: [
      { s: 0.3, wide: 0.096, deep: 0.104, paint: C.skin },
      { s: 0.78, wide: 0.075, deep: 0.08, shift: [0, 0.008], paint: C.skin },
      { s: 0.98, wide: 0.065, deep: 0.073, shift: [0, 0.012], paint: C.skin, power: 2.4 },
      { s: 1.15, wide: 0.063, deep: 0.066, shift: [0, -0.004], paint: C.skin },
      { s: 1.3, wide: 0.073, deep: 0.08, shift: [0.002, -0.014], paint: C.strap, hard: true },
      { s: 1.38, wide: 0.074, deep: 0.081, shift: [0.002, -0.015], paint: C.leather },
      { s: 1.64, wide: 0.063, deep: 0.068, shift: [0, -0.01], paint: C.strap },
      { s: 1.72, wide: 0.058, deep: 0.062, shift: [0, -0.008], paint: C.leather },
      { s: 2.04, wide: 0.048, deep: 0.056, shift: [0, 0], paint: C.leather },
    ],
  });
}

/** Marching boots: leather straps over bare toes. */
function boot(): Surface {
  return foot(
    build,
    [
      { z: -0.1, sole: 0.034, wide: 0.03, high: 0.07, paint: C.leather },
      { z: -0.07, sole: 0.05, wide: 0.05, high: 0.12, paint: C.leather },
      { z: 0.02, sole: 0.055, wide: 0.058, high: 0.124, paint: C.leather },
      { z: 0.075, sole: 0.06, wide: 0.061, high: 0.09, inward: 0.002, paint: C.strap, hard: true },
      { z: 0.12, sole: 0.062, wide: 0.062, high: 0.068, inward: 0.003, paint: C.skin, hard: true },
      { z: 0.175, sole: 0.052, wide: 0.05, high: 0.054, inward: 0.008, paint: C.skin },
      { z: 0.205, sole: 0.032, wide: 0.028, high: 0.034, inward: 0.012, paint: C.skin },
    ],
    C.leatherDeep,
  );
}

/** Both arms and legs. */
export const limbs = (): Surface =>
  new Surface()
    .append(arm())
    .append(fist(build, 1.15, C.skin, C.skinDeep))
    .append(leg())
    .append(boot())
    .withMirror();
