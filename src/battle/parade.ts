import { expectList, expectObject } from '../crowd/arguments.ts';
import { expectCrowd } from '../crowd/internals.ts';
import type { Box, Character } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CharacterGroup } from '../crowd/group.ts';
import type { CharacterTransform } from '../crowd/placement.ts';
import { boxBody, reachOf, turnedBox, type Body } from './bodies.ts';
import { normalize, subtract, type Camera, type Vector } from '../render/camera.ts';
import { frameAll, turned, type Lens } from './framing.ts';
import type { Lighting } from '../render/lighting/scene.ts';
import type { Bounds } from '../render/lighting/cascades.ts';
import type { SurfaceChange } from '../render/lighting/surface-change.ts';
import { layOutRanks, type GroundPlace } from './parade-layout.ts';
import { SeededRandom } from '../math/seeded-random.ts';

/** A crowd set up for a picture: its groups, and how to look at it. Its fields are those of a `ForwardView`. */
export interface Stage {
  /** One per character type. */
  readonly groups: readonly CharacterGroup[];
  /** A camera that shows all of a parade, and the best of a battle. */
  readonly camera: Camera;
  readonly bounds: Bounds;
  readonly lighting?: Partial<Lighting>;
  /** Change of surfaces that its renderers are created with. */
  readonly surface?: SurfaceChange;
}

/** Number of characters to set up, and their arrangement. */
export interface StageOptions {
  /** Characters in all, 1 or more. The crowd needs capacity for them. */
  readonly count: number;
  /** The same seed gives the same picture. Default: 1 for a parade, 7 for a battle. */
  readonly seed?: number;
}

/** How to set up a parade. */
export interface ParadeOptions extends StageOptions {
  /** Width by height of its pictures; default 16:9. */
  readonly aspect?: number;
  /** Angles by which the camera has turned around its target in each of them, radians; default [0]: all from one place. */
  readonly orbits?: readonly number[];
  /** By character: indices of the clips that may play. Default: all that move. */
  readonly clips?: readonly (readonly number[])[];
  /** Performers that differ in what they play or how they are turned, at most; default: all. */
  readonly variants?: number;
}

/** One of a parade: what it plays, from which phase on, and how it is turned. */
export interface Performer {
  /** Index of the character. */
  readonly character: number;
  /** Index of the clip; undefined if it plays none, or if a controller decides. */
  readonly clip: number | undefined;
  readonly phase: number;
  readonly yaw: number;
}

/** A parade before it is placed. */
export interface Parade {
  /** In the order of their places: front rank first, from left to right. */
  readonly performers: readonly Performer[];
  /** Distinct ones; performer i is the same as number i modulo their count. */
  readonly variants: readonly Performer[];
  readonly lens: Lens;
  readonly slope: number;
  readonly seed: number;
}

/** Decides which character plays which clip, and the directions of the camera. */
export function planParade(
  characters: readonly Character[],
  {
    count,
    seed = 1,
    aspect = 16 / 9,
    orbits = [0],
    clips = characters.map(movingClips),
    variants = count,
  }: ParadeOptions,
): Parade {
  const random = new SeededRandom(seed);
  const share = Math.ceil(count / characters.length);
  // the same mix of characters among the variants as among all, as far as possible
  const distinct = Math.min(count, Math.max(characters.length, variants));
  const cast = Array.from({ length: distinct }, (_, i) =>
    distinct === count ? Math.floor(i / share) : i % characters.length,
  );
  const different = shuffled(cast, random).map((character): Performer => {
    const playable = clips[character]!;
    const clip = playable.length === 0 ? undefined : random.pick(playable);
    return { character, clip, phase: random.next(), yaw: random.range(-0.35, 0.35) };
  });
  const performers = Array.from({ length: count }, (_, i) => different[i % distinct]!);
  // from a little to the right; from above where there is more than a rank to be seen
  const slope = 0.12 + 0.2 * Math.min(1, (count - 1) / 12);
  const direction = normalize([0.14, slope, 1]);
  return {
    performers,
    variants: different,
    lens: { directions: orbits.map((angle) => turned(direction, angle)), aspect, fovY: 0.62 },
    slope,
    seed,
  };
}

