import { refuseArgument } from './arguments.ts';

/**
 * A colour. As a list: linear red, green, blue and alpha, 0 … 1 each; alpha is 1 if it is left out. As an object with r, g and b: a
 * Color of three.js, linear as well. As a number or a string: sRGB, `0xff8800` or `'#ff8800'`, as three.js and CSS have it.
 */
export type Tint =
  | readonly [red: number, green: number, blue: number, alpha?: number]
  | { readonly r: number; readonly g: number; readonly b: number }
  | number
  | string;

/** Four unorm8, to the nearest code, the first in the lowest byte. @throws ManipleError CROWD_BAD_ARGUMENT */
export function tintWord(color: Tint): number {
  const list = [...rgb(color)];
  if (list.length === 3) list.push(1);
  if (list.length !== 4 || !list.every((c) => typeof c === 'number' && c >= 0 && c <= 1)) refuse(color);
  return list.reduce((word, c, i) => (word | (Math.round(c * 255) << (8 * i))) >>> 0, 0);
}

function rgb(color: Tint): Iterable<number> {
  if (typeof color === 'number') return linear(color, color);
  if (typeof color === 'string') {
    const [, digits] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color) ?? [];
    const six = digits?.length === 3 ? digits.replace(/./g, '$&$&') : digits;
    return linear(Number.parseInt(six ?? '', 16), color);
  }
  if (Array.isArray(color) || ArrayBuffer.isView(color)) return color as readonly number[];
  const { r, g, b } = (color ?? {}) as { r?: number; g?: number; b?: number };
  return r === undefined ? refuse(color) : [r, g!, b!];
}

/** Linear red, green and blue of 24 bits of sRGB. */
function linear(bits: number, color: Tint): number[] {
  if (!Number.isInteger(bits) || bits < 0 || bits > 0xffffff) refuse(color);
  return [16, 8, 0].map((shift) => {
    const c = ((bits >> shift) & 255) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
}

function refuse(color: unknown): never {
  const forms = "[red, green, blue, alpha] from 0 to 1, a Color, 0xff8800 or '#ff8800' (a name: new Color(name))";
  return refuseArgument('tint', color, forms);
}
