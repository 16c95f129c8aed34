import { mix } from './numbers.ts';

/** Twin of `noise.wesl`: a random height from 0 to 1 at every pair of whole numbers. */
export function heightAt(x: number, y: number): number {
  let bits = (Math.imul(x, 0x8da6b343) + Math.imul(y, 0xd8163841)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 13), 0x5bd1e995) >>> 0;
  return ((bits ^ (bits >>> 15)) & 0xffff) / 65535;
}

/** Random heights on a unit grid, joined by a cubic with flat ends. */
export function noise(x: number, y: number): number {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const ease = (t: number) => t * t * (3 - 2 * t);
  const [across, along] = [ease(x - column), ease(y - row)];
  const level = (r: number) => mix(heightAt(column, r), heightAt(column + 1, r), across);
  return mix(level(row), level(row + 1), along);
}

/** The same, joined by quintics 6 t⁵ − 15 t⁴ + 10 t³: the height, and its slopes along x and y. */
export function slopedNoise(x: number, y: number): readonly [height: number, alongX: number, alongY: number] {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const ease = (t: number) => t ** 3 * (t * (t * 6 - 15) + 10);
  const slope = (t: number) => 30 * t ** 2 * (t - 1) ** 2;
  const [u, v] = [x - column, y - row];
  const a = heightAt(column, row);
  const b = heightAt(column + 1, row) - a;
  const c = heightAt(column, row + 1) - a;
  const d = heightAt(column + 1, row + 1) - a - b - c;
  const [across, along] = [ease(u), ease(v)];
  return [a + b * across + c * along + d * across * along, slope(u) * (b + d * along), slope(v) * (c + d * across)];
}

/** Scale, offset and weight of each size of noise in a cloud. */
const OCTAVES = [
  [1, 0, 8],
  [2.03, 11, 4],
  [4.1, 29, 2],
  [8.3, 53, 1],
] as const;

/** Four sizes of noise, each with half the weight of the one before; 0 to 1. */
export function cloudNoise(x: number, y: number): number {
  const at = (scale: number, offset: number) => noise(x * scale + offset, y * scale + offset);
  return OCTAVES.reduce((sum, [scale, offset, weight]) => sum + weight * at(scale, offset), 0) / 15;
}
