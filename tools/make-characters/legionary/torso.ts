import { chainWeights } from '../geometry/weights.ts';
import { loft, oval, type Ring } from '../geometry/loft.ts';
import { box } from '../geometry/solids.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import type { Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

const AROUND = 10;
const BANDS = 4;
const WAIST = 1.03;
const BAND_HEIGHT = 0.066;

export const torsoWeights = (p: Vec3): Weights =>
  chainWeights(p[1], 'pelvis', [
    { joint: 'spine_1', at: 1.035, width: 0.09 },
    { joint: 'spine_2', at: 1.13, width: 0.11 },
    { joint: 'chest', at: 1.24, width: 0.13 },
  ]);

/** Half widths of the armour at a height: a barrel that widens to the chest. */
function girth(y: number): [side: number, front: number] {
  const t = (y - WAIST) / (BANDS * BAND_HEIGHT);
  return [0.152 + 0.034 * t * t, 0.118 + 0.02 * t];
}

const ring = (y: number, side: number, front: number, rest: Omit<Ring, 'points' | 'skin'>, z = -0.008): Ring => ({
  points: oval([0, y, z], [side, 0, 0], [0, 0, front], AROUND, { power: 2.35 }),
  skin: torsoWeights,
  ...rest,
});

/** The banded cuirass: each hoop's lower lip stands over the top of the next. */
function cuirass(): Surface {
  const steel = { paint: C.steel, material: 'metal' as const, hard: true };
  const rings: Ring[] = [];
  for (let band = 0; band < BANDS; band++) {
    const low = WAIST + band * BAND_HEIGHT;
    const [side, front] = girth(low);
    const [sideTop, frontTop] = girth(low + BAND_HEIGHT);
    // brass lace hooks run down the middle of the front and the back
    const hooks = (column: number): Vec3 | undefined =>
      column === 0 || column === AROUND - 1 ? C.steelBright : undefined;
    rings.push(ring(low, side + 0.012, front + 0.012, { ...steel, columns: hooks }));
    rings.push(ring(low + BAND_HEIGHT + 0.002, sideTop, frontTop, { ...steel, paint: C.steelDeep }));
  }
  const plates = { material: 'metal' as const, paint: C.steelBright };
  rings.push(ring(1.293, 0.198, 0.15, { ...plates, hard: true }));
  rings.push(ring(1.35, 0.2, 0.152, plates, -0.01));
  rings.push(ring(1.405, 0.172, 0.132, { ...plates, paint: C.gold, hard: true }, -0.012));
  rings.push(ring(1.42, 0.16, 0.122, { ...plates, hard: true }, -0.013));
  rings.push(ring(1.462, 0.098, 0.088, plates, -0.016));
  return loft(rings);
}

/** A scarf keeps the plates off the neck. */
function scarf(): Surface {
  const skin: Weights = [
    ['chest', 0.75],
    ['neck', 0.25],
  ];
  const row = (y: number, side: number, front: number, z: number, paint = C.crimsonBright): Ring => ({
    points: oval([0, y, z], [side, 0, 0], [0, -0.018, front], 8, { power: 2.2 }),
    skin,
    paint,
  });
  return loft([
    row(1.435, 0.112, 0.105, -0.012, C.crimson),
    row(1.468, 0.115, 0.108, -0.01, C.crimsonBright),
    row(1.505, 0.074, 0.074, -0.01, C.crimson),
  ]);
}

function belt(): Surface {
  const row = (y: number, grow: number, rest: Partial<Ring> = {}): Ring => ({
    ...ring(y, 0.158 + grow, 0.124 + grow, { paint: C.leatherDeep }),
    skin: (p) => torsoWeights([p[0], Math.min(p[1], 1.02), p[2]]),
    ...rest,
  });
  const studs = (column: number): Vec3 | undefined => (column % 2 === 0 ? C.gold : undefined);
  return new Surface()
    .append(loft([row(0.966, 0.016, { columns: studs, hard: true }), row(1.02, 0.014, { hard: true }), row(1.028, 0)]))
    .append(box([0, 0.996, 0.133], [0.07, 0.066, 0.022], [['pelvis', 1]], { paint: C.gold, material: 'metal' }));
}

export const torso = (): Surface => new Surface().append(cuirass()).append(scarf()).append(belt());
