import { fur, furStrip } from '../body/fur.ts';
import { blendWeights, chainWeights } from '../geometry/weights.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import { clamp, smoothstep, type Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';
import { hangingJoints, LOIN_BACK, LOIN_FRONT, PELT } from './rig.ts';

/** Middle and back move with the chest, the sides with the shoulders. */
function mantleWeights([x, y]: Vec3): Weights {
  const side = x > 0 ? 'l' : 'r';
  const out = smoothstep(0.08, 0.24, Math.abs(x));
  const low = smoothstep(1.56, 1.4, y) * smoothstep(0.2, 0.34, Math.abs(x));
  const shoulder = blendWeights([['chest', 1]], [[`clavicle_${side}`, 1]], out * 0.8);
  return blendWeights(shoulder, [[`upper_arm_${side}`, 1]], low * 0.6);
}

/** A wolf's fur over the shoulders, in two ragged layers. */
export function mantle(): Surface {
  const centre = (y: number, z: number): Vec3 => [0, y, z];
  return fur({
    count: 16,
    seed: 11,
    skin: mantleWeights,
    rows: [
      { centre: centre(1.53, -0.02), wide: 0.09, deep: 0.085, paint: C.furDark },
      { centre: centre(1.605, -0.05), wide: 0.165, deep: 0.135, flare: 0.05, paint: C.fur },
      { centre: centre(1.59, -0.062), wide: 0.255, deep: 0.168, hang: 0.02, flare: 0.05, paint: C.fur, shift: true },
      { centre: centre(1.535, -0.062), wide: 0.335, deep: 0.184, hang: 0.035, flare: 0.04, paint: C.furLight },
      {
        centre: centre(1.42, -0.056),
        wide: 0.372,
        deep: 0.19,
        hang: 0.085,
        flare: 0.07,
        paint: C.furDark,
        shift: true,
      },
    ],
  });
}

const peltWeights = ([, y]: Vec3): Weights => {
  const [first, second] = hangingJoints(PELT);
  return chainWeights(-y, 'chest', [
    { joint: first!, at: -1.39, width: 0.12 },
    { joint: second!, at: -1.15, width: 0.16 },
  ]);
};

/** The rest of the wolf, down the back. */
export function pelt(): Surface {
  const strip = (x: number, half: number, length: number, seed: number): Surface =>
    furStrip({
      line: [
        { at: [x * 0.8, 1.47, -0.185], half },
        { at: [x, 1.28, -0.215], half: half * 1.15 },
        { at: [x * 1.1, 1.08, -0.24], half: half * 1.1 },
        { at: [x * 1.15, 1.08 - length, -0.262], half: half * 0.3 },
      ],
      side: [-1, 0, 0],
      out: [0, 0, -1],
      bulge: 0.024,
      skin: peltWeights,
      front: C.fur,
      tip: seed % 2 === 0 ? C.furLight : C.fur,
      back: C.furDark,
      seed,
    });
  return new Surface()
    .append(strip(-0.15, 0.068, 0.2, 20))
    .append(strip(0.15, 0.068, 0.16, 22))
    .append(strip(-0.052, 0.075, 0.27, 21))
    .append(strip(0.056, 0.075, 0.25, 23));
}

/** Joints down a hanging strip; beside it the thighs take over. */
const loinWeights =
  (hanging: typeof LOIN_FRONT) =>
  ([x, y]: Vec3): Weights => {
    const names = hangingJoints(hanging);
    const down = chainWeights(
      -y,
      'pelvis',
      names.map((joint, i) => ({ joint, at: -hanging.line[i]![1] + 0.03, width: 0.12 })),
    );
    const side = x > 0 ? 'l' : 'r';
    return blendWeights(
      down,
      [[`thigh_${side}`, 1]],
      0.35 * smoothstep(0.05, 0.12, Math.abs(x)) * smoothstep(0.92, 0.8, y),
    );
  };

function loincloth(front: boolean): Surface {
  const hanging = front ? LOIN_FRONT : LOIN_BACK;
  const z = front ? 1 : -1;
  const strip = (x: number, half: number, end: number, seed: number): Surface =>
    furStrip({
      line: [
        { at: [x, 0.985, z * 0.166], half },
        { at: [x, 0.9, z * 0.218], half: half * 1.06 },
        { at: [x * 1.1, 0.76, z * 0.245], half: half * 1.12 },
        { at: [x * 1.15, end, z * 0.245], half: half * 0.7 },
      ],
      side: [z, 0, 0],
      out: [0, 0, z],
      bulge: 0.014,
      skin: loinWeights(hanging),
      front: seed % 2 === 0 ? C.teal : C.tealDeep,
      tip: seed % 2 === 0 ? C.tealBright : C.teal,
      back: C.tealDeep,
      seed,
    });
  return new Surface().append(strip(0, 0.07, 0.55, front ? 30 : 32));
}

/** Short tufts round the hips under the belt. */
function hipFur(): Surface {
  const skin = ([x, y]: Vec3): Weights => {
    const legs: Weights = [
      ['thigh_l', clamp(0.5 + x * 6, 0, 1)],
      ['thigh_r', clamp(0.5 - x * 6, 0, 1)],
    ];
    return blendWeights([['pelvis', 1]], legs, 0.75 * smoothstep(0.95, 0.82, y));
  };
  return fur({
    count: 14,
    seed: 5,
    skin,
    rows: [
      { centre: [0, 0.985, 0], wide: 0.182, deep: 0.15, paint: C.fur },
      { centre: [0, 0.92, 0], wide: 0.222, deep: 0.185, flare: 0.05, hang: 0.02, paint: C.furLight },
      { centre: [0, 0.83, 0], wide: 0.245, deep: 0.21, flare: 0.07, hang: 0.09, paint: C.furDark, shift: true },
    ],
  });
}

export const skirtFurs = (): Surface => new Surface().append(hipFur()).append(loincloth(true)).append(loincloth(false));
