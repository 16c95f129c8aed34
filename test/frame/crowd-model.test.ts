// Random calls that spawn, despawn, hide, show, group, write columns, grow and save, beside a model of plain maps.
import { describe, expect, test } from 'vitest';
import type { Character, CharacterId, Crowd, CharacterGroup } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { full, someSeeds } from '../support/setup.ts';
import { soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { saveSnapshot } from '../../src/state/index.ts';

const CAST = [smallActor().character, soldier()];
const ROUNDS = 8;
const CAPACITY = 12;
const COLUMNS = { heat: { size: 3, default: [1, 0, 0.5] }, age: { size: 1, default: 7 } } as const;
const NAMES = ['heat', 'age'] as const;
const views = [{ clipFromWorld: clipFromWorld({ eye: [0, 0, 40], target: [0, 0, 0] }, 1), height: 100 }];

type Column = (typeof NAMES)[number];

/** One character as an application would keep it. */
interface Entry {
  readonly character: Character;
  hidden: boolean;
  readonly floats: Record<Column, number[]>;
}

/** Two crowds' worth of calls: the real one, and maps by id. */
class Pair {
  readonly living = new Map<CharacterId, Entry>();
  readonly gone: CharacterId[] = [];
  groups: { readonly group: CharacterGroup; readonly ids: readonly CharacterId[] }[] = [];
  crowd: Crowd = createCrowd(undefined, { characters: CAST, capacity: CAPACITY, backend: 'cpu' });

  constructor(readonly random: Random) {
    for (const name of NAMES) this.crowd.column(name, COLUMNS[name]);
  }

  readonly calls: Readonly<Record<string, () => void | Promise<void>>> = {
    spawn: () => {
      const [character, count] = [this.random.pick(CAST), this.random.integer(1, 4)];
      if (this.crowd.count + count > this.crowd.capacity) {
        expect(() => this.crowd.spawn(character, { count })).toThrow(coded('CROWD_FULL'));
        return;
      }
      const group = this.crowd.spawn(character, { count, place: (i, at) => at.position.set(i, 0, 0) });
      this.groups.push({ group, ids: [...group.ids] });
      for (const id of group.ids) this.living.set(id, newEntry(character));
    },
    despawn: () =>
      this.some((ids, group) => {
        if (group) group.group.despawn(indicesOf(group.ids, ids));
        else this.crowd.despawn(ids);
        for (const id of ids) if (this.living.delete(id)) this.gone.push(id);
      }),
    hide: () => this.setHidden(true),
    show: () => this.setHidden(false),
    column: () =>
      this.some((ids, group) => {
        const name = this.random.pick(NAMES);
        const value = Array.from(COLUMNS[name].size === 3 ? this.random.vector(4) : [this.random.next()], Math.fround);
        if (group) for (const index of indicesOf(group.ids, ids)) group.group.column(name).set(index, value);
        else this.crowd.column(name).set(ids, value);
        for (const id of ids) this.living.get(id)!.floats[name] = value;
      }),
    fill: () => {
      const member = this.random.chance(0.5) ? this.random.pick(this.groups) : undefined;
      const value = Math.fround(this.random.next());
      (member?.group ?? this.crowd).column('age').fill(value);
      for (const id of member?.ids ?? this.living.keys())
        if (this.living.has(id)) this.living.get(id)!.floats.age = [value];
    },
    regroup: () => {
      const ofOne = this.random.pick(CAST);
      const ids = [...this.living]
        .filter(([, { character }]) => character === ofOne && this.random.chance(0.6))
        .map(([id]) => id);
      if (ids.length === 0) expect(() => this.crowd.group(ids)).toThrow(coded('CROWD_BAD_ARGUMENT'));
      else this.groups.push({ group: this.crowd.group(ids), ids });
    },
    dead: () => {
      if (this.gone.length === 0) return;
      const ids = [...this.living.keys(), this.random.pick(this.gone)];
      const bad = coded('CROWD_BAD_ID');
      expect(() => this.crowd.hide(ids)).toThrow(bad);
      expect(() => this.crowd.show(ids)).toThrow(bad);
      expect(() => this.crowd.despawn(ids)).toThrow(bad);
      expect(() => this.crowd.column('age').set(ids, 99)).toThrow(bad);
    },
    frame: async () => {
      const isSeen = this.random.chance(0.7);
      const options = { dt: 1 / 60, views: isSeen ? views : [] };
      await updateAndWait(this.crowd, options);
      await updateAndWait(this.crowd, options); // slots that were given back in a frame are free in the next one
      if (!isSeen) return;
      const shown = [...this.living].filter(([, { hidden }]) => !hidden);
      expect(await this.crowd.readStats()).toMatchObject({ listed: shown.length });
    },
    grow: () => {
      if (this.crowd.capacity < 40) this.crowd.grow(this.crowd.capacity + this.random.integer(1, 5));
    },
    save: async () => {
      const from = await saveSnapshot(this.crowd);
      const options = { characters: CAST, capacity: this.crowd.capacity, backend: 'cpu', from } as const;
      const rows = [...this.living.keys()].map((id) => this.crowd.row(id));
      this.crowd.destroy();
      this.crowd = createCrowd(undefined, options);
      expect([...this.living.keys()].map((id) => this.crowd.row(id))).toEqual(rows);
      const living = this.groups.map(({ ids }) => ids.filter((id) => this.living.has(id)));
      this.groups = living.flatMap((ids) => (ids.length > 0 ? [{ group: this.crowd.group(ids), ids }] : []));
    },
  };

  setHidden(hidden: boolean): void {
    this.some((ids, group) => {
      const target = hidden ? 'hide' : 'show';
      if (!group) this.crowd[target](ids);
      else if (new Set(ids).size === group.group.count && this.random.chance(0.5)) group.group[target]();
      else group.group[target](indicesOf(group.ids, ids));
      for (const id of ids) this.living.get(id)!.hidden = hidden;
    });
  }

  /** Calls with some that live, at times one of them twice: of a group, or of the crowd. */
  some(call: (ids: readonly CharacterId[], group: Pair['groups'][number] | undefined) => void): void {
    const group = this.groups.length > 0 && this.random.chance(0.5) ? this.random.pick(this.groups) : undefined;
    const known = (group?.ids ?? [...this.living.keys()]).filter((id) => this.living.has(id));
    const share = this.random.pick([0.3, 0.3, 1]);
    const ids = known.filter(() => this.random.chance(share));
    call(this.random.chance(0.2) ? [...ids, ...ids.slice(0, 1)] : ids, group);
  }

  check(): void {
    const { crowd, living } = this;
    expect(new Set(crowd.ids)).toEqual(new Set(living.keys()));
    expect([crowd.count, crowd.ids.length]).toEqual([living.size, living.size]);
    expect(new Set(crowd.ids.map((id) => crowd.row(id))).size).toBe(living.size);
    for (const [id, { hidden, floats }] of living) {
      expect([crowd.isAlive(id), crowd.isHidden(id)]).toEqual([true, hidden]);
      expect(NAMES.map((name) => crowd.column(name).get(id))).toEqual(NAMES.map((name) => floats[name]));
    }
    expect(this.gone.filter((id) => crowd.isAlive(id))).toEqual([]);
    for (const { group, ids } of this.groups) {
      const alive = ids.filter((id) => living.has(id));
      expect([group.ids, group.count, group.size]).toEqual([alive, alive.length, ids.length]);
      expect(ids.map((_, index) => group.isAlive(index))).toEqual(ids.map((id) => living.has(id)));
      expect(ids.map((id) => group.indexOf(id))).toEqual(ids.map((id, index) => (living.has(id) ? index : -1)));
      expect(alive.map((id) => group.column('age').get(ids.indexOf(id)))).toEqual(
        alive.map((id) => living.get(id)!.floats.age),
      );
    }
  }
}

function newEntry(character: Character): Entry {
  return {
    character,
    hidden: false,
    floats: { heat: [...COLUMNS.heat.default], age: [COLUMNS.age.default] },
  };
}

function indicesOf(of: readonly CharacterId[], ids: readonly CharacterId[]): number[] {
  return ids.map((id) => of.indexOf(id));
}

describe('a crowd and its groups, compared with a model', () => {
  test.each(someSeeds(full ? 200 : 8, 200))('seed %i', async (seed) => {
    const random = new Random(seed);
    const pair = new Pair(random);
    for (let round = 0; round < ROUNDS; round++) {
      // each call once a round, and spawn twice
      const calls = Object.values({ ...pair.calls, again: pair.calls['spawn']! });
      const order = calls.map((call) => ({ call, at: random.next() })).sort((a, b) => a.at - b.at);
      for (const { call } of order) {
        await call();
        pair.check();
      }
    }
    pair.crowd.destroy();
  });
});
