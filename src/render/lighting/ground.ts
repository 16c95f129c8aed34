import { dot, normalize, subtract, type Vector } from '../camera.ts';
import { throughAir } from './air.ts';
import type { LitFrame } from './lit-frame.ts';
import { heightAt, noise, slopedNoise } from './noise.ts';
import { added, mix, mixed, multiplied, saturate, scaled, smoothstep } from './numbers.ts';
import { sunVisibility } from './shadow.ts';
import { ambientLight } from './sky.ts';

const UP: Vector = [0, 1, 0];
/** Tones of grass and of bare soil, and the colour of stones. */
const GRASS: Vector = [0.9, 1.04, 0.6];
const SOIL: Vector = [1.14, 0.97, 0.84];
const STONE: Vector = [0.32, 0.29, 0.25];
/** Side of the squares, each with at most one stone, metres. */
const STONE_STEP = 0.55;

/** Twin of `ground.wesl`. @param shade Share of the light that the shade of feet leaves there, 0 to 1. */
export function groundColor(frame: LitFrame, world: Vector, shade: number): Vector {
  const { groundScale, patternOffset, sunDirection } = frame;
  const [x, z] = [world[0] / groundScale + patternOffset[0], world[2] / groundScale + patternOffset[1]];
  const covered = coveredSize(frame, subtract(world, frame.eye));
  const patches = noise(x * 0.071, z * 0.071);
  const [height, alongX, alongZ] = relief(x, z, covered);
  const grown = smoothstep(0.46, 0.7, patches + 0.9 * height - 0.4 * trodden(frame, world));
  const tone = scaled(mixed(SOIL, GRASS, grown), 0.84 + 0.32 * patches + 0.6 * height);
  const stone = stoneAt(frame, x, z, covered);
  const color = mixed(multiplied(frame.groundColor, tone), scaled(STONE, stone.brightness), stone.share);
  const facing = mix(dot(normalize([-alongX, 1, -alongZ]), sunDirection), stone.facing, stone.share);
  const sun = scaled(frame.sunColor, saturate(facing) * stone.lit * sunVisibility(frame, world, UP));
  return throughAir(frame, scaled(multiplied(color, added(sun, ambientLight(frame, UP))), shade), world);
}

/** Metres that a pixel covers: the geometric mean of its width and of how deep it lies on the ground. */
function coveredSize({ groundScale, pictureHeight, skyUp }: LitFrame, away: Vector): number {
  const distance = Math.hypot(...away);
  const width = (distance * 2 * Math.hypot(...skyUp)) / pictureHeight;
  return (width * Math.sqrt(distance / Math.max(Math.abs(away[1]), 1e-3 * distance))) / groundScale;
}

/** Share of detail of a size that is left: none where two pixels cover it. */
const visibleShare = (size: number, covered: number): number => saturate(2 - (4 * covered) / size);

/** Height from −½ to ½, and slopes, of bumps in four sizes, each grid turned against the one before. */
function relief(x: number, z: number, covered: number): Vector {
  let sum: Vector = [0, 0, 0];
  let [px, pz, size] = [x, z, 2.6];
  for (let i = 0; i < 4; i++) {
    const share = visibleShare(size, covered);
    if (share <= 0) break;
    const [height, alongX, alongZ] = slopedNoise(px / size, pz / size);
    sum = added(sum, scaled([0.4 * (height - 0.5), 0.3 * alongX, 0.3 * alongZ], share));
    [px, pz] = [0.8 * px - 0.6 * pz, 0.6 * px + 0.8 * pz];
    size *= 0.3;
  }
  return sum;
}

/**
 * A stone at a point: its visible share, its brightness, the cosine of its normal with the sun, and the share of
 * sunlight next to it. A square in three has a stone, whole within it.
 */
function stoneAt({ sunDirection }: LitFrame, x: number, z: number, covered: number) {
  const fract = (value: number) => value - Math.floor(value);
  const [qx, qz] = [(0.8 * x + 0.6 * z) / STONE_STEP, (0.8 * z - 0.6 * x) / STONE_STEP];
  const kind = heightAt(Math.floor(qx), Math.floor(qz)) * 3;
  const [a, b, c] = [fract(kind * 7), fract(kind * 61), fract(kind * 113)];
  const radius = 0.05 + 0.13 * a * a;
  const seen = visibleShare(2 * radius * STONE_STEP, covered);
  if (kind > 1 || seen <= 0) return { share: 0, brightness: 1, facing: 1, lit: 1 };
  const [fx, fz] = [(fract(qx) - 0.35 - 0.3 * b) / radius, (fract(qz) - 0.35 - 0.3 * c) / radius];
  const square = fx * fx + fz * fz;
  const share = seen * (1 - smoothstep(0.6, 1, square));
  const [tx, tz] = [0.8 * fx - 0.6 * fz, 0.8 * fz + 0.6 * fx];
  const normal = normalize([tx, 0.3 + Math.sqrt(Math.max(0, 1 - square)), tz]);
  const behind = (tx + 0.8 * sunDirection[0]) ** 2 + (tz + 0.8 * sunDirection[2]) ** 2;
  const shaded = seen * (1 - smoothstep(0.4, 1.3, behind));
  return { share, brightness: 0.7 + 0.6 * b, facing: dot(normal, sunDirection), lit: 1 - 0.6 * shaded * (1 - share) };
}

/** Share of the ground that feet have bared, below the frame's dust. */
function trodden({ dustCenter, dustDensity, dustReciprocal }: LitFrame, world: Vector): number {
  if (dustDensity <= 0) return 0;
  const across = (world[0] - dustCenter[0]) * dustReciprocal[0];
  const along = (world[2] - dustCenter[2]) * dustReciprocal[2];
  return Math.exp(-across * across - along * along);
}
