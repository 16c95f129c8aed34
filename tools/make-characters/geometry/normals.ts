import { add, cross, dot, lengthOf, normalize, scale, sub, type Vec3, ZERO } from '../math/vec.ts';
import { faceNormal, type MaterialName, type Surface, type Weights } from './surface.ts';
import type { Rgb } from './colour.ts';

/** A face's corner, ready to become a vertex. */
export interface Corner {
  readonly at: Vec3;
  readonly normal: Vec3;
  readonly colour: Rgb;
  readonly weights: Weights;
}

export interface Triangle {
  readonly corners: readonly [Corner, Corner, Corner];
  readonly material: MaterialName;
}

interface FaceShare {
  readonly faceIndex: number;
  readonly angle: number;
}

/** Cuts faces into triangles and gives each corner the mean normal of its smoothing group, weighted by angle. */
export function triangulate(surface: Surface): Triangle[] {
  const normals = surface.faces.map((face) => faceNormal(surface.points, face.corners));
  const shares = new Map<string, FaceShare[]>();
  surface.faces.forEach((face, faceIndex) => {
    face.corners.forEach((point, k) => {
      const key = `${point}/${face.group}`;
      const list = shares.get(key) ?? [];
      list.push({ faceIndex, angle: cornerAngle(surface, face.corners, k) });
      shares.set(key, list);
    });
  });

  return surface.faces.flatMap((face, faceIndex) => {
    const own = normals[faceIndex]!;
    const limit = Math.cos((face.crease * Math.PI) / 180);
    const corners = face.corners.map((point, k): Corner => {
      const near = face.group === 0 ? [] : shares.get(`${point}/${face.group}`)!;
      const smooth = near
        .filter((share) => dot(normals[share.faceIndex]!, own) >= limit)
        .reduce<Vec3>((sum, share) => add(sum, scale(normals[share.faceIndex]!, share.angle)), ZERO);
      const normal = normalize(smooth, own);
      return { at: surface.points[point]!, normal, colour: face.colours[k]!, weights: surface.skins[point]! };
    });
    return split(corners).map((triple) => ({ corners: triple, material: face.material }));
  });
}

function cornerAngle(surface: Surface, corners: readonly number[], k: number): number {
  const here = surface.points[corners[k]!]!;
  const a = normalize(sub(surface.points[corners[(k + 1) % corners.length]!]!, here));
  const b = normalize(sub(surface.points[corners[(k + corners.length - 1) % corners.length]!]!, here));
  return Math.acos(Math.min(1, Math.max(-1, dot(a, b))));
}

/** A quad is cut along its shorter diagonal, a larger polygon into a fan. */
function split(corners: Corner[]): (readonly [Corner, Corner, Corner])[] {
  const [a, b, c, d] = corners;
  if (corners.length === 4 && lengthOf(sub(b!.at, d!.at)) < lengthOf(sub(a!.at, c!.at)) - 1e-6) {
    return [
      [b!, c!, d!],
      [b!, d!, a!],
    ];
  }
  return corners
    .slice(2)
    .map((corner, i) => [a!, corners[i + 1]!, corner] as const)
    .filter(([p, q, r]) => lengthOf(cross(sub(q.at, p.at), sub(r.at, p.at))) > 1e-9);
}
