import { lerp, type Vec3 } from '../math/vec.ts';

/** Linear light, 0…1, as glTF's vertex colours are. */
export type Rgb = Vec3;
export type Paint = Rgb | ((p: Vec3) => Rgb);

/** A colour as a painter names it: sRGB, #rrggbb. */
export function hex(code: string): Rgb {
  const channel = (at: number): number => {
    const s = Number.parseInt(code.slice(at, at + 2), 16) / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

export const blend = (a: Rgb, b: Rgb, t: number): Rgb => [
  lerp(a[0], b[0], t),
  lerp(a[1], b[1], t),
  lerp(a[2], b[2], t),
];

export const paintAt = (paint: Paint, p: Vec3): Rgb => (typeof paint === 'function' ? paint(p) : paint);
