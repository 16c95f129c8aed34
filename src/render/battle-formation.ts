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
  /** Metres along the way it looks, from its place, over which a fallen one lies. */
  readonly lies?: readonly number[];
}

/** Metres between neighbours of a rank, and between ranks; of the mob as of the legion. */
const FILE_STEP = 1.3;
const RANK_STEP = 1.5;
/** Metres between duels, along the line and across. */
const DUEL_STEP = 2.1;
const DUEL_ROW = 2.5;
/** Metres between those who fight each other: what a step and a blade reach; and to who lies before a foe. */
const REACH = 1.35;
const BODY_REACH = 2.1;
/** Metres along the way that they looked, from where they stood, at which the fallen lie: legionaries on their backs, raiders forwards. */
const BODIES = [
  [0, -0.7, -1.4],
  [-0.5, 0.3, 1.1],
] as const;
/** Metres that soldiers of duels stay apart, and from bodies; how often a place is looked for. */
const [APART, FROM_BODIES, TRIES] = [0.75, 0.5, 16];
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
  const taken = melee.flatMap((pair) => pair.flatMap(groundOf)).map(({ z }) => z);
  const [near, far] = [Math.min(0, ...taken), Math.max(0, ...taken)];
  return [
    [...legion, ...formRanks(sizes[0] - legion.length, files, near - 1.2, random)],
    [...mob, ...formMob(sizes[1] - mob.length, width, far + 1.1, random)],
  ];
}

/** Those who fight each other, in rows along the line, and those who did. */
function formMelee(limit: number, width: number, random: SeededRandom): (readonly [Soldier, Soldier])[] {
  const rows = limit < 40 ? 1 : limit < 250 ? 2 : 3;
  const columns = Math.max(1, Math.floor(width / DUEL_STEP));
  const pairs: (readonly [Soldier, Soldier])[] = [];
  for (let number = 0; number < Math.min(limit, rows * columns); number++) {
    const [column, row] = [Math.floor(number / rows), number % rows];
    const stagger = row % 2 === 0 ? 0 : 0.5;
    const middle = [(column + stagger - (columns - 1) / 2) * DUEL_STEP, (row - (rows - 1) / 2) * DUEL_ROW] as const;
    // whoever is farther away is out of reach
    const others = pairs.slice(-3 * rows).flat();
    let found: readonly [Soldier, Soldier] | undefined;
    let room = -Infinity;
    for (let tries = 0; tries < TRIES && room < 0; tries++) {
      const pair = formPair(number, middle, rows, random);
      const least = Math.min(
        ...pair.flatMap((soldier) => [...others, ...pair].map((other) => roomBetween(soldier, other))),
      );
      if (least > room) [found, room] = [pair, least];
    }
    pairs.push(found!);
  }
  return pairs;
}

/** Two who fight, or one of them and whom he has felled. @param rows Of duels: in a single one all look ahead. */
function formPair(
  pair: number,
  [column, row]: readonly [number, number],
  rows: number,
  random: SeededRandom,
): readonly [Soldier, Soldier] {
  const [x, z] = [column + random.range(-0.25, 0.25), row + random.range(-0.35, 0.35)];
  // which way the legionary of the pair looks: most towards the raiders
  const yaw = rows > 1 && random.chance(0.12) ? random.range(-2.4, 2.4) : random.range(-0.7, 0.7);
  const fate = random.next();
  const [hasLost, hasWon] = [fate < FALLEN[0], fate > 1 - FALLEN[1]];
  const half = ((hasWon ? BODY_REACH : REACH) / 2) * random.range(0.95, 1.1);
  const [dx, dz] = [half * Math.sin(yaw), half * Math.cos(yaw)];
  const turn = () => random.range(-0.12, 0.12);
  const ours = { x: x - dx, z: z - dz, yaw: yaw + turn() };
  const theirs = { x: x + dx, z: z + dz, yaw: yaw + Math.PI + turn() };
  if (hasLost)
    return [
      { ...ours, role: 'fallen', lies: BODIES[0] },
      { ...theirs, role: 'press' },
    ];
  if (hasWon)
    return [
      { ...ours, role: 'press' },
      { ...theirs, role: 'fallen', lies: BODIES[1] },
    ];
  return [
    { ...ours, role: 'duel', pair },
    { ...theirs, role: 'duel', pair },
  ];
}

/** Points of the ground that a soldier takes up. */
function groundOf({ x, z, yaw, lies = [0] }: Soldier): readonly { readonly x: number; readonly z: number }[] {
  return lies.map((along) => ({ x: x + along * Math.sin(yaw), z: z + along * Math.cos(yaw) }));
}

/** Metres between two soldiers beyond what they need; below 0 they are in each other's way. */
function roomBetween(a: Soldier, b: Soldier): number {
  if (a === b || (a.pair !== undefined && a.pair === b.pair)) return Infinity;
  const wanted = a.lies || b.lies ? FROM_BODIES : APART;
  const grounds = [groundOf(a), groundOf(b)] as const;
  return Math.min(...grounds[0].flatMap((p) => grounds[1].map((q) => Math.hypot(p.x - q.x, p.z - q.z)))) - wanted;
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
