import { positionsIn } from './frames.ts';
import type { BvhFile, BvhJoint } from './parse.ts';

/** Units that BVH files are written in, as metres. */
const UNITS: readonly { readonly name: string; readonly metres: number }[] = [
  { name: 'metres', metres: 1 },
  { name: 'inches / 0.45, as files of CMU', metres: 0.0254 / 0.45 },
  { name: 'inches', metres: 0.0254 },
  { name: 'centimetres', metres: 0.01 },
  { name: 'millimetres', metres: 0.001 },
];

/** Height of a person, in metres. */
const STATURE = 1.7;

/** Length of the way from a hand through the body to a foot, for a person of height 1. */
const WAY_PER_STATURE = 1.4;

/**
 * Guesses the unit of a file: a person has some 1.7 m. The height is estimated from the lengths of bones, not from the
 * pose at rest: in many files that has every bone along one axis.
 *
 * @returns The unit, its name, and the height in the file's unit; a height of 0 takes centimetres.
 */
export function guessUnit(joints: readonly BvhJoint[]): { name: string; metres: number; stature: number } {
  const stature = longestWay(joints) / WAY_PER_STATURE;
  const off = ({ metres }: { metres: number }) => Math.abs(Math.log((stature * metres) / STATURE));
  const nearest = UNITS.reduce((best, unit) => (off(unit) < off(best) ? unit : best));
  return { ...(stature > 0 ? nearest : UNITS[3]!), stature };
}

/** The longest way along bones, from any joint to any other. */
function longestWay(joints: readonly BvhJoint[]): number {
  /** The longest way down from each joint. */
  const down = new Float64Array(joints.length);
  let longest = 0;
  for (let i = joints.length - 1; i >= 0; i--) {
    const { parentIndex, offset } = joints[i]!;
    // a root's offset is a place, not a bone
    if (parentIndex < 0) continue;
    const way = down[i]! + Math.hypot(...offset);
    longest = Math.max(longest, down[parentIndex]! + way);
    down[parentIndex] = Math.max(down[parentIndex]!, way);
  }
  return longest;
}

/** Frames that are looked at. */
const SAMPLES = 9;

/**
 * Guesses whether Z is up. Then the skeleton at rest is three times as long along Z as along Y, and at least half of the
 * frames are 1.6 times as long. The second is not enough: people also lie and crawl.
 */
export function guessUp(file: BvhFile): 'y' | 'z' {
  if (file.frameCount === 0 || ratioOf(positionsIn(file, undefined)) < 3) return 'y';
  const last = file.frameCount - 1;
  const frames = Array.from({ length: SAMPLES }, (_, i) => Math.round((last * i) / (SAMPLES - 1)));
  const ratios = frames.map((frame) => ratioOf(positionsIn(file, frame))).sort((a, b) => a - b);
  return ratios[SAMPLES >> 1]! >= 1.6 ? 'z' : 'y';
}

/** How many times longer points reach along Z than along Y. */
function ratioOf(positions: Float64Array): number {
  const [y, z] = [1, 2].map((axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = axis; i < positions.length; i += 3) {
      low = Math.min(low, positions[i]!);
      high = Math.max(high, positions[i]!);
    }
    return high - low;
  });
  return z! / y!;
}
