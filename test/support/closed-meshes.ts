import { normalize, type Vector } from '../../src/render/camera.ts';
import type { Random } from './random.ts';

/** A surface without borders; from outside its front faces are counter-clockwise. */
export interface ClosedMesh {
  readonly points: readonly Vector[];
  readonly triangles: readonly (readonly [number, number, number])[];
}

/**
 * A ball of rings of squares cut in two, `detail` rings from pole to pole and twice as many squares around; 4 × detail × (detail − 1)
 * triangles.
 * @param roughness Share of the radius by which points are off.
 */
export function ball(random: Random, detail: number, radius: number, roughness: number): ClosedMesh {
  const around = 2 * detail;
  const at = (ring: number, step: number) => {
    const [polar, turn] = [(Math.PI * ring) / detail, (2 * Math.PI * step) / around];
    const length = radius * (1 + random.range(-roughness, roughness));
    const unit: Vector = [Math.sin(polar) * Math.cos(turn), Math.cos(polar), Math.sin(polar) * Math.sin(turn)];
    return unit.map((value) => length * value) as unknown as Vector;
  };
  const points: Vector[] = [at(0, 0), at(detail, 0)];
  for (let ring = 1; ring < detail; ring++) for (let step = 0; step < around; step++) points.push(at(ring, step));
  const index = (ring: number, step: number) => {
    if (ring === 0) return 0;
    return ring === detail ? 1 : 2 + (ring - 1) * around + (step % around);
  };
  const triangles: [number, number, number][] = [];
  for (let ring = 0; ring < detail; ring++) {
    for (let step = 0; step < around; step++) {
      const [a, b] = [index(ring, step), index(ring, step + 1)];
      const [c, d] = [index(ring + 1, step), index(ring + 1, step + 1)];
      if (ring > 0) triangles.push([a, b, c]);
      if (ring < detail - 1) triangles.push([b, d, c]);
    }
  }
  return { points, triangles };
}

/** A slab of `size` × `size` squares of side 1 around the origin, cut in two one way or the other, towards z, and its back. */
export function slab(random: Random, size: number): ClosedMesh {
  const points: Vector[] = [];
  for (const z of [0.5, -0.5]) {
    for (let y = 0; y <= size; y++) for (let x = 0; x <= size; x++) points.push([x - size / 2, y - size / 2, z]);
  }
  const index = (side: number, x: number, y: number) => side * (size + 1) ** 2 + y * (size + 1) + x;
  const triangles: [number, number, number][] = [];
  const square = (a: number, b: number, c: number, d: number) => {
    if (random.chance(0.5)) triangles.push([a, b, c], [a, c, d]);
    else triangles.push([a, b, d], [b, c, d]);
  };
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      square(index(0, x, y), index(0, x + 1, y), index(0, x + 1, y + 1), index(0, x, y + 1));
      square(index(1, x, y), index(1, x, y + 1), index(1, x + 1, y + 1), index(1, x + 1, y));
    }
  }
  for (let i = 0; i < size; i++) {
    square(index(1, i, 0), index(1, i + 1, 0), index(0, i + 1, 0), index(0, i, 0));
    square(index(1, i + 1, size), index(1, i, size), index(0, i, size), index(0, i + 1, size));
    square(index(1, 0, i + 1), index(1, 0, i), index(0, 0, i), index(0, 0, i + 1));
    square(index(1, size, i), index(1, size, i + 1), index(0, size, i + 1), index(0, size, i));
  }
  return { points, triangles };
}

/** A direction of unit length. */
export function randomDirection(random: Random): Vector {
  const at = random.vector(1);
  return Math.hypot(...at) < 0.1 ? [0, 0, 1] : normalize(at);
}
