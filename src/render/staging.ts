import type { Character } from '../asset/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { Group } from '../crowd/group.ts';
import type { PlayedClip } from '../crowd/playback.ts';
import type { Camera } from './camera.ts';
import type { Scene } from './lighting/scene.ts';
import type { Bounds } from './lighting/cascades.ts';
import { SeededRandom } from './seeded-random.ts';

/** A crowd set up for a picture: what was spawned, and how to look at it. Its parts are those of a `ForwardView`. */
export interface Stage {
  /** One per character type. */
  readonly groups: readonly Group[];
  /** One that shows the best of it. */
  readonly camera: Camera;
  readonly bounds: Bounds;
  readonly scene?: Partial<Scene>;
}

/** How many to set up, and which arrangement of them. */
export interface StageOptions {
  /** Characters in all, 1 or more; the crowd has to have room for them. */
  readonly count: number;
  /** The same seed gives the same picture. Default: 1 for a parade, 7 for a battle. */
  readonly seed?: number;
}

/** Neighbours of the front rank that the camera of a parade frames. */
const FRONT = 9;

/**
 * Lines up any characters in loose ranks, facing the camera; each plays a clip of its own, at its own phase, with
 * some of a second one blended in. Ranks stand on y = 0 and look along +Z; characters without a clip that moves rest.
 *
 * @param crowd With room for two motions of a character (`motions` of `createCrowd`, by default 4).
 * @param characters Types of this crowd; each gets an equal share of `count`.
 * @throws ManipleError CROWD_FULL, CROWD_LIMIT (too few motions), CROWD_BAD_ARGUMENT (another crowd's character)
 */
export function stageParade(crowd: Crowd, characters: readonly Character[], { count, seed = 1 }: StageOptions): Stage {
  const random = new SeededRandom(seed);
  const widest = Math.max(
    ...characters.map(({ bounds: { min, max } }) => Math.max(max[0]! - min[0]!, max[2]! - min[2]!)),
  );
  const tallest = Math.max(...characters.map(({ bounds: { min, max } }) => max[1]! - min[1]!));
  // most are modelled with their arms spread, and play with them lowered
  const step = Math.max(widest * 0.8, tallest * 0.35, 1e-3);
  const columns = Math.min(count, Math.ceil(Math.sqrt(count * 1.8)));
  const ranks = Math.ceil(count / columns);
  const jitter = count === 1 ? 0 : 0.12;
  const share = Math.ceil(count / characters.length);
  const slots = shuffled(
    Array.from({ length: count }, (_, i) => i),
    random,
  );
  const groups = characters.map((character, team) => {
    const mine = slots.slice(team * share, Math.min(count, (team + 1) * share));
    const group = crowd.spawn(character, {
      count: mine.length,
      place: (i, at) => {
        const slot = mine[i]!;
        const rank = Math.floor(slot / columns);
        const stagger = rank % 2 === 0 ? 0 : 0.5;
        at.position.set(
          ((slot % columns) + stagger - (columns - 1) / 2 + random.range(-jitter, jitter)) * step,
          0,
          (-rank + random.range(-jitter, jitter)) * step,
        );
        at.rotation.setYaw(random.range(-0.35, 0.35));
      },
    });
    group.motions(() => mixOf(character, random));
    return group;
  });
  const width = columns * step;
  const depth = ranks * step;
  // the front rank's middle fills the picture; what stands behind fills it farther out
  const shown = Math.min(width, FRONT * step);
  const distance = Math.max(shown * 0.92, tallest * 2.6);
  return {
    groups,
    camera: {
      eye: [0.14 * distance, tallest * 0.8 + (count === 1 ? 0 : 0.36 * distance), distance],
      target: [0, tallest * 0.45, -Math.min(0.4 * depth, 4.2 * step) * Number(ranks > 1)],
      fovY: 0.62,
      near: tallest * 0.02,
    },
    scene: { fadeDistance: 8 * (distance + depth) },
    bounds: { min: [-width / 2 - step, 0, -depth - step], max: [width / 2 + step, tallest * 1.2, step] },
  };
}

/** One clip, and a smaller part of another: every character differently. */
function mixOf({ clips }: Character, random: SeededRandom): PlayedClip[] {
  const moving = clips.map((_, index) => index).filter((index) => clips[index]!.duration > 0.05);
  if (moving.length === 0) return [];
  const pick = () => moving[Math.floor(random.next() * moving.length)]!;
  const weight = random.range(0, 0.35);
  const first = { clip: pick(), phase: random.next(), weight: 1 - weight };
  return weight < 0.1 ? [{ ...first, weight: 1 }] : [first, { clip: pick(), phase: random.next(), weight }];
}

export function shuffled<T>(list: readonly T[], random: SeededRandom): T[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
