import type { Character } from '../character/character.ts';
import type { PlayedClip } from '../crowd/rows/players.ts';
import type { Role } from './formation.ts';
import type { SeededRandom } from '../math/seeded-random.ts';

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
export function standInMotions({ clips }: Character, role: Role, random: SeededRandom): PlayedClip[] {
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
