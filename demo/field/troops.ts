import type { Character, CharacterId, Crowd, CharacterGroup, PlayedClip } from '../../src/index.ts';
import type { Bounds } from '../../src/render/index.ts';

/** Characters of a dropped file, placed together next to the battle. */
export interface JoinedTroop {
  readonly name: string;
  /** A later character of the same key replaces this one. */
  readonly key?: number | undefined;
  /** Names of the clips that it plays; undefined: all that move. */
  readonly plays?: readonly string[] | undefined;
  readonly character: Character;
  readonly count: number;
  /** Its middle on the ground. */
  readonly middle: readonly [x: number, z: number];
  readonly scale: number;
  /** Distance between neighbours, metres. */
  readonly step: number;
}

/** A character for a new troop. */
export type Recruits = Pick<JoinedTroop, 'name' | 'character' | 'key' | 'plays'>;

/** Metres: heights between LEAST_HEIGHT and MOST_HEIGHT are kept; others are scaled to HEIGHT. */
const [LEAST_HEIGHT, MOST_HEIGHT, HEIGHT] = [0.4, 5, 1.8];
const TROOP = 24;
const FILES = 6;
/** Metres from the battle to the first troop, and between troops. */
const GAP = 5;
/** Capacity for characters that join later. */
export const ROOM = 256;

/**
 * Places a new troop at the end of the field where the camera is, after the earlier troops. Scales a character that is far
 * larger or smaller than people to their height.
 */
export function mustered(
  { name, character, key, plays }: Recruits,
  { min, max }: Bounds,
  known: readonly JoinedTroop[],
): JoinedTroop {
  const { bounds } = character;
  const size = [0, 1, 2].map((axis) => bounds.max[axis]! - bounds.min[axis]!) as [number, number, number];
  const tall = Math.max(size[1], 1e-4);
  const scale = tall < LEAST_HEIGHT || tall > MOST_HEIGHT ? HEIGHT / tall : 1;
  const step = Math.max(0.9, Math.min(4, 0.8 * scale * Math.max(size[0], size[2])));
  const count = character.vertexCount > 30_000 ? FILES : TROOP;
  const width = FILES * step;
  const taken = known.reduce((sum, troop) => sum + troop.step * FILES + GAP, 0);
  const middle = [min[0] - GAP - taken - width / 2, Math.max(min[2], Math.min(max[2], 0))] as const;
  return { name, key, plays, character, count, middle, scale, step };
}

/** Adds a troop and its character to a crowd, and removes the troop that it replaces. @throws ManipleError as `addCharacter` and `spawn` */
export function joinCrowd(
  crowd: Crowd,
  troop: JoinedTroop,
  replaced?: { readonly ids: readonly CharacterId[]; readonly character: Character },
): CharacterGroup {
  if (crowd.count + troop.count > crowd.capacity) crowd.grow(crowd.count + troop.count + ROOM);
  crowd.addCharacter(troop.character);
  const group = spawnTroop(crowd, troop);
  if (replaced) {
    crowd.despawn(replaced.ids);
    crowd.removeCharacter(replaced.character);
  }
  return group;
}

function spawnTroop(crowd: Crowd, troop: JoinedTroop): CharacterGroup {
  const { character, count, middle, scale, step, plays } = troop;
  const ranks = Math.ceil(count / FILES);
  const group = crowd.spawn(character, {
    count,
    place: (i, at) => {
      const [file, rank] = [i % FILES, Math.floor(i / FILES)];
      at.position.set(middle[0] + (file - (FILES - 1) / 2) * step, 0, middle[1] + (rank - (ranks - 1) / 2) * step);
      at.rotation.setYaw(-Math.PI / 2 + 0.5); // towards the camera
      at.scale = scale;
    },
  });
  if (!character.controller) group.setClips((i) => clipOf(character, plays, i));
  return group;
}

/** Picks another clip, at another phase, for each character. */
function clipOf({ clips }: Character, plays: readonly string[] | undefined, i: number): PlayedClip[] {
  const moving = clips
    .map((_, clip) => clip)
    .filter((clip) => (plays ? plays.includes(clips[clip]!.name) : clips[clip]!.duration > 0.05));
  if (moving.length === 0) return [];
  return [{ clip: moving[i % moving.length]!, phase: (i * 0.618) % 1 }];
}
