import { blend } from '../make-characters/geometry/colour.ts';
import { Surface } from '../make-characters/geometry/surface.ts';
import { hash, hashAt } from '../make-characters/math/noise.ts';
import { add, dot, normalize, scale, type Vec3 } from '../make-characters/math/vec.ts';
import { PALETTE as C } from './palette.ts';
import { ball, either } from './shapes.ts';

interface RockPlan {
  readonly seed: number;
  /** Half of what it is wide, high and deep before it is cut. */
  readonly size: Vec3;
  readonly centre: Vec3;
  readonly divisions: number;
  /** Flat faces that are cut off it. */
  readonly cuts: number;
}

/** A ball with flat faces cut off, a little rough: facets that catch the light one by one. */
function rock({ seed, size, centre, divisions, cuts }: RockPlan): Surface {
  const planes = Array.from({ length: cuts }, (_, i) => ({
    normal: normalize([either(i, seed), 0.8 * either(i, seed + 50) + 0.25, either(i, seed + 90)]),
    distance: 0.62 + 0.24 * hash(i, seed + 7),
  }));
  const place = (direction: Vec3): Vec3 => {
    let length = 1;
    for (const { normal, distance } of planes) {
      const towards = dot(direction, normal);
      if (towards > 0) length = Math.min(length, distance / towards);
    }
    const rough = 1 + 0.06 * (hashAt(direction) - 0.5);
    const [x, y, z] = scale(direction, length * rough);
    return add(centre, [x * size[0], y * size[1], z * size[2]]);
  };
  const paint = (p: Vec3) => {
    const warm = blend(C.stone, C.stoneWarm, hash(Math.round(p[0] * 5), Math.round(p[2] * 5), seed));
    return blend(C.stoneDark, warm, Math.min(1, 0.35 + p[1]));
  };
  return ball(divisions, place, { paint });
}

export const boulder = (): Surface =>
  rock({ seed: 3, size: [0.95, 0.8, 0.8], centre: [0, 0.35, 0], divisions: 2, cuts: 11 });

export const slab = (): Surface =>
  rock({ seed: 8, size: [1.35, 0.5, 0.85], centre: [0, 0.16, 0], divisions: 2, cuts: 9 }).append(
    rock({ seed: 21, size: [0.6, 0.5, 0.5], centre: [-0.95, 0.12, 0.55], divisions: 1, cuts: 7 }),
  );

/** A handful of stones, none higher than a knee. */
export function stones(): Surface {
  const surface = new Surface();
  for (let i = 0; i < 7; i++) {
    const size = 0.1 + 0.17 * hash(i, 5);
    const angle = i * 2.4;
    const out = i === 0 ? 0 : 0.25 + 0.45 * hash(i, 9);
    const centre: Vec3 = [out * Math.sin(angle), 0.3 * size, out * Math.cos(angle)];
    surface.append(rock({ seed: 30 + i, size: [size * 1.2, size * 0.8, size], centre, divisions: 1, cuts: 7 }));
  }
  return surface;
}
