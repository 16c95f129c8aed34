import { fail } from '../errors.ts';
import { type BattleColumn, battleColumn, type BattleTrigger, battleTrigger, type Led } from './columns.ts';
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

/** Parameters that a director writes, in the order in which it reports them. */
const COLUMNS = ['side', 'forward', 'pace', 'phase', 'alertness', 'guard', 'heavy', 'cheer', 'dead'] as const;
const TRIGGERS = ['attack', 'hit'] as const;

function recordOf<K extends string, V>(keys: readonly K[], valueOf: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>;
}

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
export class Director {
  readonly #random: SeededRandom;
  readonly #columns: Readonly<Record<(typeof COLUMNS)[number], BattleColumn>>;
  readonly #triggers: Readonly<Record<(typeof TRIGGERS)[number], BattleTrigger>>;
  readonly #soldiers: BattleSide['soldiers'];
  readonly #speeds: readonly SoldierFacts['speeds'][];
  readonly #foes: readonly (number | undefined)[];
  readonly #goals: (readonly [side: number, forward: number])[];
  readonly #moving = new Set<number>();
  readonly #waiting = Array.from({ length: AHEAD }, (): [soldier: number, order: Order][] => []);
  #tick = 0;
  #time = 0;
  #canFall: number;

  constructor(sides: readonly [BattleSide, BattleSide], { seed = 7, losses = 0.05 }: DirectorOptions = {}) {
    this.#random = new SeededRandom(seed);
    const groups = sides.map(({ group }) => group);
    this.#columns = recordOf(COLUMNS, (name) => battleColumn(groups, name));
    this.#triggers = recordOf(TRIGGERS, (name) => battleTrigger(groups, name));
    this.#soldiers = sides.flatMap(({ soldiers }) => soldiers);
    this.#speeds = sides.flatMap(({ soldiers, facts }) => soldiers.map(() => facts.speeds));
    this.#foes = foesOf(sides);
    this.#goals = this.#soldiers.map(() => [0, 0]);
    this.#canFall = Math.floor(losses * this.#soldiers.length);
    this.#begin();
  }

  /** Lets `dt` seconds pass: decides, and sets parameters and triggers for the crowd's next frame. */
  advance(dt: number): void {
    if (!(dt >= 0 && dt < Infinity)) fail('CROWD_BAD_ARGUMENT', 'dt', `Got ${dt} seconds.`, 'Use 0 or more.');
    this.#time += dt;
    const due = Math.floor(this.#time / TICK);
    if (due - this.#tick > MOST_TICKS) this.#tick = due - MOST_TICKS;
    for (; this.#tick < due; this.#tick++) {
      const now = this.#waiting[this.#tick % AHEAD]!.splice(0);
      for (const [soldier, order] of now) this.#carryOut(soldier, order);
    }
    for (const soldier of this.#moving) if (this.#accelerate(soldier, ACCELERATION * dt)) this.#moving.delete(soldier);
    for (const output of Object.values({ ...this.#columns, ...this.#triggers })) output.flush();
  }

  #begin(): void {
    const random = this.#random;
    const { pace, phase, alertness } = this.#columns;
    this.#soldiers.forEach(({ role }, soldier) => {
      pace.set(soldier, random.range(0.9, 1.12));
      phase.set(soldier, random.next());
      alertness.set(soldier, random.range(0.3, 1));
      if (role === 'fallen') this.#later(soldier, 'fall', random.range(0, 6));
      else this.#later(soldier, 'decide', random.range(0, 2.5));
    });
  }

  /** Gives an order for later, at least a tick from now. */
  #later(soldier: number, order: Order, seconds: number): void {
    const ticks = Math.min(AHEAD - 1, Math.max(1, Math.round(seconds / TICK)));
    this.#waiting[(this.#tick + ticks) % AHEAD]!.push([soldier, order]);
  }

  #carryOut(soldier: number, order: Order): void {
    if (this.#columns.dead.get(soldier)) return;
    if (order === 'decide') this.#later(soldier, 'decide', this.#decide(soldier));
    else if (order === 'again') this.#triggers.attack.pull(soldier);
    else if (order === 'struck') this.#takeBlow(soldier);
    else if (order === 'fall') this.#fell(soldier);
    else this.#rejoice(soldier);
  }

  /** Ends what a soldier does, and begins something else; returns for how many seconds. */
  #decide(soldier: number): number {
    this.#move(soldier, 0, 0);
    this.#columns.guard.set(soldier, 0);
    this.#columns.cheer.set(soldier, 0);
    const { role } = this.#soldiers[soldier]!;
    const choice = this.#random.next();
    if (role === 'duel') return this.#fight(soldier, choice);
    if (role === 'march') return this.#march(soldier, choice);
    if (role === 'stand') return this.#stand(soldier, choice);
    return this.#press(soldier, choice);
  }

  #fight(soldier: number, choice: number): number {
    const foe = this.#foes[soldier];
    if (foe === undefined || this.#columns.dead.get(foe)) return this.#press(soldier, choice);
    if (choice < 0.62) return this.#strike(soldier, foe);
    if (choice < 0.84) return this.#cover(soldier, this.#random.range(1, 2));
    if (choice < 0.94) return this.#shuffle(soldier, this.#random.range(0.4, 0.8));
    return this.#random.range(0.5, 1);
  }

  #press(soldier: number, choice: number): number {
    if (choice < 0.45) return this.#cover(soldier, this.#random.range(1.5, 4));
    if (choice < 0.7) return this.#shuffle(soldier, this.#random.range(0.6, 1.4));
    if (choice < 0.8) return this.#rejoice(soldier);
    if (choice < 0.88) return this.#swing(soldier);
    return this.#random.range(0.8, 2);
  }

