import type { SeededRandom } from '../math/seeded-random.ts';

/** Role of a soldier: fights a foe, waits next to the fighters, moves up, waits in reserve, or lies on the ground. */
export type Role = 'duel' | 'press' | 'march' | 'stand' | 'fallen';

export interface Soldier {
  readonly x: number;
  readonly z: number;
  readonly yaw: number;
  readonly role: Role;
  /** Number of a duel. The soldier of the other side with the same number is its foe. */
  readonly pair?: number;
  /** Points that a fallen soldier covers: metres from its position, in the direction that it faces. */
  readonly lies?: readonly number[];
}

/** Metres between neighbours of a rank, and between ranks; for the mob as for the legion. */
const FILE_STEP = 1.3;
const RANK_STEP = 1.5;
/** Metres between duels, along the line and across. */
const DUEL_STEP = 2.1;
const DUEL_ROW = 2.5;
/**
 * Metres between two soldiers in a duel (the reach of a step and a blade), and between a soldier and its fallen foe.
 */
const REACH = 1.35;
const BODY_REACH = 2.1;
/**
 * Points that fallen soldiers cover: metres from their position, in the direction that they faced. Legionaries lie on
 * their backs, raiders forwards.
 */
const BODIES = [
  [0, -0.7, -1.4],
  [-0.5, 0.3, 1.1],
] as const;
/** Metres that soldiers of duels stay apart, and from bodies; tries to find a position. */
const [APART, FROM_BODIES, TRIES] = [0.75, 0.5, 16];
/** Shares of the duels that a side has lost already. */
const FALLEN = [0.1, 0.14] as const;

/**
 * Forms both sides, legion first: duels along z = 0, the legion in ranks before it (facing +Z), the raiders as a mob
 * beyond, fallen between. `count` is that of both together; the legion has one more if it is odd.
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

/** Box around soldiers, as seen from above. */
export function fieldOf(soldiers: readonly Soldier[]) {
  // too many for the arguments of one call
  const least = (key: 'x' | 'z') => soldiers.reduce((low, soldier) => Math.min(low, soldier[key]), Infinity);
  const most = (key: 'x' | 'z') => soldiers.reduce((high, soldier) => Math.max(high, soldier[key]), -Infinity);
  return { left: least('x'), right: most('x'), near: least('z'), far: most('z') };
}

/** Soldiers in duels, in rows along the line, and pairs of which one has fallen. */
function formMelee(limit: number, width: number, random: SeededRandom): (readonly [Soldier, Soldier])[] {
  const rows = limit < 40 ? 1 : limit < 250 ? 2 : 3;
  const columns = Math.max(1, Math.floor(width / DUEL_STEP));
  const pairs: (readonly [Soldier, Soldier])[] = [];
  for (let number = 0; number < Math.min(limit, rows * columns); number++) {
    const [column, row] = [Math.floor(number / rows), number % rows];
    const stagger = row % 2 === 0 ? 0 : 0.5;
    const middle = [(column + stagger - (columns - 1) / 2) * DUEL_STEP, (row - (rows - 1) / 2) * DUEL_ROW] as const;
    // pairs farther away are out of reach
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

/**
 * Two soldiers in a duel, or one and the foe that it has felled.
 * @param rows Rows of duels. In a single row all face their front.
 */
function formPair(
  pair: number,
  [column, row]: readonly [number, number],
  rows: number,
  random: SeededRandom,
): readonly [Soldier, Soldier] {
  const [x, z] = [column + random.range(-0.25, 0.25), row + random.range(-0.35, 0.35)];
  // direction that the legionary of the pair faces: most face the raiders
  const yaw = rows > 1 && random.chance(0.12) ? random.range(-2.4, 2.4) : random.range(-0.7, 0.7);
  const fate = random.next();
  const [hasLost, hasWon] = [fate < FALLEN[0], fate > 1 - FALLEN[1]];
  const half = ((hasWon ? BODY_REACH : REACH) / 2) * random.range(0.95, 1.1);
  const [dx, dz] = [half * Math.sin(yaw), half * Math.cos(yaw)];
  const turn = () => random.range(-0.12, 0.12);
  const ours = { x: x - dx, z: z - dz, yaw: yaw + turn() };
  const theirs = { x: x + dx, z: z + dz, yaw: yaw + Math.PI + turn() };
  const duel = { role: 'duel', pair } as const;
  const winner = { role: 'press' } as const;
  if (hasLost)
    return [
      { ...ours, role: 'fallen', lies: BODIES[0] },
      { ...theirs, ...winner },
    ];
  if (hasWon)
    return [
      { ...ours, ...winner },
      { ...theirs, role: 'fallen', lies: BODIES[1] },
    ];
  return [
    { ...ours, ...duel },
    { ...theirs, ...duel },
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
