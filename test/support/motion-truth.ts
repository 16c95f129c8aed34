// Where surfaces were on the screen, in float64 and from what the host knows: the judge of motion vectors.
import type { Character } from '../../src/character/character.ts';
import type { Camera } from '../../src/render/camera.ts';

type Vec3 = readonly [number, number, number];

/** Where a character stands. */
export interface Place {
  readonly position: Vec3;
  /** Unit quaternion. */
  readonly rotation: readonly [number, number, number, number];
  readonly scale: number;
}

/** A character as a picture shows it. */
export interface Shown {
  /** x, y, z of each vertex of its level of detail, in model space. */
  readonly vertices: Float32Array;
  readonly level: number;
  readonly place: Place;
}

/** What a camera sees. */
export interface Screen {
  /** From world to pixels from the left and the top, and the distance along the view. */
  project(p: Vec3): [x: number, y: number, depth: number];
  /** Where the ray through a pixel's place meets y = 0; undefined where it does not. */
  groundAt(x: number, y: number): Vec3 | undefined;
}

/** A pinhole camera, written from the formula. */
export function projectionOf({ eye, target, fovY = Math.PI / 4 }: Camera, width: number, height: number): Screen {
  const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const unit = (a: Vec3): Vec3 => a.map((c) => c / Math.hypot(...a)) as unknown as Vec3;
  const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a: Vec3, b: Vec3): Vec3 => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
  const forward = unit(minus(target, eye));
  const right = unit(cross(forward, [0, 1, 0]));
  const up = cross(right, forward);
  const focal = height / 2 / Math.tan(fovY / 2);
  return {
    project(p) {
      const ray = minus(p, eye);
      const depth = dot(ray, forward);
      return [width / 2 + (focal * dot(ray, right)) / depth, height / 2 - (focal * dot(ray, up)) / depth, depth];
    },
    groundAt(x, y) {
      const [a, b] = [(x - width / 2) / focal, (height / 2 - y) / focal];
      const ray = forward.map((c, k) => c + a * right[k]! + b * up[k]!);
      const length = -eye[1] / ray[1]!;
      return length > 0 ? (eye.map((c, k) => c + length * ray[k]!) as unknown as Vec3) : undefined;
    },
  };
}

/** What the camera's motion makes of the ground at y = 0. */
export function groundVelocity(
  [now, before]: readonly [Screen, Screen],
  [x, y]: readonly [number, number],
): [number, number] | undefined {
  const place = now.groundAt(x, y);
  if (!place) return undefined;
  const [earlierX, earlierY] = before.project(place);
  return [x - earlierX, y - earlierY];
}

/** v scaled, turned and moved. */
function worldOf({ position, rotation: [x, y, z, w], scale }: Place, v: Vec3): Vec3 {
  const [a, b, c] = v.map((coordinate) => coordinate * scale) as unknown as Vec3;
  return [
    (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - w * z) * b + 2 * (x * z + w * y) * c + position[0],
    2 * (x * y + w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - w * x) * c + position[1],
    2 * (x * z - w * y) * a + 2 * (y * z + w * x) * b + (1 - 2 * (x * x + y * y)) * c + position[2],
  ];
}

interface Triangle {
  /** x, y and depth of its corners: now, and before. */
  readonly now: readonly (readonly number[])[];
  readonly before: readonly (readonly number[])[];
  /**
   * Seen edge-on: so thin that which side of it is seen is left to rounding, and which of its points stands at a place of the
   * screen cannot be told.
   */
  readonly isThin: boolean;
  /** Of `now`, with some room. */
  readonly box: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
}

/** Pixels that a point may be outside of the triangle that it is of. */
const EDGE = 4e-3;
/** Rasterisers move corners by up to so many pixels each way; SwiftShader, to sixteenths of one, by half of that. */
export const SNAP = 1 / 16;

/** The triangles of one primitive on two screens. Those that reach behind the eye are left out. */
export class MovedPrimitive {
  readonly #triangles: Triangle[] = [];

