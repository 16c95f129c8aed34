import { add, addScaled, cross, dot, normalize, scale, sub, type Vec3 } from '../math/vec.ts';
import type { Triangle } from './normals.ts';

/** How much of the sky a point sees: ambient occlusion by casting rays at the model in its bind pose. */
export interface Occluder {
  /** 1 in the open, towards 0 in a crease. */
  opennessAt(at: Vec3, normal: Vec3): number;
}

const RAYS = 56;
const MAX_LEAF = 4;

interface Node {
  readonly low: Vec3;
  readonly high: Vec3;
  readonly children?: readonly [Node, Node];
  readonly triangles?: readonly Flat[];
}

interface Flat {
  readonly a: Vec3;
  readonly ab: Vec3;
  readonly ac: Vec3;
  readonly centre: Vec3;
  readonly low: Vec3;
  readonly high: Vec3;
}

/** Metres: what is nearer than `from` or further than `range` casts no shade. */
export function makeOccluder(
  triangles: readonly Triangle[],
  { from, range }: { from: number; range: number },
): Occluder {
  const root = buildTree(triangles.map(flatten));
  const rays = hemisphere(RAYS);
  const known = new Map<string, number>();
  return {
    opennessAt(at, normal) {
      // neighbouring faces ask again for the corners they share
      const key = `${at.join()}/${normal.join()}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const side = normalize(cross(Math.abs(normal[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0], normal));
      const front = cross(normal, side);
      const origin = addScaled(at, normal, from);
      let shade = 0;
      for (const [x, y, z] of rays) {
        const ray = add(add(scale(side, x), scale(normal, y)), scale(front, z));
        const hit = castRay(root, origin, ray, range);
        shade += 1 - hit / range;
      }
      known.set(key, 1 - shade / RAYS);
      return 1 - shade / RAYS;
    },
  };
}

/** Directions around +Y, denser towards it as light on a surface counts (cosine), on a golden spiral. */
function hemisphere(count: number): Vec3[] {
  return Array.from({ length: count }, (_, i) => {
    const r = Math.sqrt((i + 0.5) / count);
    const angle = i * 2.399963229728653;
    return [r * Math.cos(angle), Math.sqrt(1 - r * r), r * Math.sin(angle)];
  });
}

const least = (a: Vec3, b: Vec3): Vec3 => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.min(a[2], b[2])];
const most = (a: Vec3, b: Vec3): Vec3 => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.max(a[2], b[2])];

function flatten({ corners }: Triangle): Flat {
  const [a, b, c] = [corners[0].at, corners[1].at, corners[2].at];
  return {
    a,
    ab: sub(b, a),
    ac: sub(c, a),
    centre: scale(add(add(a, b), c), 1 / 3),
    low: least(least(a, b), c),
    high: most(most(a, b), c),
  };
}

function buildTree(triangles: readonly Flat[]): Node {
  const low = triangles.map((t) => t.low).reduce(least);
  const high = triangles.map((t) => t.high).reduce(most);
  if (triangles.length <= MAX_LEAF) return { low, high, triangles };
  const size = sub(high, low);
  const axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
  const sorted = [...triangles].sort((p, q) => p.centre[axis] - q.centre[axis]);
  const half = sorted.length >> 1;
  return { low, high, children: [buildTree(sorted.slice(0, half)), buildTree(sorted.slice(half))] };
}

/** The distance to the first triangle, or `far`. */
function castRay(node: Node, origin: Vec3, ray: Vec3, far: number): number {
  if (!touchesBox(node, origin, ray, far)) return far;
  let nearest = far;
  for (const triangle of node.triangles ?? []) nearest = Math.min(nearest, hitTriangle(triangle, origin, ray, nearest));
  for (const child of node.children ?? []) nearest = Math.min(nearest, castRay(child, origin, ray, nearest));
  return nearest;
}

function touchesBox({ low, high }: Node, origin: Vec3, ray: Vec3, far: number): boolean {
  let enter = 0;
  let leave = far;
  for (const axis of [0, 1, 2] as const) {
    const inverse = 1 / (ray[axis] || 1e-12);
    const a = (low[axis] - origin[axis]) * inverse;
    const b = (high[axis] - origin[axis]) * inverse;
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  }
  return enter <= leave;
}

/** Möller and Trumbore's test, from both sides. */
function hitTriangle({ a, ab, ac }: Flat, origin: Vec3, ray: Vec3, far: number): number {
  const p = cross(ray, ac);
  const determinant = dot(ab, p);
  if (Math.abs(determinant) < 1e-12) return far;
  const s = sub(origin, a);
  const u = dot(s, p) / determinant;
  if (u < 0 || u > 1) return far;
  const q = cross(s, ab);
  const v = dot(ray, q) / determinant;
  if (v < 0 || u + v > 1) return far;
  const t = dot(ac, q) / determinant;
  return t > 1e-6 && t < far ? t : far;
}
