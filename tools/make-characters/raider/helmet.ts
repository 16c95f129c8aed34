import { fur } from '../body/fur.ts';
import { loft, oval, type Ring } from '../geometry/loft.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import { cross, normalize, scale, sub, type Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

const SKIN: Weights = [];

/** An iron cap of four plates, riveted under bands. */
function cap(): Surface {
  const ring = (y: number, wide: number, deep: number, z: number, rest: Partial<Ring> = {}): Ring => ({
    points: oval([0, y, z], [wide, 0, 0], [0, 0, deep], 12, { power: 2.15 }),
    skin: SKIN,
    paint: C.iron,
    material: 'metal',
    columns: (column) => (column % 3 === 0 || column % 3 === 2 ? C.iron : C.ironDeep),
    ...rest,
  });
  return loft(
    [
      ring(1.775, 0.132, 0.155, 0.028, { columns: () => C.bronze, hard: true }),
      ring(1.802, 0.13, 0.152, 0.026, { hard: true }),
      ring(1.83, 0.115, 0.135, 0.022),
      ring(1.88, 0.075, 0.088, 0.018),
      ring(1.912, 0.018, 0.02, 0.016),
    ],
    { capEnd: true },
  );
}

/** Down over the nose. */
function nasal(): Surface {
  const ring = (y: number, half: number, z: number): Ring => ({
    points: [
      [half, y, z - 0.016],
      [0, y, z],
      [-half, y, z - 0.016],
    ],
    skin: SKIN,
    paint: C.bronze,
    material: 'metal',
    flat: true,
  });
  return loft([ring(1.76, 0.02, 0.186), ring(1.7, 0.017, 0.192), ring(1.66, 0.022, 0.212)], { open: true });
}

/** The left horn: out, forwards and up, its tip dark. */
function horn(): Surface {
  const line: readonly Vec3[] = [
    [0.105, 1.792, 0.02],
    [0.178, 1.812, 0.028],
    [0.232, 1.868, 0.042],
    [0.248, 1.95, 0.06],
    [0.226, 2.035, 0.082],
  ];
  const sizes = [0.042, 0.038, 0.031, 0.021, 0.003];
  const rings = line.map((at, i): Ring => {
    const along = normalize(sub(line[Math.min(i + 1, 4)]!, line[Math.max(i - 1, 0)]!));
    const front = normalize(cross(along, [0, 1, -0.4]));
    const side = cross(front, along);
    return {
      points: oval(at, scale(side, sizes[i]!), scale(front, sizes[i]!), 5),
      skin: SKIN,
      paint: i === 0 ? C.leatherDeep : i < 3 ? C.bone : C.boneDeep,
      hard: i === 1,
    };
  });
  return loft(rings);
}

/** A strip of fur under the rim keeps the iron off the skull. */
function brim(): Surface {
  return fur({
    count: 12,
    seed: 8,
    skin: SKIN,
    rows: [
      { centre: [0, 1.778, 0.026], wide: 0.132, deep: 0.153, paint: C.furLight },
      { centre: [0, 1.774, 0.026], wide: 0.15, deep: 0.172, flare: 0.05, paint: C.fur },
      { centre: [0, 1.748, 0.026], wide: 0.134, deep: 0.155, hang: 0.024, flare: 0.05, paint: C.furDark, shift: true },
    ],
  });
}

export const helmet = (): Surface =>
  new Surface().append(cap()).append(nasal()).append(brim()).append(horn().withMirror());
