import type { Character } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CharacterGroup } from '../crowd/group.ts';
import { type BattleSide, Director } from './director.ts';
import { BATTLE_SURFACE, dressSoldiers } from './dress.ts';
import { fieldOf, formBattle, type Soldier, type Role } from './formation.ts';
import type { Bounds } from '../render/lighting/cascades.ts';
import type { Lighting } from '../render/lighting/scene.ts';
import { SeededRandom } from '../math/seeded-random.ts';
import { hasSoldierController, LEGIONARY, RAIDER } from './soldier.ts';
import type { Stage, StageOptions } from './parade.ts';
import type { PlayedClip } from '../crowd/rows/players.ts';

/** A battle that has been set up. With a director it continues. */
export interface Battle extends Stage {
  /** Call `advance` before each frame. Undefined if one of the characters has no soldier's controller. */
  readonly director?: Director;
  /** The sides that it leads, for a director of your own (`Director`): the legion, then the raiders. */
  readonly sides?: readonly [BattleSide, BattleSide];
}

/**
 * Sets up a battle of two peoples: the legion in ranks, the raiders as a mob, duels and fallen between them. The same
 * seed gives the same battle. It is on y = 0, along z = 0.
 *
 * Made for the two characters of this package, packed with their controllers ({@link LEGIONARY}, {@link RAIDER}). Then
 * a director leads them. All begin idle, so let `fight` run first. Other characters work, too. Without a controller
 * each permanently plays a clip of its role (`idle`, `walk`, `run`, `attack_1`, `block`, `hit`, …), or its first clip.
 * Without clips it is at rest. Parts named Pilum and Spear are hidden. Kit characters have all weapons, beards, capes
 * and shield paintings at once; each shows some. The crowd's column `tunic` contains the dye of each soldier's cloth:
 * renderers that are created with `surface` show it.
 *
 * @param crowd A crowd with capacity for two motions of a character (`maxClips` of `createCrowd`, by default 4).
 * @param legionary A type of this crowd, as is `raider`: half of `count` each.
 * @throws ManipleError CROWD_FULL, CROWD_LIMIT (too few motions), CROWD_BAD_ARGUMENT (another crowd's character)
 */
export function stageBattle(
  crowd: Crowd,
  legionary: Character,
  raider: Character,
  { count, seed = 7 }: StageOptions,
): Battle {
  const random = new SeededRandom(seed);
  const formed = formBattle(count, random);
  const { left, right, near, far } = fieldOf(formed.flat());
  const camera = battleCamera(left, right - left);
  const [legion, mob] = formed.map((soldiers) => nearestFirst(soldiers, camera)) as [Soldier[], Soldier[]];
  const sides = [
    { group: enlist(crowd, legionary, legion, random), soldiers: legion, facts: LEGIONARY },
    { group: enlist(crowd, raider, mob, random), soldiers: mob, facts: RAIDER },
  ] as const;
  const groups = sides.map(({ group }) => group);
  dressSoldiers(groups, seed);
  const bounds: Bounds = { min: [left - 2, 0, near - 2], max: [right + 2, 2.6, far + 2] };
  return {
    groups,
    camera,
    bounds,
    lighting: battleLight(bounds),
    surface: BATTLE_SURFACE,
    ...([legionary, raider].every(hasSoldierController) ? { sides, director: new Director(sides, { seed }) } : {}),
  };
}

/** Frames per second of a battle without views. */
const UNSEEN_RATE = 12;

/** Advances a staged battle by some seconds without views: state machines run, nothing is posed. */
export async function fight(crowd: Crowd, { director }: Battle, seconds: number): Promise<void> {
  if (!director) return;
  for (let frame = 0; frame < Math.round(seconds * UNSEEN_RATE); frame++) {
    director.advance(1 / UNSEEN_RATE);
    crowd.update({ dt: 1 / UNSEEN_RATE, views: [] });
    await crowd.workDone();
  }
}

function enlist(
  crowd: Crowd,
  character: Character,
  soldiers: readonly Soldier[],
  random: SeededRandom,
): CharacterGroup {
  const group = crowd.spawn(character, {
    count: soldiers.length,
    place: (i, at) => {
      const { x, z, yaw } = soldiers[i]!;
      at.position.set(x, 0, z);
      at.rotation.setYaw(yaw);
      at.scale = random.range(0.93, 1.07);
    },
  });
  if (!character.controller) group.setClips((i) => standInMotions(character, soldiers[i]!.role, random));
  arm(group, random);
  return group;
}

/** Sorts soldiers by distance: drawn in this order, those in front hide the others before they are shaded. */
function nearestFirst(soldiers: readonly Soldier[], { eye }: Stage['camera']): Soldier[] {
  const distance = ({ x, z }: Soldier) => Math.hypot(x - eye[0], z - eye[2]);
  return [...soldiers].sort((a, b) => distance(a) - distance(b));
}

/** A late afternoon: long shadows, warm light, and dust where the two meet. */
export function battleLight({ min, max }: Bounds): Partial<Lighting> {
  const [width, depth] = [max[0] - min[0], max[2] - min[2]];
  return {
    sunDirection: [-0.72, 0.42, 0.36],
    sunColor: [1.24, 0.93, 0.6],
    skyColor: [0.08, 0.24, 0.58],
    horizonColor: [0.58, 0.57, 0.54],
    groundColor: [0.3, 0.25, 0.15],
    hillHeight: 0.1,
    fadeDistance: Math.max(1200, 2.2 * Math.hypot(width, depth)),
    dust: { center: [0, 0.4, 0], size: [0.5 * width, 1.3, 3.4], density: 0.03, color: [0.72, 0.56, 0.38] },
  };
}

