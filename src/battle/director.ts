import { fail } from '../errors.ts';
import { battleColumn, battleTrigger, type Led } from './columns.ts';
import type { Soldier } from './formation.ts';
import { SeededRandom } from '../math/seeded-random.ts';
import type { SoldierFacts } from './soldier.ts';

/** One side of a battle: a group of characters with a soldier's controller, and the role of each. */
export interface BattleSide {
  readonly group: Led;
  /** One per character of the group. */
  readonly soldiers: readonly Pick<Soldier, 'role' | 'pair'>[];
  readonly facts: Pick<SoldierFacts, 'speeds'>;
}

export interface DirectorOptions {
  /** The same seed, sides and steps give the same battle. Default 7. */
  readonly seed?: number;
  /**
   * Share of the soldiers that may fall during the battle, in addition to those that are fallen at the start. Default
   * 0.05.
   */
  readonly losses?: number;
}

/** Decides what each soldier does in a battle. */
export interface Director {
  /** Lets `dt` seconds pass: decides, and sets parameters and triggers for the crowd's next frame. */
  advance(dt: number): void;
}

/** Seconds between moments of decision (ticks), and most ticks that an order is given in advance. */
const TICK = 0.25;
const AHEAD = 64;
/** Most ticks that one call catches up on: a page that slept does not have to fight its whole battle at once. */
const MOST_TICKS = 480;
/** Metres per second squared by which soldiers set off and stop. */
const ACCELERATION = 5;
/** Seconds from the order to strike to the blow, and to a second blow after it. */
const BLOW = 0.5;
const SECOND_BLOW = 0.75;
/** Limits of a random number from 0 to 1, for a blow on a soldier without a guard: below them it staggers, or falls. */
const STAGGERS = 0.7;
const FELLS = 0.08;

/** An order that waits for its tick. */
type Order = 'decide' | 'again' | 'struck' | 'fall' | 'rejoice';

/**
 * Directs a battle between two sides. It writes only parameters and triggers; the controllers do the rest. Every
 * soldier decides by its own clock, every quarter of a second to few seconds. A soldier in a duel strikes, and its foe
 * parries, staggers or falls.
 *
 * Cost: some microseconds for each soldier that decides, speeds up or slows down; nothing for the others.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT when a group's controller is not a soldier's
 */
