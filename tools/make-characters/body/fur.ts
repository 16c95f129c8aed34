import { loft, type Ring } from '../geometry/loft.ts';
import { newGroup, Surface, type Skin } from '../geometry/surface.ts';
import { blend, type Rgb } from '../geometry/colour.ts';
import { hash } from '../math/noise.ts';
import { add, type Vec3 } from '../math/vec.ts';

/** One ring of tufts around a body: even columns hang lower and stand off further than odd ones. */
interface FurRow {
  readonly centre: Vec3;
  readonly wide: number;
  readonly deep: number;
  /** How far tufts hang below the ring, and stand out from it. */
  readonly hang?: number;
  readonly flare?: number;
  readonly paint: Rgb;
  /** Where the tufts of this ring begin, in half columns: rings that follow each other interlock. */
  readonly shift?: boolean;
}

interface FurPlan {
  readonly rows: readonly FurRow[];
  readonly count: number;
  readonly skin: Skin;
  readonly seed: number;
}

/** Fur as facets: a jagged tube, flat-shaded, its tufts lighter and darker at random but always the same. */
export function fur({ rows, count, skin, seed }: FurPlan): Surface {
  const rings = rows.map((row, i): Ring => {
    const points = Array.from({ length: count }, (_, k): Vec3 => {
      const tuft = (k + (row.shift ? 1 : 0)) % 2 === 0;
      const ragged = 0.7 + 0.6 * hash(k, i, seed);
      const out = 1 + (tuft ? (row.flare ?? 0) * ragged : -(row.flare ?? 0) * 0.4);
      const angle = (k / count) * Math.PI * 2;
      const drop = tuft ? (row.hang ?? 0) * ragged : 0;
      return add(row.centre, [Math.sin(angle) * row.wide * out, -drop, Math.cos(angle) * row.deep * out]);
    });
    const shades = Array.from({ length: count }, (_, k) => blend(row.paint, [0, 0, 0], 0.22 * hash(k, seed, i)));
    return { points, skin, paint: row.paint, columns: (column) => shades[column], flat: true };
  });
  return loft(rings);
}

/** A hanging strip of fur or cloth, ragged at its end, with a back of its own. */
interface StripPlan {
  readonly line: readonly { at: Vec3; half: number }[];
  readonly side: Vec3;
  readonly out: Vec3;
  readonly bulge: number;
  readonly skin: Skin;
  readonly front: Rgb;
  readonly tip: Rgb;
  readonly back: Rgb;
  readonly seed: number;
}

/** Two columns that meet in a ridge, each smooth along its length; the back is one plain column. */
export function furStrip({ line, side, out, bulge, skin, front, tip, back, seed }: StripPlan): Surface {
  const surface = new Surface();
  const last = line.length - 1;
  const at = (row: number, across: number, off: number): Vec3 => {
    const { at: centre, half } = line[row]!;
    const ragged = row === last ? 0.05 * (hash(across + 7, seed) - 0.4) : 0;
    const x = across * half;
    const o = off + bulge * (1 - across * across);
    return [centre[0] + side[0] * x + out[0] * o, centre[1] - ragged, centre[2] + side[2] * x + out[2] * o];
  };
  const column = (from: number, to: number, off: number, shades: readonly Rgb[]): void => {
    const group = newGroup();
    const points = line.map((_, row) => [from, to].map((across) => surface.point(at(row, across, off), skin)));
    for (let row = 0; row < last; row++) {
      surface.faces.push({
        corners: [points[row + 1]![0]!, points[row + 1]![1]!, points[row]![1]!, points[row]![0]!],
        colours: [shades[row + 1]!, shades[row + 1]!, shades[row]!, shades[row]!],
        material: 'matte',
        group,
        crease: 180,
      });
    }
  };
  for (const across of [-1, 0]) {
    const shades = line.map((_, row) =>
      blend(blend(front, tip, row / last), [0, 0, 0], 0.2 * hash(row, across + 3, seed)),
    );
    column(across, across + 1, 0, shades);
  }
  column(
    1,
    -1,
    -0.014,
    line.map(() => back),
  );
  return surface;
}
