import { foot } from '../body/foot.ts';
import { fur } from '../body/fur.ts';
import { fist } from '../body/hand.ts';
import { limb } from '../body/limb.ts';
import { chainWeights } from '../geometry/weights.ts';
import { onPath } from '../geometry/loft.ts';
import { Surface } from '../geometry/surface.ts';
import { PALETTE as C } from './palette.ts';
import { build } from './rig.ts';

/** The left arm: bare and heavy, two bands of paint, a leather bracer. */
function arm(): Surface {
  return limb({
    path: [build.shoulder, build.elbow, build.wrist],
    count: 6,
    skin: (s) =>
      chainWeights(s, 'clavicle_l', [
        { joint: 'upper_arm_l', at: 0, width: 0.34 },
        { joint: 'lower_arm_l', at: 1, width: 0.38 },
        { joint: 'hand_l', at: 1.98, width: 0.16 },
      ]),
    rows: [
      { s: -0.22, wide: 0.05, deep: 0.075, paint: C.skin },
      { s: 0.1, wide: 0.092, deep: 0.096, shift: [0.006, 0], paint: C.skin },
      { s: 0.38, wide: 0.083, deep: 0.089, paint: C.paint },
      { s: 0.48, wide: 0.079, deep: 0.087, shift: [0, 0.003], paint: C.skin },
      { s: 0.58, wide: 0.075, deep: 0.083, shift: [0, 0.003], paint: C.paint },
      { s: 0.66, wide: 0.071, deep: 0.078, paint: C.skin },
      { s: 1, wide: 0.058, deep: 0.062, shift: [0, -0.005], paint: C.skin },
      { s: 1.26, wide: 0.068, deep: 0.07, paint: C.skin },
      { s: 1.36, wide: 0.073, deep: 0.074, paint: C.strap, hard: true },
      { s: 1.45, wide: 0.071, deep: 0.071, paint: C.leather, hard: true },
      { s: 1.86, wide: 0.055, deep: 0.053, paint: C.strap, hard: true },
      { s: 1.95, wide: 0.054, deep: 0.051, paint: C.skin, hard: true },
      { s: 2.06, wide: 0.04, deep: 0.038, paint: C.skin },
    ],
  });
}

const legWeights = (s: number): ReturnType<typeof chainWeights> =>
  chainWeights(s, 'pelvis', [
    { joint: 'thigh_l', at: 0.02, width: 0.3 },
    { joint: 'shin_l', at: 1, width: 0.36 },
    { joint: 'foot_l', at: 1.97, width: 0.2 },
  ]);

/** The left leg: baggy trousers tied below the knee with cross-bound wraps. */
function leg(): Surface {
  return limb({
    path: [build.hip, build.knee, build.ankle],
    count: 6,
    skin: legWeights,
    rows: [
      { s: -0.08, wide: 0.1, deep: 0.13, shift: [-0.014, 0], paint: C.trousers },
      { s: 0.3, wide: 0.112, deep: 0.125, paint: C.trousers },
      { s: 0.75, wide: 0.096, deep: 0.1, shift: [0, 0.008], paint: C.trousers },
      { s: 1.02, wide: 0.092, deep: 0.098, shift: [0, 0.01], paint: C.trousersDeep },
      { s: 1.15, wide: 0.098, deep: 0.1, shift: [0, 0], paint: C.trousersDeep },
      { s: 1.2, wide: 0.073, deep: 0.078, shift: [0, -0.004], paint: C.wrap, hard: true },
      { s: 1.36, wide: 0.078, deep: 0.084, shift: [0, -0.012], paint: C.strap },
      { s: 1.44, wide: 0.077, deep: 0.082, shift: [0, -0.012], paint: C.wrap },
      { s: 1.6, wide: 0.069, deep: 0.074, shift: [0, -0.008], paint: C.leather },
      { s: 2.04, wide: 0.055, deep: 0.062, paint: C.leather },
    ],
  });
}

/** Fur round the top of the boot. */
function cuff(): Surface {
  const path = [build.hip, build.knee, build.ankle];
  return fur({
    count: 8,
    seed: 3,
    skin: legWeights(1.6),
    rows: [
      { centre: onPath(path, 1.56), wide: 0.07, deep: 0.076, paint: C.furLight },
      { centre: onPath(path, 1.6), wide: 0.092, deep: 0.1, flare: 0.06, paint: C.furLight },
      { centre: onPath(path, 1.74), wide: 0.078, deep: 0.086, hang: 0.035, flare: 0.1, paint: C.fur },
    ],
  });
}

function boot(): Surface {
  return foot(
    build,
    [
      { z: -0.112, sole: 0.036, wide: 0.032, high: 0.075, paint: C.leather },
      { z: -0.078, sole: 0.056, wide: 0.056, high: 0.13, paint: C.leather },
      { z: 0.03, sole: 0.062, wide: 0.066, high: 0.132, paint: C.leather },
      { z: 0.1, sole: 0.068, wide: 0.07, high: 0.096, inward: 0.002, paint: C.leather },
      { z: 0.185, sole: 0.062, wide: 0.062, high: 0.068, inward: 0.008, paint: C.strap, hard: true },
      { z: 0.228, sole: 0.034, wide: 0.03, high: 0.042, inward: 0.012, paint: C.strap },
    ],
    C.leatherDeep,
  );
}

/** Both arms and legs. */
export const limbs = (): Surface =>
  new Surface()
    .append(arm())
    .append(fist(build, 1.28, C.skin, C.skinDeep))
    .append(leg())
    .append(cuff())
    .append(boot())
    .withMirror();
