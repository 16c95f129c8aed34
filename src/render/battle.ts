import type { Character } from '../asset/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { PlayedClip } from '../crowd/playback.ts';
import type { Placement } from '../crowd/placement.ts';
import { SeededRandom } from './seeded-random.ts';
import type { Stage, StageOptions } from './staging.ts';

/** What a soldier is doing, and so which clips it plays. */
type Role = 'duel' | 'press' | 'march' | 'stand' | 'fallen';

interface Soldier {
  readonly x: number;
  readonly z: number;
  readonly yaw: number;
  readonly role: Role;
}

/** Metres between neighbours. */
const RANK_STEP = 1.25;
const MOB_STEP = 1.5;

/**
 * Two peoples meet: the legion in ranks, the raiders as a mob, duels and fallen between them. Every soldier has a clip,
 * a phase and a blend of its own; the same seed gives the same battle. It is fought on y = 0, along z = 0.
 *
 * Made for the two characters of this package. Others may stand in: of the clips that a role asks for (`idle`, `walk`,
 * `run`, `attack_1`, `attack_2`, `block`, `block_idle`, `hit`, `cheer`, `strafe_left`, `strafe_right`, `fall`, …) what is
 * missing becomes the first clip, and without clips they rest. Parts named Pilum, Spear or Club are hidden.
 *
 * @param crowd With room for two motions of a character (`motions` of `createCrowd`, by default 4).
 * @param legionary A type of this crowd, as is `raider`: half of `count` each.
 * @throws ManipleError CROWD_FULL, CROWD_LIMIT (too few motions), CROWD_BAD_ARGUMENT (another crowd's character)
 */
export function stageBattle(
  crowd: Crowd,
  legionary: Character,
  raider: Character,
  { count, seed = 7 }: StageOptions,
): Stage {
  const random = new SeededRandom(seed);
  const sides = [formLegion(Math.ceil(count / 2), random), formMob(Math.floor(count / 2), random)];
  const all = sides.flat();
  const span = (key: 'x' | 'z') => [Math.min(...all.map((s) => s[key])), Math.max(...all.map((s) => s[key]))] as const;
  const [[left, right], [near, far]] = [span('x'), span('z')];
  const camera = battleCamera(right - left);
  const [legion, mob] = sides.map((soldiers) => nearestFirst(soldiers, camera)) as [Soldier[], Soldier[]];
  const groups = [
    { character: legionary, soldiers: legion },
    { character: raider, soldiers: mob },
  ].map(({ character, soldiers }) => {
    const group = crowd.spawn(character, {
      count: soldiers.length,
      place: (i, at) => placeSoldier(soldiers[i]!, at, random),
    });
    group.motions((i) => motionsOf(character, soldiers[i]!.role, random));
    hideSpareWeapons(character, (name) => group.parts(name));
    return group;
  });
  return {
    groups,
    camera,
    bounds: { min: [left - 2, 0, near - 2], max: [right + 2, 2.6, far + 2] },
  };
}

/** Drawn in this order, those in front hide the others before they are shaded. */
function nearestFirst(soldiers: readonly Soldier[], { eye }: Stage['camera']): Soldier[] {
  const distance = ({ x, z }: Soldier) => Math.hypot(x - eye[0], z - eye[2]);
  return [...soldiers].sort((a, b) => distance(a) - distance(b));
}

/** From the end of the line where the two meet, above heads. */
function battleCamera(width: number): Stage['camera'] {
  const scale = Math.max(0.35, width / 34);
  return {
    eye: [-3 - 14.7 * scale, 2.6 + 1.9 * scale, -2.5 * scale],
    target: [0, 1 - 1.8 * scale, 1.3 * scale],
    fovY: 0.62,
  };
}

/** Ranks behind a front line at z = 0, looking along +Z. */
function formLegion(count: number, random: SeededRandom): Soldier[] {
  const columns = Math.max(1, Math.round(Math.sqrt(count * 3)));
  return Array.from({ length: count }, (_, i): Soldier => {
    const [column, rank] = [i % columns, Math.floor(i / columns)];
    const x = (column - (columns - 1) / 2) * RANK_STEP + random.range(-0.1, 0.1);
    const z = -0.75 - rank * RANK_STEP * 1.15 + random.range(-0.12, 0.12);
    const role = rank === 0 ? 'duel' : rank === 1 ? 'press' : rank < 5 ? 'march' : 'stand';
    if (rank === 0 && random.chance(0.16))
      return { x, z: random.range(-0.2, 1.4), yaw: random.range(-0.6, 0.6), role: 'fallen' };
    const forward = rank === 0 ? random.range(-0.25, 0.3) : 0;
    return { x, z: z + forward, yaw: random.range(-0.12, 0.12) * (rank === 0 ? 2.5 : 1), role };
  });
}

/** A loose crowd beyond the line, looking along −Z. */
function formMob(count: number, random: SeededRandom): Soldier[] {
  const columns = Math.max(1, Math.round(Math.sqrt(count * 2.6)));
  const step = (RANK_STEP * Math.round(Math.sqrt(count * 3))) / columns;
  return Array.from({ length: count }, (_, i): Soldier => {
    const [column, rank] = [i % columns, Math.floor(i / columns)];
    const x = (column + (rank % 2) * 0.5 - (columns - 1) / 2) * step + random.range(-0.35, 0.35);
    const z = 0.85 + rank * MOB_STEP + random.range(-0.4, 0.4) * Math.min(1, rank);
    const yaw = Math.PI + random.range(-0.35, 0.35);
    if (rank === 0 && random.chance(0.2))
      return { x, z: random.range(-0.6, 0.8), yaw: yaw + random.range(-0.8, 0.8), role: 'fallen' };
    const role = rank === 0 ? 'duel' : rank === 1 ? 'press' : random.chance(0.75) ? 'march' : 'stand';
    return { x, z, yaw, role };
  });
}

function placeSoldier({ x, z, yaw }: Soldier, at: Placement, random: SeededRandom): void {
  at.position.set(x, 0, z);
  at.rotation.setYaw(yaw);
  at.scale = random.range(0.95, 1.06);
}

/** The clips of a role: [clip, weight], the first that the character has of each list. */
const ROLES: Readonly<Record<Role, readonly (readonly string[])[]>> = {
  duel: [['attack_1'], ['attack_2'], ['attack_1'], ['block'], ['hit'], ['block_idle', 'block']],
  press: [['block_idle', 'block'], ['walk'], ['attack_2'], ['strafe_left'], ['strafe_right'], ['cheer']],
  march: [['walk'], ['walk'], ['run'], ['walk'], ['block_idle', 'walk']],
  stand: [['idle'], ['idle_variant', 'idle'], ['cheer'], ['idle'], ['walk']],
  fallen: [['fall']],
};
/** What is blended in, so that no two stand alike. */
const SPICES: Readonly<Record<Role, readonly string[]>> = {
  duel: ['block_idle', 'idle', 'strafe_left', 'strafe_right'],
  press: ['idle', 'walk'],
  march: ['run', 'idle', 'strafe_left', 'strafe_right'],
  stand: ['idle_variant', 'block_idle', 'idle'],
  fallen: [],
};

function motionsOf({ clips }: Character, role: Role, random: SeededRandom): PlayedClip[] {
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

/** Kit characters carry every weapon: each side shows its own. */
const SPARE_WEAPONS = ['Pilum', 'Spear', 'Club'];

function hideSpareWeapons({ parts }: Character, partOf: (name: string) => { hide(): void }): void {
  for (const name of SPARE_WEAPONS) if (parts.includes(name)) partOf(name).hide();
}
