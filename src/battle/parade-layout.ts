import type { Box } from '../character/character.ts';
import type { SeededRandom } from '../math/seeded-random.ts';

/** A position on the ground, in metres. */
export interface GroundPlace {
  readonly x: number;
  readonly z: number;
}

/** The picture that a layout is made for. */
export interface Composition {
  /** Width by height. */
  readonly aspect: number;
  /** How far a metre on the ground, away from the eye, goes up in the picture, in metres of height. */
  readonly slope: number;
}

/** Metres between neighbours, by the mean width of all: at least, and as much again at random. */
const GAP = 0.06;
/** Ranks wider than the picture, by its aspect: those farther away look narrower. */
const WIDTH = 1.15;
/** Strips per mean width in which ranks record how far back the ground is taken. */
const PARTS = 4;

/**
 * Places boxes in ranks across x, the first rank nearest to +z, so that none overlaps another as seen from above. Each
 * rank closes up with the boxes in front of it, so boxes of all sizes may be mixed. Takes a time in proportion to their
 * number.
 *
 * @param boxes In the order of places, relative to them.
 */
export function layOutRanks(
  boxes: readonly Box[],
  composition: Composition,
  random: SeededRandom,
): readonly GroundPlace[] {
  const mean = (axis: 0 | 1 | 2) => boxes.reduce((sum, box) => sum + sizeOf(box, axis), 0) / boxes.length;
  const gap = Math.max(GAP * mean(0), 1e-4);
  const widths = boxes.map((box) => sizeOf(box, 0) + gap);
  const total = widths.reduce((sum, width) => sum + width, 0);
  const ranks = ranksOf(boxes.length, total, { height: mean(1), depth: mean(2) + 1.5 * gap }, composition);
  const part = mean(0) / PARTS + gap / PARTS;
  // how far back each strip of the ground is taken, and how far forward a rank may come
  const taken = new Map<number, number>();
  let front = Infinity;
  const places: GroundPlace[] = [];
  splitRanks(widths, total / ranks).forEach(({ from, to, width }, rank) => {
    // boxes of one width would hide each other from rank to rank
    const shift = ranks === 1 ? 0 : (rank % 2 === 0 ? -0.25 : 0.25) * (mean(0) + gap);
    let left = shift - width / 2;
    const backs = new Map<number, number>();
    let foremost = -Infinity;
    for (let i = from; i < to; i++) {
      const { min, max } = boxes[i]!;
      const x = left - min[0]! + gap * (0.5 + random.range(-0.25, 0.25));
      const [low, high] = [Math.floor((x + min[0]! - gap / 4) / part), Math.floor((x + max[0]! + gap / 4) / part)];
      let limit = front;
      for (let strip = low; strip <= high; strip++) limit = Math.min(limit, taken.get(strip) ?? Infinity);
      // the feet of the first rank make a line
      const z = rank === 0 ? random.range(0, gap) : limit - max[2]!;
      const back = z + min[2]! - gap * random.range(1, 2);
      foremost = Math.max(foremost, back);
      for (let strip = low; strip <= high; strip++) backs.set(strip, Math.min(back, backs.get(strip) ?? Infinity));
      places.push({ x, z });
      left += widths[i]!;
    }
    for (const [strip, back] of backs) taken.set(strip, back);
    front = foremost;
  });
  return places;
}

/** Splits neighbours into ranks of about a width. */
function splitRanks(
  widths: readonly number[],
  wanted: number,
): readonly { readonly from: number; readonly to: number; readonly width: number }[] {
  const ranks: { from: number; to: number; width: number }[] = [];
  let done = 0;
  widths.forEach((width, i) => {
    const rank = Math.floor((done + width / 2) / wanted);
    const last = ranks.at(-1);
    if (last && rank < ranks.length) Object.assign(last, { to: i + 1, width: last.width + width });
    else ranks.push({ from: i, to: i + 1, width });
    done += width;
  });
  return ranks;
}

/** Number of ranks that makes the crowd about as wide as the picture. */
function ranksOf(
  count: number,
  width: number,
  { height, depth }: { readonly height: number; readonly depth: number },
  { aspect, slope }: Composition,
): number {
  // width / n = WIDTH · aspect · (height + slope · depth · (n − 1))
  const step = slope * depth;
  const rest = height - step;
  const wanted = width / (WIDTH * aspect);
  const ranks = step > 0 ? (-rest + Math.sqrt(rest * rest + 4 * step * wanted)) / (2 * step) : 1;
  return Math.min(count, Math.max(1, Math.round(ranks)));
}

function sizeOf({ min, max }: Box, axis: 0 | 1 | 2): number {
  return max[axis]! - min[axis]!;
}