  constructor(
    character: Character,
    primitiveIndex: number,
    [nowScreen, beforeScreen]: readonly [Screen, Screen],
    [now, before]: readonly [Shown, Shown],
  ) {
    const { materials } = character;
    const { primitives, indices } = [character, ...character.lods][now.level]!;
    const { firstIndex, indexCount, materialIndex } = primitives[primitiveIndex]!;
    const doubleSided = materials[materialIndex]?.doubleSided ?? false;
    const corner = (screen: Screen, { vertices, place }: Shown, index: number) =>
      screen.project(worldOf(place, [vertices[3 * index]!, vertices[3 * index + 1]!, vertices[3 * index + 2]!]));
    for (let i = firstIndex; i < firstIndex + indexCount; i += 3) {
      const corners = [indices[i]!, indices[i + 1]!, indices[i + 2]!];
      const places = corners.map((index) => corner(nowScreen, now, index));
      const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
      const [a, b, c] = places as unknown as [number[], number[], number[]];
      const area = areaOf(a, b, c);
      const longest = Math.max(
        ...[
          [a, b],
          [b, c],
          [c, a],
        ].map(([p, q]) => Math.hypot(p![0]! - q![0]!, p![1]! - q![1]!)),
      );
      const isThin = Math.abs(area) < 2 * SNAP * longest;
      // y points down: what turns counterclockwise seen from in front has a negative area
      if (places.some(([, , depth]) => depth < 0.05) || (!doubleSided && area > 0 && !isThin)) continue;
      const triangle = {
        now: places,
        before: corners.map((index) => corner(beforeScreen, before, index)),
        isThin,
        box: {
          left: Math.min(...xs) - SNAP,
          right: Math.max(...xs) + SNAP,
          top: Math.min(...ys) - SNAP,
          bottom: Math.max(...ys) + SNAP,
        },
      };
      this.#triangles.push(triangle);
    }
  }

  /**
   * How far a motion vector is from the truth, in pixels: from that of one of the surfaces at a point of the screen.
   * Undefined where there is none. `mayBeThin`: a triangle that is seen edge-on is there.
   */
  error(
    [x, y]: readonly [number, number],
    velocity: readonly [number, number],
  ): { readonly error: number | undefined; readonly mayBeThin: boolean } {
    const near = this.#triangles.filter(
      ({ box }) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom,
    );
    const errors = near.flatMap((triangle) => {
      const before = beforeOf(triangle, x, y);
      return before ? [Math.hypot(x - velocity[0] - before[0], y - velocity[1] - before[1])] : [];
    });
    const error = errors.length > 0 ? Math.min(...errors) : undefined;
    return { error, mayBeThin: near.some(({ isThin }) => isThin) };
  }
}

function areaOf(a: readonly number[], b: readonly number[], c: readonly number[]): number {
  return (b[0]! - a[0]!) * (c[1]! - a[1]!) - (c[0]! - a[0]!) * (b[1]! - a[1]!);
}

/** Where the point that a triangle has at a point of the screen was before; undefined outside of it. */
function beforeOf({ now, before }: Triangle, x: number, y: number): readonly [number, number] | undefined {
  const [a, b, c] = now as [number[], number[], number[]];
  const area = areaOf(a, b, c);
  if (Math.abs(area) < 1e-9) return undefined;
  const edges = [
    [b, c],
    [c, a],
    [a, b],
  ] as const;
  const shares = edges.map(([p, q]) => areaOf(p, q, [x, y]) / area);
  const inside = edges.map(([p, q], k) => (shares[k]! * Math.abs(area)) / Math.hypot(q[0]! - p[0]!, q[1]! - p[1]!));
  if (Math.min(...inside) < -EDGE) return undefined;
  // screen shares to shares of the surface, each over its depth, and back again on the other screen
  const earlier = shares.map((share, k) => (share / now[k]![2]!) * before[k]![2]!);
  const total = earlier[0]! + earlier[1]! + earlier[2]!;
  const place = (axis: 0 | 1) => earlier.reduce((sum, share, k) => sum + share * before[k]![axis]!, 0) / total;
  return [place(0), place(1)];
}
