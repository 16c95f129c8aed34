import { GEOMETRY_TANGENTS, GeometryHeader } from '../../character/format/geometry-layout.ts';
import { openVertices } from '../../vertex/vertex-channels.ts';
import { View } from '../../layout/index.ts';
import { unpackOctahedral, unpackTangent } from '../../math/packing.ts';
import type { VertexLoader } from '../../vertex/vertex-loader.ts';
import type { TexturePoint } from '../materials/material.ts';
import { applied, type Point, positionIn, type ShownTriangle } from './triangle-reference.ts';
import { cross } from '../camera.ts';

/** Attributes that skinning does not change, at a pixel. */
export interface StaticAttributes extends TexturePoint {
  /** Linear RGBA. */
  readonly color: readonly [number, number, number, number];
}

type Three<T> = readonly [T, T, T];

/** Vertices of a page, and the geometry that they come from, in double precision: what `shade-pixels` and masks read of them. */
export class ShownVertices {
  /** By row of the geometry, then vertex. */
  readonly #loaders = new Map<number, Map<number, VertexLoader>>();

  constructor(
    private readonly skinned: Uint32Array<ArrayBuffer>,
    private readonly geometry: Uint32Array<ArrayBuffer>,
  ) {}

  /** Places of the corners in world space, metres, now or in the last picture. */
  worldCorners(triangle: ShownTriangle, when: 'now' | 'before' = 'now'): Three<Point> {
    const isNow = when === 'now';
    const matrix = isNow ? triangle.worldFromModel : triangle.previousFromModel;
    const offset = isNow ? triangle.currentVertexOffset : triangle.previousVertexOffset;
    const [a, b, c] = triangle.corners;
    return [this.placeOf(matrix, offset + a), this.placeOf(matrix, offset + b), this.placeOf(matrix, offset + c)];
  }

  /** Place of a vertex of the page in the space that a matrix leads to from the model's. */
  placeOf(matrix: ArrayLike<number>, vertex: number): Point {
    return applied(matrix, positionIn(this.skinned, vertex), 1);
  }

  /** World direction of the mesh's normals, of any length. A mirroring matrix turns normals round, which the surface does not. */
  outward(triangle: ShownTriangle, weights: Point): Point {
    const normals = this.#atCorners(triangle, (word, out) => unpackOctahedral(this.skinned[word]!, out));
    return direction(triangle, combined(normals, weights));
  }

  /** The same of tangents, and their handedness; undefined where the mesh has none. */
  tangent(triangle: ShownTriangle, weights: Point): { direction: Point; handedness: number } | undefined {
    const { geometryRow } = triangle;
    const at = this.geometry.byteOffset + 16 * geometryRow;
    const header = new View(GeometryHeader, this.geometry.buffer, at, 1);
    if ((header.get(0, 'flags') & GEOMETRY_TANGENTS) === 0) return undefined;
    const tangents = this.#atCorners(triangle, (word, out) => unpackTangent(this.skinned[word + 1]!, out));
    const [x, y, z, handedness] = combined(tangents, weights) as unknown as [number, number, number, number];
    return { direction: direction(triangle, [x, y, z]), handedness };
  }

  attributes({ geometryRow, corners }: ShownTriangle, { at, ddx, ddy }: TriangleWeights): StaticAttributes {
    const loaders = corners.map((corner) => this.#loader(geometryRow, corner));
    const uvs = corners.map((corner, c) => [
      ...loaders[c]!.loadTexcoord(corner, 0),
      ...loaders[c]!.loadSecondTexcoord(corner),
    ]);
    const colors = corners.map((corner, c) => loaders[c]!.loadColor(corner, 0));
    const pairs = (weights: Point) => combined(uvs, weights) as unknown as StaticAttributes['uv'];
    return {
      uv: pairs(at),
      ddx: pairs(ddx),
      ddy: pairs(ddy),
      color: combined(colors, at) as unknown as StaticAttributes['color'],
    };
  }

  #atCorners({ corners, ...shown }: ShownTriangle, unpack: (word: number, out: number[]) => void) {
    return corners.map((corner) => {
      const out: number[] = [];
      unpack(shown.attributeWord + shown.attributeWords * corner, out);
      return out;
    });
  }

