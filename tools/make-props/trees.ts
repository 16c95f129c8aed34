import { blend } from '../make-characters/geometry/colour.ts';
import { loft, oval, type Ring } from '../make-characters/geometry/loft.ts';
import { Surface } from '../make-characters/geometry/surface.ts';
import { hash, hashAt } from '../make-characters/math/noise.ts';
import { add, mix, type Vec3 } from '../make-characters/math/vec.ts';
import { PALETTE as C } from './palette.ts';
import { ball, pole, shaded } from './shapes.ts';

/** A trunk or branch through points, each with its radius. */
function limb(line: readonly (readonly [at: Vec3, radius: number])[], seed: number): Surface {
  const rings = line.map(([at, radius], i): Ring => {
    const shape = (column: number) => 0.88 + 0.24 * hash(column, seed);
    return {
      points: oval(at, [radius, 0, 0], [0, 0, radius], 7, { shape }),
      skin: [],
      paint: blend(C.barkDark, C.bark, Math.min(1, 0.35 + i / 3)),
      columns: (column) => shaded(C.bark, -0.35 * hash(column, i, seed)),
      flat: true,
    };
  });
  return loft(rings, { capEnd: true });
}

/** A cushion of needles: rounded above, flat below, facets of many greens. */
function cushion(centre: Vec3, [width, height, depth]: Vec3, seed: number): Surface {
  const place = (d: Vec3): Vec3 => {
    const rough = 0.86 + 0.28 * hashAt([d[0] + seed, d[1], d[2]]);
    const y = d[1] < 0 ? 0.35 * d[1] : d[1];
    return add(centre, [d[0] * width * rough, y * height * rough, d[2] * depth * rough]);
  };
  const paint = (p: Vec3) => {
    const light = blend(C.pine, C.pineLight, Math.min(1, Math.max(0, (p[1] - centre[1]) / height)));
    return shaded(light, -0.3 * hashAt(p));
  };
  return ball(2, place, { paint });
}

/** A stone pine, seven metres: a bare trunk that leans a little, branches, and an umbrella. */
export function pine(): Surface {
  const top: Vec3 = [0.5, 4.5, 0.15];
  const trunk = limb(
    [
      [[0, -0.15, 0], 0.34],
      [[0.02, 0.35, 0], 0.23],
      [[0.16, 1.7, 0.06], 0.19],
      [[0.22, 3.1, -0.04], 0.16],
      [top, 0.13],
    ],
    1,
  );
  const crown: readonly (readonly [centre: Vec3, size: Vec3])[] = [
    [[0.45, 5.3, 0.1], [1.75, 0.95, 1.6]],
    [[1.75, 4.95, 0.5], [1.25, 0.7, 1.15]],
    [[-0.85, 4.9, 0.55], [1.3, 0.7, 1.15]],
    [[0.35, 4.85, -1.2], [1.25, 0.68, 1.1]],
  ]; // prettier-ignore
  const surface = new Surface().append(trunk);
  crown.forEach(([centre, size], i) => {
    if (i > 0) surface.append(pole(mix([0.2, 3, 0], top, i / 3), centre, [0.1, 0.05], { paint: C.barkDark }, 5));
    surface.append(cushion(centre, size, i));
  });
  return surface;
}

/** A cypress, six metres: a flame of facets. */
export function cypress(): Surface {
  const radii = [0.3, 0.62, 0.78, 0.76, 0.62, 0.42, 0.2, 0.02];
  const rings = radii.map((radius, i): Ring => {
    const shape = (column: number) => (column % 2 === i % 2 ? 1.12 : 0.84) + 0.16 * (hash(column, i, 4) - 0.5);
    const shades = Array.from({ length: 10 }, (_, column) =>
      shaded(blend(C.cypress, C.pine, i / 12), -0.3 * hash(column, i)),
    );
    return {
      points: oval([0.05 * Math.sin(i), 0.55 + i * 0.8 - (i === 7 ? 0.1 : 0), 0], [radius, 0, 0], [0, 0, radius], 10, {
        shape,
      }),
      skin: [],
      paint: C.cypress,
      columns: (column) => shades[column],
      flat: true,
    };
  });
  const trunk = limb([[[0, -0.1, 0], 0.2], [[0, 0.8, 0], 0.14]], 2); // prettier-ignore
  return new Surface().append(trunk).append(loft(rings, { capStart: true }));
}
