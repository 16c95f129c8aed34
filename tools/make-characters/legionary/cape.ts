import { blendWeights } from '../geometry/weights.ts';
import { newGroup, Surface, turned, type Weights } from '../geometry/surface.ts';
import { blend, type Rgb } from '../geometry/colour.ts';
import { add, smoothstep, type Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

const COLUMNS = 8;

/** The rows of the cloak, from where it is pinned between the shoulder guards down to its hem. */
const ROWS: readonly { y: number; z: number; wide: number; wrap: number; fold: number }[] = [
  { y: 1.488, z: -0.06, wide: 0.118, wrap: 0, fold: 0.003 },
  { y: 1.45, z: -0.168, wide: 0.128, wrap: 0, fold: 0.006 },
  { y: 1.31, z: -0.192, wide: 0.185, wrap: 0.025, fold: 0.013 },
  { y: 1.03, z: -0.222, wide: 0.232, wrap: 0.045, fold: 0.026 },
  { y: 0.78, z: -0.25, wide: 0.258, wrap: 0.045, fold: 0.035 },
  { y: 0.56, z: -0.272, wide: 0.275, wrap: 0.04, fold: 0.042 },
];
/** Heights at which one joint of a cloak column hands over to the next. */
const HANDOVERS = [1.37, 1.12, 0.86] as const;

function capeWeights([x, y]: Vec3): Weights {
  const left = smoothstep(-0.16, 0.16, x);
  const column = (side: string): Weights => {
    let weights: Weights = [['chest', 1]];
    HANDOVERS.forEach((height, i) => {
      weights = blendWeights(weights, [[`cape_${i + 1}_${side}`, 1]], 1 - smoothstep(height - 0.09, height + 0.09, y));
    });
    return weights;
  };
  const shoulders = smoothstep(0.1, 0.2, Math.abs(x)) * smoothstep(1.36, 1.46, y) * 0.4;
  const cloth = blendWeights(column('r'), column('l'), left);
  return blendWeights(cloth, [[`clavicle_${x > 0 ? 'l' : 'r'}`, 1]], shoulders);
}

/** 1 on the crest of a fold, -1 in a valley; u runs from -1 at the right edge to 1. */
const foldAt = (u: number): number => -Math.cos((u + 1) * Math.PI * 2);

function drape(row: number, u: number): Vec3 {
  const { y, z, wide, wrap, fold } = ROWS[row]!;
  return [u * wide, y, z + wrap * u * u - fold * foldAt(u)];
}

/** A short cloak, dark inside. Where it lies on the back there is no inside to see. */
export const cape = (): Surface => sheet(0, 0, clothShade).append(turned(sheet(2, 0.008, () => C.lining)));

/** The cloth from a row on down to the hem, `inset` metres within the drape, seen from outside. */
function sheet(firstRow: number, inset: number, shade: (row: number, u: number) => Rgb): Surface {
  const surface = new Surface();
  const group = newGroup();
  const across = Array.from({ length: COLUMNS + 1 }, (_, k) => (k / COLUMNS) * 2 - 1);
  const grid = ROWS.map((_, row) => across.map((u) => surface.point(add(drape(row, u), [0, 0, inset]), capeWeights)));
  for (let row = firstRow; row + 1 < ROWS.length; row++) {
    for (let k = 0; k < COLUMNS; k++) {
      const places = [
        [row, k],
        [row, k + 1],
        [row + 1, k + 1],
        [row + 1, k],
      ] as const;
      surface.faces.push({
        corners: places.map(([i, j]) => grid[i]![j]!),
        colours: places.map(([i, j]) => shade(i, across[j]!)),
        material: 'matte',
        group,
        crease: 40,
      });
    }
  }
  return surface;
}

/** Darker in the valleys between folds and towards the hem. */
function clothShade(row: number, u: number): Rgb {
  const down = row / (ROWS.length - 1);
  const lit = blend(C.crimsonBright, C.crimson, 0.2 + 0.7 * down);
  return blend(lit, C.crimsonDeep, (0.5 - 0.5 * foldAt(u)) * 0.8 * down);
}