  #loader(geometryRow: number, vertex: number): VertexLoader {
    let ofMesh = this.#loaders.get(geometryRow);
    if (!ofMesh) this.#loaders.set(geometryRow, (ofMesh = new Map()));
    let loader = ofMesh.get(vertex);
    if (!loader) ofMesh.set(vertex, (loader = openVertices(this.geometry, geometryRow, vertex)));
    return loader;
  }
}

/**
 * Rows of a view. Their products with (x, y, z, 1) in world space are pixels from the left times w, pixels from the top
 * times w, and w.
 */
export function pixelsFromWorld(clipFromWorld: ArrayLike<number>, width: number, height: number): number[] {
  const row = (r: number) => [0, 1, 2, 3].map((column) => clipFromWorld[4 * column + r]!);
  const [x, y, w] = [row(0), row(1), row(3)];
  return [
    ...x.map((value, c) => (width / 2) * (w[c]! + value)),
    ...y.map((value, c) => (height / 2) * (w[c]! - value)),
    ...w,
  ];
}

/** Sum of values at corners, by weight. */
export function combined(values: readonly (readonly number[])[], weights: Point): number[] {
  const [a, b, c] = values as readonly [readonly number[], readonly number[], readonly number[]];
  return a.map((value, i) => value * weights[0] + b[i]! * weights[1] + c[i]! * weights[2]);
}

function direction({ worldFromModel, isMirrored }: ShownTriangle, model: readonly number[]): Point {
  const world = applied(worldFromModel, model as unknown as Point, 0);
  return isMirrored ? [-world[0], -world[1], -world[2]] : world;
}

/** Weights of a triangle's corners at a pixel. */
export interface TriangleWeights {
  /** Weights of the corners, corrected for perspective; their sum is 1. */
  readonly at: Point;
  /** How they change from pixel to pixel, to the right and down. */
  readonly ddx: Point;
  readonly ddy: Point;
  readonly isClockwise: boolean;
}

/**
 * Twin of `barycentrics.wesl`, by Cramer's rule instead of edge functions. Finds weights λ of the point p = Σ λᵢ
 * cornerᵢ; its x and y are a pixel's place times w.
 * @param projection Rows of a DrawnInstance's matrix: x, y in pixels times w, w; twelve numbers.
 */
export function weightsAt(
  projection: ArrayLike<number>,
  corners: readonly [Point, Point, Point],
  [px, py]: readonly [number, number],
): TriangleWeights {
  const row = (r: number, [x, y, z]: Point) =>
    projection[4 * r]! * x + projection[4 * r + 1]! * y + projection[4 * r + 2]! * z + projection[4 * r + 3]!;
  const place = (corner: Point): Point => [row(0, corner), row(1, corner), row(2, corner)];
  const [a, b, c] = [place(corners[0]), place(corners[1]), place(corners[2])];
  // shares of (x, y, 1) in a, b and c, not yet of sum 1: linear in x and y
  const shares = [cross(b, c), cross(c, a), cross(a, b)] as const;
  const values = shares.map(([x, y, one]) => x * px + y * py + one);
  const sum = values[0]! + values[1]! + values[2]!;
  if (sum === 0) return { at: [1 / 3, 1 / 3, 1 / 3], ddx: [0, 0, 0], ddy: [0, 0, 0], isClockwise: false };
  // the quotient rule
  const along = (axis: 0 | 1) => {
    const whole = shares.reduce((total, share) => total + share[axis], 0);
    return shares.map((share, i) => (share[axis] * sum - values[i]! * whole) / sum ** 2) as unknown as Point;
  };
  const at = values.map((value) => value / sum) as unknown as Point;
  return { at, ddx: along(0), ddy: along(1), isClockwise: sum > 0 };
}