  #march(soldier: number, choice: number): number {
    const { walk, run } = this.#speeds[soldier]!;
    if (choice < 0.6) this.#move(soldier, this.#random.range(-0.1, 0.1), walk * this.#random.range(0.75, 1.1));
    else if (choice < 0.75) this.#move(soldier, 0, walk + (run - walk) * this.#random.range(0.3, 1));
    else if (choice < 0.9) return this.#cover(soldier, this.#random.range(1, 3));
    else if (choice < 0.96) return this.#rejoice(soldier);
    return this.#random.range(2, 5);
  }

  #stand(soldier: number, choice: number): number {
    this.#columns.alertness.set(soldier, this.#random.range(0.3, 1));
    if (choice < 0.15) return this.#rejoice(soldier);
    if (choice < 0.3) return this.#shuffle(soldier, this.#random.range(0.6, 1.6));
    if (choice < 0.5) return this.#cover(soldier, this.#random.range(2, 5));
    return this.#random.range(2, 6);
  }

  /** A blow that the foe has to answer, at times followed by a second one. */
  #strike(soldier: number, foe: number): number {
    const lasts = this.#swing(soldier);
    this.#later(foe, 'struck', BLOW);
    if (this.#columns.heavy.get(soldier) || this.#random.chance(0.5)) return lasts;
    this.#later(soldier, 'again', BLOW);
    this.#later(foe, 'struck', BLOW + SECOND_BLOW);
    return lasts + SECOND_BLOW;
  }

  #swing(soldier: number): number {
    this.#columns.heavy.set(soldier, Number(this.#random.chance(0.4)));
    this.#triggers.attack.pull(soldier);
    return this.#random.range(1.1, 2);
  }

  #cover(soldier: number, seconds: number): number {
    this.#columns.guard.set(soldier, 1);
    return seconds;
  }

  #shuffle(soldier: number, seconds: number): number {
    const { back, side: sideways, walk } = this.#speeds[soldier]!;
    const choice = this.#random.next();
    const sign = this.#random.chance(0.5) ? 1 : -1;
    if (choice < 0.6) this.#move(soldier, sign * sideways, 0);
    else if (choice < 0.8) this.#move(soldier, 0, -back);
    else this.#move(soldier, sign * 0.3 * sideways, 0.6 * walk);
    return seconds;
  }

  #rejoice(soldier: number): number {
    this.#move(soldier, 0, 0);
    this.#columns.guard.set(soldier, 0);
    this.#columns.cheer.set(soldier, 1);
    return this.#random.range(1.5, 3);
  }

  #takeBlow(soldier: number): void {
    if (this.#columns.guard.get(soldier)) return this.#triggers.hit.pull(soldier);
    const luck = this.#random.next();
    if (luck < FELLS && this.#canFall > 0) {
      this.#canFall--;
      this.#fell(soldier);
      const foe = this.#foes[soldier];
      if (foe !== undefined) this.#later(foe, 'rejoice', 0.75);
    } else if (luck < STAGGERS) this.#triggers.hit.pull(soldier);
  }

  #fell(soldier: number): void {
    this.#columns.dead.set(soldier, 1);
    for (const name of ['guard', 'cheer', 'alertness'] as const) this.#columns[name].set(soldier, 0);
    this.#move(soldier, 0, 0);
  }

  #move(soldier: number, sideways: number, ahead: number): void {
    const [x, z] = this.#goals[soldier]!;
    if (x === sideways && z === ahead) return;
    this.#goals[soldier] = [sideways, ahead];
    this.#moving.add(soldier);
  }

  /** Changes a soldier's speed towards its goal. Returns true if it has reached it. */
  #accelerate(soldier: number, change: number): boolean {
    const [x, z] = this.#goals[soldier]!;
    const nearer = (from: number, to: number) => from + Math.min(change, Math.max(-change, to - from));
    const { side, forward } = this.#columns;
    side.set(soldier, nearer(side.get(soldier), x));
    forward.set(soldier, nearer(forward.get(soldier), z));
    return side.get(soldier) === Math.fround(x) && forward.get(soldier) === Math.fround(z);
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