/** Width of a field, metres, up to which the camera rises as far as the field grows. */
const NEAR_FIELD = 60;
const FIELD_OF_VIEW = 0.62;
/** Slope by which the camera looks down: the horizon is at a quarter of the picture's height. */
const DOWN = 0.15;

/**
 * A camera beyond the end of the line where the two meet, far enough away to show the nearest soldiers whole. It does
 * not show all of large fields.
 */
function battleCamera(left: number, width: number): Stage['camera'] {
  const scale = Math.max(0.35, Math.min(width, Math.sqrt(width * NEAR_FIELD)) / 34);
  const height = 1.4 + 0.85 * scale;
  // the picture's lower edge meets the ground there
  const clear = height / Math.tan(FIELD_OF_VIEW / 2 + Math.atan(DOWN));
  const eye = left - clear;
  // towards the faces of the legion
  return { eye: [eye, height, -0.1 * eye], target: [0, height + DOWN * eye, 0.14 * eye], fovY: FIELD_OF_VIEW };
}

/** A choice of parts: its share, and the parts that it shows. Other parts of its list are hidden. */
type Choice = readonly [share: number, shown: readonly string[]];

/** Parts that kit characters have all at once, and the ways to wear them. Shares of a list add up to 1. */
const CHOICES: readonly (readonly Choice[])[] = [
  [[0.7, ['Axe']], [0.3, ['Club']]],
  [[0.34, ['Beard', 'Moustache']], [0.14, ['Beard']], [0.22, ['TrimmedBeard', 'Moustache']], [0.16, ['TrimmedBeard']], [0.14, ['Moustache']]],
  [[0.6, ['Braid']], [0.4, []]],
  [[0.4, ['Whirl']], [0.22, ['Ring']], [0.2, ['Whirl', 'Ring']], [0.18, []]],
  [[0.66, ['Wings', 'Lightning']], [0.2, ['Wings']], [0.14, ['Lightning']]],
  [[0.82, ['Crest']], [0.18, []]],
  [[0.6, ['Cape']], [0.4, []]],
]; // prettier-ignore

/** Gives each soldier one of its weapons, one way to wear its beard, and a painting on its shield. */
function arm(group: CharacterGroup, random: SeededRandom): void {
  const { parts } = group.character;
  for (const name of ['Pilum', 'Spear']) if (parts.includes(name)) group.hideParts(name);
  for (const choices of CHOICES) {
    const names = [...new Set(choices.flatMap(([, shown]) => shown))].filter((name) => parts.includes(name));
    if (names.length === 0) continue;
    const made = group.ids.map(() => choose(choices, random));
    for (const name of names)
      group.hideParts(
        name,
        made.flatMap((shown, i) => (shown.includes(name) ? [] : [i])),
      );
  }
}

function choose(choices: readonly Choice[], random: SeededRandom): readonly string[] {
  let left = random.next();
  return (choices.find(([share]) => (left -= share) < 0) ?? choices[0]!)[1];
}

/** The clips of a role: the first that the character has of each list. */
const ROLES: Readonly<Record<Role, readonly (readonly string[])[]>> = {
  duel: [['attack_1'], ['attack_2'], ['attack_1'], ['block'], ['hit'], ['block_idle', 'block']],
  press: [['block_idle', 'block'], ['walk'], ['attack_2'], ['strafe_left'], ['strafe_right'], ['cheer']],
  march: [['walk'], ['walk'], ['run'], ['walk'], ['block_idle', 'walk']],
  stand: [['idle'], ['idle_variant', 'idle'], ['cheer'], ['idle'], ['walk']],
  fallen: [['fall']],
};
/** Clips that are blended in, so that no two characters look alike. */
const SPICES: Readonly<Record<Role, readonly string[]>> = {
  duel: ['block_idle', 'idle', 'strafe_left', 'strafe_right'],
  press: ['idle', 'walk'],
  march: ['run', 'idle', 'strafe_left', 'strafe_right'],
  stand: ['idle_variant', 'block_idle', 'idle'],
  fallen: [],
};

/** Clips that a character without a soldier's controller plays during a whole battle. */
function standInMotions({ clips }: Character, role: Role, random: SeededRandom): PlayedClip[] {
  const has = (name: string) => clips.some((clip) => clip.name === name);
  const clip = random.pick(ROLES[role]).find(has);
  const spice = random.pick([...SPICES[role], '']);
  if (!clip) return clips.length > 0 ? [{ clip: 0, phase: random.next() }] : [];
  if (role === 'fallen')
    return [{ clip, phase: random.chance(0.8) ? 1 : random.range(0.5, 1), speed: 0, loops: false }];
  const weight = random.range(0.1, 0.3);
  const first = { clip, phase: random.next(), speed: random.range(0.9, 1.1) };
  if (!has(spice)) return [first];
  return [
    { ...first, weight: 1 - weight },
    { clip: spice, phase: random.next(), weight },
  ];
}
