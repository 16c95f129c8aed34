import { blend, type Paint, type Rgb } from '../make-characters/geometry/colour.ts';
import { lathe, plate } from '../make-characters/geometry/solids.ts';
import { type Finish, Surface } from '../make-characters/geometry/surface.ts';
import { hash } from '../make-characters/math/noise.ts';
import {
  add,
  addScaled,
  cross,
  distance,
  dot,
  normalize,
  scale,
  sub,
  UP,
  type Vec3,
} from '../make-characters/math/vec.ts';

/** Props have no joints. */
const UNMOVED = [] as const;

/** A number from −1 to 1 that belongs to two others. */
export const either = (a: number, b: number): number => 2 * hash(a, b) - 1;

/** A colour, somewhat lighter or darker. */
export const shaded = (paint: Rgb, by: number): Rgb => blend(paint, by > 0 ? [1, 1, 1] : [0, 0, 0], Math.abs(by));

/** A straight pole that may taper. */
export function pole(from: Vec3, to: Vec3, radii: readonly [number, number], finish: Finish, count = 6): Surface {
  const axis = normalize(sub(to, from));
  const side = normalize(cross(Math.abs(axis[1]) < 0.9 ? UP : [1, 0, 0], axis));
  const ends = [
    { along: 0, radius: radii[0], finish },
    { along: distance(from, to), radius: radii[1], finish },
  ];
  const around = { from, axis, side, front: cross(axis, side), count, skin: UNMOVED };
  return lathe(ends, { ...around, capStart: true, capEnd: true });
}

/** A board between two points, `width` across along `across`, `thickness` deep. */
export function board(
  from: Vec3,
  to: Vec3,
  { across, width, thickness, paint }: { across: Vec3; width: number; thickness: number; paint: Paint },
): Surface {
  const side = scale(normalize(across), width / 2);
  const out = normalize(cross(normalize(sub(to, from)), side));
  const corner = (at: Vec3, s: number): Vec3 => addScaled(add(at, scale(side, s)), out, -thickness / 2);
  const outline = [corner(from, -1), corner(to, -1), corner(to, 1), corner(from, 1)];
  return plate(outline, { thickness: scale(out, thickness), skin: UNMOVED, face: { paint } });
}

/** A ball of triangles of equal size: an icosahedron, divided; each point on the unit sphere goes where `place` says. */
export function ball(divisions: number, place: (direction: Vec3) => Vec3, finish: Finish): Surface {
  const surface = new Surface();
  const golden = (1 + Math.sqrt(5)) / 2;
  const corners = [-1, 1].flatMap((a) =>
    [-golden, golden].flatMap((b): Vec3[] => [
      [0, a, b],
      [a, b, 0],
      [b, 0, a],
    ]),
  );
  const isFace = (a: Vec3, b: Vec3, c: Vec3) =>
    [distance(a, b), distance(b, c), distance(c, a)].every((edge) => Math.abs(edge - 2) < 1e-6);
  const known = new Map<string, number>();
  const point = (p: Vec3) => {
    const direction = normalize(p);
    const key = direction.map((x) => x.toFixed(6)).join();
    const index = known.get(key) ?? surface.point(place(direction), UNMOVED);
    known.set(key, index);
    return index;
  };
  const divide = (a: Vec3, b: Vec3, c: Vec3, level: number): void => {
    if (level === 0) return surface.face([point(a), point(b), point(c)], finish);
    const [ab, bc, ca] = [normalize(add(a, b)), normalize(add(b, c)), normalize(add(c, a))];
    for (const [p, q, r] of [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] as const) divide(p, q, r, level - 1); // prettier-ignore
  };
  corners.forEach((a, i) =>
    corners.slice(i + 1).forEach((b, j) =>
      corners.slice(i + j + 2).forEach((c) => {
        if (!isFace(a, b, c)) return;
        const turns = dot(cross(sub(b, a), sub(c, a)), a) > 0;
        divide(normalize(a), normalize(turns ? b : c), normalize(turns ? c : b), divisions);
      }),
    ),
  );
  return surface;
}
