import type { SeededRandom } from './seeded-random.ts';

/** What a soldier is there for: to fight a foe, to wait close behind, to come up, to stand by, to lie on the ground. */
export type Role = 'duel' | 'press' | 'march' | 'stand' | 'fallen';

export interface Soldier {
  readonly x: number;
  readonly z: number;
  readonly yaw: number;
  readonly role: Role;
  /** Whoever of the other side has the same number is its foe. */
  readonly pair?: number;
}

/** Metres between neighbours of a rank, and between ranks; of the mob as of the legion. */
const FILE_STEP = 1.3;
const RANK_STEP = 1.5;
/** Metres between duels, along the line and across. */
const DUEL_STEP = 2.1;
const DUEL_ROW = 2.5;
/** Metres between those who fight each other: what a step and a blade reach. */
const REACH = 1.35;
/** Shares of the duels that a side has lost already. */
const FALLEN = [0.1, 0.14] as const;

/**
 * Both sides, legion first: duels along z = 0, the legion in ranks before it (looking along +Z), the raiders as a mob
 * beyond, fallen between. `count` of both together; the legion has one more where it is odd.
 */
export function formBattle(count: number, random: SeededRandom): readonly [Soldier[], Soldier[]] {
  const sizes = [Math.ceil(count / 2), Math.floor(count / 2)] as const;
  const files = Math.max(1, Math.round(Math.sqrt(sizes[0] * 3)));
  const width = files * FILE_STEP;
  const melee = formMelee(sizes[1], width, random);
  const legion = melee.flatMap(([ours]) => ours);
  const mob = melee.flatMap(([, theirs]) => theirs);
  const depth = Math.max(0, ...melee.flatMap((pair) => pair.map(({ z }) => Math.abs(z))));
  return [
    [...legion, ...formRanks(sizes[0] - legion.length, files, -depth - 1.2, random)],
    [...mob, ...formMob(sizes[1] - mob.length, width, depth + 1.1, random)],
  ];
}

/** Those who fight each other, in rows along the line, and those who did. */
function formMelee(limit: number, width: number, random: SeededRandom): (readonly [Soldier, Soldier])[] {
  const rows = limit < 40 ? 1 : limit < 250 ? 2 : 3;
  const columns = Math.max(1, Math.floor(width / DUEL_STEP));
  return Array.from({ length: Math.min(limit, rows * columns) }, (_, pair) => {
    const [column, row] = [Math.floor(pair / rows), pair % rows];
    const stagger = row % 2 === 0 ? 0 : 0.5;
    const x = (column + stagger - (columns - 1) / 2) * DUEL_STEP + random.range(-0.25, 0.25);
    const z = (row - (rows - 1) / 2) * DUEL_ROW + random.range(-0.35, 0.35);
    // which way the legionary of the pair looks: most towards the raiders
    const yaw = rows > 1 && random.chance(0.12) ? random.range(-2.4, 2.4) : random.range(-0.7, 0.7);
    const half = (REACH / 2) * random.range(0.95, 1.1);
    const [dx, dz] = [half * Math.sin(yaw), half * Math.cos(yaw)];
    const turn = () => random.range(-0.12, 0.12);
    const ours = { x: x - dx, z: z - dz, yaw: yaw + turn() };
    const theirs = { x: x + dx, z: z + dz, yaw: yaw + Math.PI + turn() };
    const fate = random.next();
    if (fate < FALLEN[0])
      return [
        { ...ours, role: 'fallen' },
        { ...theirs, role: 'press' },
      ];
    if (fate > 1 - FALLEN[1])
      return [
        { ...ours, role: 'press' },
        { ...theirs, role: 'fallen' },
      ];
    return [
      { ...ours, role: 'duel', pair },
      { ...theirs, role: 'duel', pair },
    ];
  });
}

/** Ranks from a front at `z` backwards. */
function formRanks(count: number, files: number, z: number, random: SeededRandom): Soldier[] {
  return Array.from({ length: count }, (_, i): Soldier => {
    const [file, rank] = [i % files, Math.floor(i / files)];
    return {
      x: (file - (files - 1) / 2) * FILE_STEP + random.range(-0.1, 0.1),
      z: z - rank * RANK_STEP + random.range(-0.12, 0.12),
      yaw: random.range(-0.1, 0.1),
      role: rank === 0 ? 'press' : rank < 5 ? 'march' : 'stand',
    };
  });
}

/** A loose crowd beyond `z`, looking back. */
function formMob(count: number, width: number, z: number, random: SeededRandom): Soldier[] {
  const columns = Math.max(1, Math.round(width / (FILE_STEP * 1.08)));
  const step = width / columns;
  return Array.from({ length: count }, (_, i): Soldier => {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    const role = row === 0 ? 'press' : random.chance(0.7) ? 'march' : 'stand';
    return {
      x: (column + (row % 2) * 0.5 - (columns - 1) / 2) * step + random.range(-0.35, 0.35),
      z: z + row * RANK_STEP + random.range(-0.4, 0.4),
      yaw: Math.PI + random.range(-0.35, 0.35),
      role,
    };
  });
}
