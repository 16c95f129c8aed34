import { lathe } from '../geometry/solids.ts';
import { loft, oval, type Ring } from '../geometry/loft.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import type { Rgb } from '../geometry/colour.ts';
import type { Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

const SKIN: Weights = [];
const metal = (paint: Rgb): { paint: Rgb; material: 'metal' } => ({ paint, material: 'metal' });
const upright = {
  from: [0, 0, 0] as Vec3,
  axis: [0, 1, 0] as Vec3,
  side: [1, 0, 0] as Vec3,
  front: [0, 0, 1] as Vec3,
  skin: SKIN,
};

/** The short sword, upright, its edge to +Z, held at the origin. */
export function gladius(): Surface {
  const hilt = lathe(
    [
      { along: -0.11, radius: 0.016, finish: metal(C.gold) },
      { along: -0.085, radius: 0.034, finish: metal(C.gold) },
      { along: -0.056, radius: 0.017, finish: { paint: C.cream }, hard: true },
      { along: 0.05, radius: 0.017, finish: { paint: C.cream } },
    ],
    { ...upright, count: 5, capStart: true },
  );
  const guard = lathe(
    [
      { along: 0.05, radius: 1, finish: metal(C.gold), hard: true },
      { along: 0.082, radius: 0.86, finish: metal(C.gold), hard: true },
    ],
    { ...upright, side: [0.024, 0, 0], front: [0, 0, 0.05], count: 6, capStart: true, capEnd: true },
  );
  return new Surface().append(hilt).append(guard).append(blade());
}

/** Diamond section, slightly waisted, a long point. */
function blade(): Surface {
  const ring = (y: number, edge: number, ridge: number): Ring => ({
    points: [
      [0, y, edge],
      [ridge, y, 0],
      [0, y, -edge],
      [-ridge, y, 0],
    ],
    skin: SKIN,
    paint: C.steelBright,
    material: 'metal',
    columns: (column) => (column % 2 === 0 ? C.steelBright : C.steel),
    flat: true,
  });
  return loft([ring(0.078, 0.032, 0.008), ring(0.3, 0.028, 0.007), ring(0.47, 0.034, 0.007), ring(0.6, 0.001, 0.001)]);
}

/** The heavy javelin: a long iron shank on a wooden shaft, held at its middle. */
export function pilum(): Surface {
  const shaft = lathe(
    [
      { along: -0.8, radius: 0.004, finish: metal(C.steelDeep) },
      { along: -0.7, radius: 0.018, finish: { paint: C.wood }, hard: true },
      { along: 0.36, radius: 0.036, finish: { paint: C.leatherDeep }, hard: true },
      { along: 0.43, radius: 0.036, finish: { paint: C.wood } },
      { along: 0.5, radius: 0.017, finish: metal(C.steelDeep), hard: true },
      { along: 0.97, radius: 0.008, finish: metal(C.steelDeep) },
    ],
    { ...upright, count: 4 },
  );
  const head = lathe(
    [
      { along: 0.96, radius: 0.006, finish: metal(C.steel), hard: true },
      { along: 0.985, radius: 0.022, finish: metal(C.steelBright), hard: true },
      { along: 1.1, radius: 0.001, finish: metal(C.steelBright) },
    ],
    { ...upright, count: 4 },
  );
  return new Surface().append(shaft).append(head);
}

/** Hangs at the right hip; in model space. */
export function scabbard(): Surface {
  const ring = (t: number, wide: number, paint: Rgb, gold: boolean): Ring => ({
    points: oval([-0.2 - 0.035 * t, 0.96 - 0.44 * t, -0.05 * t], [0.02, 0, 0], [0, 0, wide], 5),
    skin: SKIN,
    paint,
    material: gold ? 'metal' : 'matte',
  });
  return loft(
    [
      ring(0, 0.038, C.gold, true),
      ring(0.12, 0.038, C.crimsonDeep, false),
      ring(0.76, 0.034, C.gold, true),
      ring(1, 0.008, C.gold, true),
    ],
    { capStart: true, capEnd: true },
  );
}