// oxlint-disable-next-line max-lines-per-function
export function createDirector(sides: readonly [BattleSide, BattleSide], options: DirectorOptions = {}): Director {
  const { seed = 7, losses = 0.05 } = options;
  const random = new SeededRandom(seed);
  const groups = sides.map(({ group }) => group);
  const column = (name: string) => battleColumn(groups, name);
  const trigger = (name: string) => battleTrigger(groups, name);
  const [side, forward, pace, phase, alertness] = [
    column('side'),
    column('forward'),
    column('pace'),
    column('phase'),
    column('alertness'),
  ];
  const [guard, heavy, cheer, dead] = [column('guard'), column('heavy'), column('cheer'), column('dead')];
  const [attack, hit] = [trigger('attack'), trigger('hit')];
  const everything = [side, forward, pace, phase, alertness, guard, heavy, cheer, dead, attack, hit];

  const soldiers = sides.flatMap(({ soldiers: all }) => all);
  const speeds = sides.flatMap(({ soldiers: all, facts }) => all.map(() => facts.speeds));
  const foes = foesOf(sides);
  const goals = soldiers.map((): readonly [side: number, forward: number] => [0, 0]);
  const moving = new Set<number>();
  const waiting = Array.from({ length: AHEAD }, (): [who: number, order: Order][] => []);
  let tick = 0;
  let time = 0;
  let canFall = Math.floor(losses * soldiers.length);

  soldiers.forEach(({ role }, who) => {
    pace.set(who, random.range(0.9, 1.12));
    phase.set(who, random.next());
    alertness.set(who, random.range(0.3, 1));
    if (role === 'fallen') later(who, 'fall', random.range(0, 6));
    else later(who, 'decide', random.range(0, 2.5));
  });

  return {
    advance(dt) {
      if (!(dt >= 0 && dt < Infinity)) fail('CROWD_BAD_ARGUMENT', 'dt', `Got ${dt} seconds.`, 'Use 0 or more.');
      time += dt;
      const due = Math.floor(time / TICK);
      if (due - tick > MOST_TICKS) tick = due - MOST_TICKS;
      for (; tick < due; tick++) {
        const now = waiting[tick % AHEAD]!.splice(0);
        for (const [who, order] of now) carryOut(who, order);
      }
      for (const who of moving) if (accelerate(who, ACCELERATION * dt)) moving.delete(who);
      for (const each of everything) each.flush();
    },
  };

  /** Gives an order for later, at least a tick from now. */
  function later(who: number, order: Order, seconds: number): void {
    const ticks = Math.min(AHEAD - 1, Math.max(1, Math.round(seconds / TICK)));
    waiting[(tick + ticks) % AHEAD]!.push([who, order]);
  }

  function carryOut(who: number, order: Order): void {
    if (dead.get(who)) return;
    if (order === 'decide') later(who, 'decide', decide(who));
    else if (order === 'again') attack.pull(who);
    else if (order === 'struck') takeBlow(who);
    else if (order === 'fall') fell(who);
    else rejoice(who);
  }

  /** Ends what a soldier does, and begins something else; returns for how many seconds. */
  function decide(who: number): number {
    move(who, 0, 0);
    guard.set(who, 0);
    cheer.set(who, 0);
    const { role } = soldiers[who]!;
    const choice = random.next();
    if (role === 'duel') return fight(who, choice);
    if (role === 'march') return march(who, choice);
    if (role === 'stand') return stand(who, choice);
    return press(who, choice);
  }

  function fight(who: number, choice: number): number {
    const foe = foes[who];
    if (foe === undefined || dead.get(foe)) return press(who, choice);
    if (choice < 0.62) return strike(who, foe);
    if (choice < 0.84) return cover(who, random.range(1, 2));
    if (choice < 0.94) return shuffle(who, random.range(0.4, 0.8));
    return random.range(0.5, 1);
  }

  function press(who: number, choice: number): number {
    if (choice < 0.45) return cover(who, random.range(1.5, 4));
    if (choice < 0.7) return shuffle(who, random.range(0.6, 1.4));
    if (choice < 0.8) return rejoice(who);
    if (choice < 0.88) return swing(who);
    return random.range(0.8, 2);
  }

  function march(who: number, choice: number): number {
    const { walk, run } = speeds[who]!;
    if (choice < 0.6) move(who, random.range(-0.1, 0.1), walk * random.range(0.75, 1.1));
    else if (choice < 0.75) move(who, 0, walk + (run - walk) * random.range(0.3, 1));
    else if (choice < 0.9) return cover(who, random.range(1, 3));
    else if (choice < 0.96) return rejoice(who);
    return random.range(2, 5);
  }

  function stand(who: number, choice: number): number {
    alertness.set(who, random.range(0.3, 1));
    if (choice < 0.15) return rejoice(who);
    if (choice < 0.3) return shuffle(who, random.range(0.6, 1.6));
    if (choice < 0.5) return cover(who, random.range(2, 5));
    return random.range(2, 6);
  }

  /** A blow that the foe has to answer, at times followed by a second one. */
  function strike(who: number, foe: number): number {
    const lasts = swing(who);
    later(foe, 'struck', BLOW);
    if (heavy.get(who) || random.chance(0.5)) return lasts;
    later(who, 'again', BLOW);
    later(foe, 'struck', BLOW + SECOND_BLOW);
    return lasts + SECOND_BLOW;
  }

  function swing(who: number): number {
    heavy.set(who, Number(random.chance(0.4)));
    attack.pull(who);
    return random.range(1.1, 2);
  }

  function cover(who: number, seconds: number): number {
    guard.set(who, 1);
    return seconds;
  }

  function shuffle(who: number, seconds: number): number {
    const { back, side: sideways, walk } = speeds[who]!;
    const choice = random.next();
    const sign = random.chance(0.5) ? 1 : -1;
    if (choice < 0.6) move(who, sign * sideways, 0);
    else if (choice < 0.8) move(who, 0, -back);
    else move(who, sign * 0.3 * sideways, 0.6 * walk);
    return seconds;
  }

  function rejoice(who: number): number {
    move(who, 0, 0);
    guard.set(who, 0);
    cheer.set(who, 1);
    return random.range(1.5, 3);
  }

  function takeBlow(who: number): void {
    if (guard.get(who)) return hit.pull(who);
    const luck = random.next();
    if (luck < FELLS && canFall > 0) {
      canFall--;
      fell(who);
      const foe = foes[who];
      if (foe !== undefined) later(foe, 'rejoice', 0.75);
    } else if (luck < STAGGERS) hit.pull(who);
  }

  function fell(who: number): void {
    dead.set(who, 1);
    for (const each of [guard, cheer, alertness]) each.set(who, 0);
    move(who, 0, 0);
  }

  function move(who: number, sideways: number, ahead: number): void {
    const [x, z] = goals[who]!;
    if (x === sideways && z === ahead) return;
    goals[who] = [sideways, ahead];
    moving.add(who);
  }

  /** Changes a soldier's speed towards its goal. Returns true if it has reached it. */
  function accelerate(who: number, change: number): boolean {
    const [x, z] = goals[who]!;
    const nearer = (from: number, to: number) => from + Math.min(change, Math.max(-change, to - from));
    side.set(who, nearer(side.get(who), x));
    forward.set(who, nearer(forward.get(who), z));
    return side.get(who) === Math.fround(x) && forward.get(who) === Math.fround(z);
  }
}

/** The foe of each soldier: the one of the other side with the same number. */
function foesOf([ours, theirs]: readonly [BattleSide, BattleSide]): (number | undefined)[] {
  const first = ours.soldiers.length;
  const byPair = (soldiers: BattleSide['soldiers'], from: number) =>
    new Map(soldiers.flatMap(({ pair }, i) => (pair === undefined ? [] : [[pair, from + i] as const])));
  const [left, right] = [byPair(ours.soldiers, 0), byPair(theirs.soldiers, first)];
  const find = (map: Map<number, number>, pair: number | undefined) => (pair === undefined ? undefined : map.get(pair));
  return [
    ...ours.soldiers.map(({ pair }) => find(right, pair)),
    ...theirs.soldiers.map(({ pair }) => find(left, pair)),
  ];
}
