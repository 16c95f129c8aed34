import { addScaled, cross, FORWARD, perpendicular, type Vec3 } from '../math/vec.ts';
import type { Paint } from '../geometry/colour.ts';
import { loft, type LoftOptions, onPath, oval, pathDirection, type Ring } from '../geometry/loft.ts';
import type { MaterialName, Surface, Weights } from '../geometry/surface.ts';

/** One cross-section of an arm or leg. */
interface LimbRow {
  /** Along the limb: 0 at its root joint, 1 at the next, 2 at the third. */
  readonly s: number;
  /** Half widths: across, and front to back. */
  readonly wide: number;
  readonly deep: number;
  /** Away from the bones: outwards, forwards. */
  readonly shift?: readonly [number, number];
  readonly paint: Paint;
  readonly columns?: (column: number) => Paint | undefined;
  readonly material?: MaterialName;
  readonly hard?: boolean;
  readonly flat?: boolean;
  readonly power?: number;
  /** Pushes single points out or in. */
  readonly shape?: (column: number, count: number) => number;
}

interface LimbPlan {
  readonly path: readonly Vec3[];
  readonly count: number;
  readonly rows: readonly LimbRow[];
  readonly skin: (s: number) => Weights;
  readonly options?: LoftOptions;
}

/** A tube along bones. Column 0 is in front, a quarter on is outwards, half way is behind. */
export function limb({ path, count, rows, skin, options }: LimbPlan): Surface {
  const rings = rows.map((row): Ring => {
    const along = pathDirection(path, row.s);
    const front = perpendicular(FORWARD, along);
    const out = cross(front, along);
    const [outShift, frontShift] = row.shift ?? [0, 0];
    const centre = addScaled(addScaled(onPath(path, row.s), out, outShift), front, frontShift);
    const section = {
      ...(row.power === undefined ? {} : { power: row.power }),
      ...(row.shape ? { shape: row.shape } : {}),
    };
    return {
      points: oval(centre, scaleTo(out, row.wide), scaleTo(front, row.deep), count, section),
      skin: skin(row.s),
      paint: row.paint,
      ...(row.columns ? { columns: row.columns } : {}),
      material: row.material ?? 'matte',
      hard: row.hard ?? false,
      flat: row.flat ?? false,
    };
  });
  return loft(rings, options);
}

const scaleTo = (v: Vec3, size: number): Vec3 => [v[0] * size, v[1] * size, v[2] * size];
