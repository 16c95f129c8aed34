import {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  evaluateVertices,
  POSE_STRIDE,
  restPose,
} from '../../src/character/evaluate.ts';
import type { CharacterModel, MeshModel } from '../../src/character/model.ts';
import type { Random } from './random.ts';

interface Pose {
  readonly local: Float64Array;
  readonly weights: Float64Array;
}

/** A pose of a clip at any moment, or of none where there is no clip. */
export function randomPose(random: Random, model: CharacterModel): Pose {
  const clip = model.clips.length > 0 ? random.pick(model.clips) : undefined;
  const time = clip ? random.range(0, clip.duration) : 0;
  return { local: evaluatePose(model, clip, time), weights: evaluateMorphWeights(model, clip, time) };
}

type Point = [x: number, y: number, z: number];
type Triangle = readonly [Point, Point, Point];

/** A pose of which only some joints are taken: the others stand as at rest. */
export function withJoints(
  model: CharacterModel,
  local: Float64Array,
  posedJoints: readonly number[] | undefined,
): Float64Array {
  if (!posedJoints) return local;
  const pose = restPose(model);
  for (const joint of posedJoints) {
    pose.set(local.subarray(POSE_STRIDE * joint, POSE_STRIDE * (joint + 1)), POSE_STRIDE * joint);
  }
  return pose;
}

/** Triangles of all meshes in a pose, of which only some joints may be taken. */
export function posedTriangles(
  model: CharacterModel,
  meshes: readonly MeshModel[],
  { local, weights }: Pose,
  posedJoints?: readonly number[],
): Triangle[] {
  const joints = composeJoints(model, withJoints(model, local, posedJoints));
  return meshes.flatMap((mesh) => {
    const places = evaluateVertices(model, mesh, joints, weights);
    const corner = (v: number): Point => [places[3 * v]!, places[3 * v + 1]!, places[3 * v + 2]!];
    return Array.from({ length: mesh.indices.length / 3 }, (_, t): Triangle => {
      const [a, b, c] = mesh.indices.subarray(3 * t, 3 * t + 3) as unknown as Point;
      return [corner(a), corner(b), corner(c)];
    });
  });
}

/** The largest distance from random points of one surface to the other one: every triangle is tried. */
export function sampledDistance(
  random: Random,
  from: readonly Triangle[],
  to: readonly Triangle[],
  count: number,
): number {
  let largest = 0;
  for (let n = 0; n < count; n++) {
    const [a, b, c] = random.pick(from);
    let [v, w] = [random.next(), random.next()];
    // half of them at corners and on edges, where surfaces stray most
    if (n % 2 === 0)
      [v, w] = random.pick([[0, 0], [1, 0], [0, 1], [v, 0], [0, w], [v, 1 - v]] as const); // prettier-ignore
    else if (v + w > 1) [v, w] = [1 - v, 1 - w];
    const point = a.map((x, k) => x + v * (b[k]! - x) + w * (c[k]! - x)) as Point;
    let nearest = Infinity;
    for (const triangle of to) nearest = Math.min(nearest, squareTo(point, triangle, nearest));
    largest = Math.max(largest, nearest);
  }
  return Math.sqrt(largest);
}

/** Squared distance to a triangle: to its plane where the point is over it, else to the nearest of its edges. */
function squareTo(p: Point, [a, b, c]: Triangle, enough: number): number {
  // the corners' box is a lower bound
  let box = 0;
  for (let k = 0; k < 3; k++) {
    const [low, high] = [Math.min(a[k]!, b[k]!, c[k]!), Math.max(a[k]!, b[k]!, c[k]!)];
    box += Math.max(low - p[k]!, p[k]! - high, 0) ** 2;
  }
  if (box >= enough) return enough;
  const normal = cross(minus(b, a), minus(c, a));
  const area = dot(normal, normal);
  if (area > 0) {
    const sides = [[a, b], [b, c], [c, a]] as const; // prettier-ignore
    const inside = sides.every(([u, v]) => dot(cross(minus(v, u), minus(p, u)), normal) >= 0);
    if (inside) return dot(minus(p, a), normal) ** 2 / area;
  }
  return Math.min(toEdge(p, a, b), toEdge(p, b, c), toEdge(p, c, a));
}

function toEdge(p: Point, a: Point, b: Point): number {
  const [edge, away] = [minus(b, a), minus(p, a)];
  const length = dot(edge, edge);
  const share = length > 0 ? Math.max(0, Math.min(1, dot(away, edge) / length)) : 0;
  const off = away.map((x, k) => x - share * edge[k]!) as Point;
  return dot(off, off);
}

const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
