import { blend, type Rgb } from '../make-characters/geometry/colour.ts';
import { hash } from '../make-characters/math/noise.ts';
import { add, addScaled, cross, lerp, normalize, scale, UP, type Vec3 } from '../make-characters/math/vec.ts';
import { PALETTE as C } from './palette.ts';
import { either, shaded } from './shapes.ts';

/** A leaf of paper: four corners, from the lower left anticlockwise. */
export interface Card {
  readonly corners: readonly [Vec3, Vec3, Vec3, Vec3];
  /** Normals of the corners: the bush's shape lights the leaves, not their own shape. */
  readonly normals: readonly [Vec3, Vec3, Vec3, Vec3];
  readonly colours: readonly [Rgb, Rgb, Rgb, Rgb];
}

/** Twigs that spread from the ground: a bush, waist-high, dry at its tips. */
export function bush(): Card[] {
  const count = 44;
  return Array.from({ length: count }, (_, i): Card => {
    const angle = i * 2.399963229728653;
    const lift = 1 - (i + 0.5) / count;
    const out = Math.sqrt(1 - lift * lift);
    const direction = normalize([Math.sin(angle) * out, 0.22 + 0.95 * lift, Math.cos(angle) * out]);
    const root: Vec3 = scale([direction[0], 0.5 * direction[1], direction[2]], 0.3);
    const long = 0.62 + 0.16 * hash(i, 31);
    const side = normalize(cross(Math.abs(direction[1]) > 0.95 ? [1, 0, 0] : UP, direction));
    const turned = addScaled(scale(side, Math.cos(i)), cross(direction, side), Math.sin(i));
    const foot: Vec3 = [root[0], root[1] - 0.02, root[2]];
    return card({
      foot,
      direction,
      side: turned,
      long,
      wide: 0.3,
      droop: 0.16 * out,
      colours: [C.leaf, C.leafDry],
      seed: i,
    });
  });
}

/** Blades of dry grass. */
export function grass(): Card[] {
  return Array.from({ length: 22 }, (_, i): Card => {
    const angle = i * 2.399963229728653;
    const lean = 0.15 + 0.45 * hash(i, 40);
    const direction = normalize([Math.sin(angle) * lean, 1, Math.cos(angle) * lean]);
    const near = 0.14 * Math.sqrt(i / 22);
    const foot: Vec3 = [Math.sin(angle) * near, -0.03, Math.cos(angle) * near];
    const long = 0.3 + 0.28 * hash(i, 41);
    const side = normalize(cross(direction, [Math.sin(i * 1.7), 0, Math.cos(i * 1.7)]));
    return {
      ...card({
        foot,
        direction,
        side,
        long,
        wide: 0.016,
        droop: 0.12 * lean,
        colours: [C.strawGreen, C.straw],
        seed: i,
      }),
    };
  }).map((blade) => {
    // to a point
    const [a, b, c, d] = blade.corners;
    const tip = scale(add(c, d), 0.5);
    return {
      ...blade,
      corners: [a, b, addScaled(tip, add(c, scale(tip, -1)), 0.15), addScaled(tip, add(d, scale(tip, -1)), 0.15)],
    };
  });
}

interface CardPlan {
  readonly foot: Vec3;
  readonly direction: Vec3;
  readonly side: Vec3;
  readonly long: number;
  /** Half. */
  readonly wide: number;
  /** Metres by which its end hangs. */
  readonly droop: number;
  readonly colours: readonly [low: Rgb, high: Rgb];
  readonly seed: number;
}

function card({ foot, direction, side, long, wide, droop, colours: [low, high], seed }: CardPlan): Card {
  const end = add(addScaled(foot, direction, long), [0, -droop, 0]);
  const at = (centre: Vec3, s: number) => addScaled(centre, side, s * wide);
  const outward = normalize(add(direction, [0, 0.6, 0]));
  const up = normalize(add(outward, [0.2 * either(seed, 1), 0.2, 0.2 * either(seed, 2)]));
  // what stands low and inside is in the shade of the rest
  const foots = shaded(low, -lerp(0.62, 0.3, Math.min(1, foot[1] * 2)));
  const tips = shaded(blend(low, high, hash(seed, 50)), -0.12 * hash(seed, 51));
  return {
    corners: [at(foot, -1), at(foot, 1), at(end, 1), at(end, -1)],
    normals: [outward, outward, up, up],
    colours: [foots, foots, tips, tips],
  };
}
