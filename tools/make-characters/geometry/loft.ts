import { add, addScaled, cross, dot, mix, normalize, scale, sub, type Vec3, ZERO } from '../math/vec.ts';
import type { Paint } from './colour.ts';
import { type MaterialName, newGroup, type Skin, Surface } from './surface.ts';

/** One closed cross-section, and what the band from it to the next one looks like. */
export interface Ring {
  readonly points: readonly Vec3[];
  readonly skin: Skin;
  readonly paint: Paint;
  /** Paints single columns of the band otherwise. */
  readonly columns?: (column: number) => Paint | undefined;
  readonly material?: MaterialName;
  /** A sharp edge runs along this ring. */
  readonly hard?: boolean;
  readonly flat?: boolean;
}

export interface LoftOptions {
  readonly capStart?: boolean;
  readonly capEnd?: boolean;
  /** The first and last columns are not joined: a strip instead of a tube. */
  readonly open?: boolean;
}

/** A skin over rings with equally many points. Faces turn outwards whichever way the rings are listed. */
export function loft(rings: readonly Ring[], options: LoftOptions = {}): Surface {
  const surface = new Surface();
  const turned = !options.open && ringsRunBackwards(rings);
  let group = newGroup();
  const rows = rings.map((ring) => ring.points.map((p) => surface.point(p, ring.skin)));
  const around = rows[0]!.length;
  const columns = options.open ? around - 1 : around;
  for (let i = 0; i + 1 < rings.length; i++) {
    const ring = rings[i]!;
    if (ring.hard) group = newGroup();
    for (let k = 0; k < columns; k++) {
      const next = (k + 1) % around;
      const corners = [rows[i]![k]!, rows[i]![next]!, rows[i + 1]![next]!, rows[i + 1]![k]!];
      surface.face(distinct(surface, turned ? corners.reverse() : corners), {
        paint: ring.columns?.(k) ?? ring.paint,
        material: ring.material ?? 'matte',
        group: ring.flat ? 0 : group,
      });
    }
  }
  const cap = (row: number, outward: boolean): void => {
    const corners = [...rows[row]!];
    if (outward === turned) corners.reverse();
    const ring = rings[row]!;
    surface.face(corners, { paint: ring.paint, material: ring.material ?? 'matte', group: 0 });
  };
  if (options.capStart) cap(0, false);
  if (options.capEnd) cap(rings.length - 1, true);
  return surface;
}

/** A ring that closes to a point makes triangles, not slivers. */
function distinct(surface: Surface, corners: number[]): number[] {
  return corners.filter((corner, i) => {
    const before = corners[(i + corners.length - 1) % corners.length]!;
    const gap = sub(surface.points[corner]!, surface.points[before]!);
    return dot(gap, gap) > 1e-12;
  });
}

const centreOf = (points: readonly Vec3[]): Vec3 => scale(points.reduce(add, ZERO), 1 / points.length);

function ringsRunBackwards(rings: readonly Ring[]): boolean {
  let forwards = 0;
  for (let i = 0; i + 1 < rings.length; i++) {
    const a = rings[i]!.points;
    const centre = centreOf(a);
    let normal: Vec3 = ZERO;
    a.forEach((p, k) => (normal = add(normal, cross(sub(p, centre), sub(a[(k + 1) % a.length]!, centre)))));
    forwards += dot(normal, sub(centreOf(rings[i + 1]!.points), centre));
  }
  return forwards < 0;
}

interface OvalOptions {
  /** 2 is an ellipse; larger is squarer. */
  readonly power?: number;
  /** Moves single points: column → factor on its distance from the centre. */
  readonly shape?: (column: number, count: number) => number;
}

/**
 * Points around an oval: the first along `front`, then towards `side`. The lengths of the two are the half widths.
 */
export function oval(centre: Vec3, side: Vec3, front: Vec3, count: number, options: OvalOptions = {}): Vec3[] {
  const power = 2 / (options.power ?? 2);
  return Array.from({ length: count }, (_, k) => {
    const angle = (k / count) * Math.PI * 2;
    const factor = options.shape?.(k, count) ?? 1;
    const s = Math.sin(angle);
    const c = Math.cos(angle);
    const x = Math.sign(s) * Math.abs(s) ** power * factor;
    const z = Math.sign(c) * Math.abs(c) ** power * factor;
    return addScaled(addScaled(centre, side, x), front, z);
  });
}

/** The points of an oval from one side over its front to the other: for beards. */
export function frontHalf(points: readonly Vec3[]): Vec3[] {
  const quarter = points.length / 4;
  return [...points.slice(-quarter), ...points.slice(0, quarter + 1)];
}

/** A place on a line of points: 1.5 is half way between the second and the third. Runs on beyond both ends. */
export function onPath(path: readonly Vec3[], s: number): Vec3 {
  const i = Math.min(path.length - 2, Math.max(0, Math.floor(s)));
  return mix(path[i]!, path[i + 1]!, s - i);
}

/** Where the path runs; at a bend half way between both directions. */
export function pathDirection(path: readonly Vec3[], s: number): Vec3 {
  const softness = 0.25;
  return normalize(sub(onPath(path, s + softness), onPath(path, s - softness)));
}