/**
 * Lines up any characters in loose ranks, facing the camera, so that none touches another. Each plays a clip of its
 * own, at its own phase. Ranks are on y = 0 and face +Z. Characters without clips are at rest. Those with a controller
 * are driven by it. The camera shows all of them, wherever their clips move them: by the bounds of clips, or of
 * controllers' reach.
 *
 * @param crowd A crowd with capacity for a motion of a character (`maxClips` of `createCrowd`, by default 4).
 * @param characters Types of this crowd; each gets an equal share of `count`.
 * @throws ManipleError CROWD_FULL, CROWD_BAD_ARGUMENT (another crowd's character)
 */
export function stageParade(crowd: Crowd, characters: readonly Character[], options: ParadeOptions): Stage {
  expectCrowd(crowd);
  expectList('characters', characters);
  expectObject('options', options);
  const parade = planParade(characters, options);
  return stagePerformers(crowd, characters, parade, reachingBodies(characters, parade));
}

/** Bodies of the variants that hold whatever their clips may show. */
export function reachingBodies(characters: readonly Character[], { variants }: Parade): readonly Body[] {
  return variants.map(({ character, clip, yaw }) => boxBody(turnedBox(reachOf(characters[character]!, clip), yaw)));
}

/** Sets up a parade that has been planned. @param bodies Bodies of its variants. */
export function stagePerformers(
  crowd: Crowd,
  characters: readonly Character[],
  { performers, lens, slope, seed }: Parade,
  bodies: readonly Body[],
): Stage {
  const bodyOf = (index: number) => bodies[index % bodies.length]!;
  const boxes = performers.map((_, i) => bodyOf(i).box);
  const places = layOutRanks(boxes, { aspect: lens.aspect, slope }, new SeededRandom(seed));
  const troupes = spawnPerformers(crowd, characters, performers, (i, { position }) => {
    position.set(places[i]!.x, 0, places[i]!.z);
  });
  const bounds = boundsOf(boxes, places);
  const center = bounds.min.map((low, axis) => (low + bounds.max[axis]!) / 2) as unknown as Vector;
  const farthest = (picture: number, normal: Vector) =>
    places.reduce(
      (most, { x, z }, i) => Math.max(most, bodyOf(i).farthest(picture, normal) + normal[0] * x + normal[2] * z),
      -Infinity,
    );
  const camera = frameAll(farthest, center, lens);
  const distance = Math.hypot(...subtract(camera.eye, camera.target));
  const groups = troupes.map(({ group }) => group);
  return { groups, camera, bounds, lighting: { fadeDistance: 80 * (distance + bounds.max[2] - bounds.min[2]) } };
}

/**
 * Spawns the performers of each character. Those without a controller play their clips.
 * @param place Called with an index into `performers`.
 * @returns For each character its group, and an index into `performers` for each row of it.
 */
export function spawnPerformers(
  crowd: Crowd,
  characters: readonly Character[],
  performers: readonly Performer[],
  place: (index: number, at: CharacterTransform) => void = () => undefined,
) {
  return characters.map((character, type) => {
    const indices = [...performers.keys()].filter((i) => performers[i]!.character === type);
    const mine = indices.map((i) => performers[i]!);
    const group = crowd.spawn(character, {
      count: mine.length,
      place: (i, at) => {
        at.rotation.setYaw(mine[i]!.yaw);
        place(indices[i]!, at);
      },
    });
    if (!character.controller) {
      group.setClips((i) => {
        const { clip, phase } = mine[i]!;
        return clip === undefined ? [] : [{ clip, phase }];
      });
    }
    return { group, performers: mine, indices };
  });
}

/** Clips that are more than a pose; all clips if every clip is a pose. */
export function movingClips({ clips, controller }: Character): readonly number[] {
  if (controller) return [];
  const all = clips.map((_, index) => index);
  const moving = all.filter((index) => clips[index]!.duration > 0.05);
  return moving.length > 0 ? moving : all;
}

function boundsOf(boxes: readonly Box[], places: readonly GroundPlace[]): Bounds {
  const min: [number, number, number] = [Infinity, 0, Infinity];
  const max: [number, number, number] = [-Infinity, 0, -Infinity];
  boxes.forEach((box, i) => {
    const { x, z } = places[i]!;
    [x, 0, z].forEach((at, axis) => {
      min[axis] = Math.min(min[axis]!, at + box.min[axis]!);
      max[axis] = Math.max(max[axis]!, at + box.max[axis]!);
    });
  });
  return { min, max };
}

function shuffled<T>(list: readonly T[], random: SeededRandom): T[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
