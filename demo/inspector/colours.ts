/** Linear RGB, 0 to 1. */
export type Rgb = readonly [number, number, number];

/** From little to much; lightness rises all the way, so that it reads without colour vision, too. */
const RAMP: readonly string[] = ['#39568c', '#1f968b', '#55c667', '#b8de29', '#fde725'];
/** Colour of zero. */
export const NONE = '#5b6472';

/** By number of influences: 0 to 4, then more. */
export const INFLUENCE_COLOURS: readonly string[] = [NONE, '#39568c', '#1f968b', '#55c667', '#fde725', '#ff4d2e'];

/** The scale as a CSS gradient, for legends. */
export const RAMP_GRADIENT = `linear-gradient(to right, ${RAMP.join(', ')})`;

/** The colour of a share of the scale. */
export function heat(share: number): Rgb {
  const at = Math.max(0, Math.min(1, share)) * (RAMP.length - 1);
  const low = Math.min(RAMP.length - 2, Math.floor(at));
  const [a, b] = [linearOf(RAMP[low]!), linearOf(RAMP[low + 1]!)];
  const mix = (c: 0 | 1 | 2): number => a[c] + (b[c] - a[c]) * (at - low);
  return [mix(0), mix(1), mix(2)];
}

const known = new Map<string, Rgb>();

/** `#rrggbb` in sRGB as linear light (IEC 61966-2-1). */
export function linearOf(colour: string): Rgb {
  let rgb = known.get(colour);
  if (!rgb) {
    const part = (at: number): number => {
      const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    rgb = [part(1), part(3), part(5)];
    known.set(colour, rgb);
  }
  return rgb;
}
