import { clamp, lerp, type Vec3 } from '../math/vec.ts';
import { hashAt } from '../math/noise.ts';
import type { Rig } from '../rig.ts';
import type { Rgb } from './colour.ts';
import type { Corner, Triangle } from './normals.ts';
import type { Occluder } from './occlusion.ts';
import type { MaterialName, Weights } from './surface.ts';

/** Vertex arrays of one primitive, as they stand in the file. */
export interface Primitive {
  readonly material: MaterialName;
  readonly positions: Float32Array<ArrayBuffer>;
  readonly normals: Int8Array<ArrayBuffer>;
  readonly colours: Uint8Array<ArrayBuffer>;
  readonly joints?: Uint8Array<ArrayBuffer>;
  readonly weights?: Uint8Array<ArrayBuffer>;
  readonly indices: Uint16Array<ArrayBuffer>;
}

interface AssembleOptions {
  /** For a skinned mesh. */
  readonly rig?: Rig;
  readonly occluder: Occluder;
  /** From the space the surface was modelled in to its node's space. */
  readonly place?: (p: Vec3) => Vec3;
  /** Dims towards the ground. */
  readonly grounded: boolean;
}

/** 2⁻¹³ m: finer than anything seen, and exact in a float. */
const GRID = 8192;
const SHADE: Rgb = [0.36, 0.25, 0.29];
const MOTTLE = 0.07;

/** One primitive per material, corners that agree in everything welded into one vertex. */
export function assemble(triangles: readonly Triangle[], options: AssembleOptions): Primitive[] {
  const materials = [...new Set(triangles.map((triangle) => triangle.material))].sort().reverse();
  return materials.map((material) =>
    weld(
      triangles.filter((triangle) => triangle.material === material),
      material,
      options,
    ),
  );
}

function weld(triangles: readonly Triangle[], material: MaterialName, options: AssembleOptions): Primitive {
  const vertices: PackedVertex[] = [];
  const known = new Map<string, number>();
  const indices: number[] = [];
  for (const triangle of triangles) {
    const corners = triangle.corners.map((corner) => {
      const vertex = pack(corner, options);
      const key = JSON.stringify(vertex);
      const index = known.get(key) ?? vertices.push(vertex) - 1;
      known.set(key, index);
      return index;
    });
    if (new Set(corners).size === 3) indices.push(...corners);
  }
  const influences = options.rig && {
    joints: Uint8Array.from(vertices.flatMap((v) => v.joints)),
    weights: Uint8Array.from(vertices.flatMap((v) => v.weights)),
  };
  return {
    material,
    positions: Float32Array.from(vertices.flatMap((v) => v.at)),
    normals: Int8Array.from(vertices.flatMap((v) => v.normal)),
    colours: Uint8Array.from(vertices.flatMap((v) => v.colour)),
    ...influences,
    indices: Uint16Array.from(indices),
  };
}

interface PackedVertex {
  readonly at: number[];
  readonly normal: number[];
  readonly colour: number[];
  readonly joints: number[];
  readonly weights: number[];
}

function pack(corner: Corner, options: AssembleOptions): PackedVertex {
  const at = options.place?.(corner.at) ?? corner.at;
  return {
    at: at.map((x) => Math.round(x * GRID) / GRID + 0),
    normal: corner.normal.map((x) => Math.round(x * 127) + 0),
    colour: [...finished(corner, options).map((x) => Math.round(clamp(x, 0, 1) * 255)), 255],
    ...packWeights(corner.weights, options.rig),
  };
}

/** Light that the shape itself keeps out, a little dirt towards the ground, and no two places quite alike. */
function finished({ at, normal, colour }: Corner, { occluder, grounded }: AssembleOptions): number[] {
  const openness = occluder.opennessAt(at, normal);
  const sky = 0.93 + 0.07 * normal[1];
  const ground = grounded ? lerp(0.8, 1, clamp(at[1] / 0.55, 0, 1)) : 1;
  const mottle = 1 + MOTTLE * (hashAt(at) - 0.5);
  return colour.map((x, i) => x * lerp(SHADE[i]!, 1, openness ** 1.15) * sky * ground * mottle);
}

/** At most four joints, as 255ths that add up to exactly 255. */
function packWeights(weights: Weights, rig: Rig | undefined): { joints: number[]; weights: number[] } {
  if (!rig) return { joints: [], weights: [] };
  const heaviest = [...weights].sort((a, b) => b[1] - a[1]).slice(0, 4);
  const sum = heaviest.reduce((total, [, weight]) => total + weight, 0);
  const parts = heaviest.map(([name, weight]) => ({
    joint: rig.joint(name).index,
    weight: Math.round((weight / sum) * 255),
  }));
  parts[0]!.weight += 255 - parts.reduce((total, part) => total + part.weight, 0);
  const used = parts.filter((part) => part.weight > 0);
  const four = Array.from({ length: 4 }, (_, i) => used[i] ?? { joint: 0, weight: 0 });
  return { joints: four.map((part) => part.joint), weights: four.map((part) => part.weight) };
}
