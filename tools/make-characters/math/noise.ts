import type { Vec3 } from './vec.ts';

/** A repeatable number in 0…1 for three integers: an integer hash, so that it is the same on every machine. */
export function hash(x: number, y = 0, z = 0): number {
  let h = (Math.imul(x | 0, 0x8da6b343) ^ Math.imul(y | 0, 0xd8163841) ^ Math.imul(z | 0, 0xcb1ab31f)) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 0xffffffff;
}

/** Noise that belongs to a place, so that vertices at one spot always agree. */
export const hashAt = (p: Vec3): number =>
  hash(Math.round(p[0] * 2048), Math.round(p[1] * 2048), Math.round(p[2] * 2048));
