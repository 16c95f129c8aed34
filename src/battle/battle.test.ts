import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Character } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { createCrowd } from '../../test/support/create-crowd.ts';
import { issuesOf } from '../errors.ts';
import { packSoldiers, placeOf } from '../../test/frame/backend-switch-scene.ts';
import { full, hasTurn } from '../../test/support/setup.ts';
import { type Battle, fight, stageBattle } from './battle.ts';
import { formBattle } from './formation.ts';
import { SeededRandom } from '../math/seeded-random.ts';
import { updateAndWait } from '../../test/support/update-and-wait.ts';

function withoutController(character: Character): Character {
  const { controller, ...rest } = character;
  expect(controller).toBeDefined();
  return rest;
}

const COLUMNS = ['side', 'forward', 'pace', 'phase', 'alertness', 'guard', 'heavy', 'cheer', 'dead'];

describe.runIf(hasTurn(1))('a formation', () => {
  test.each([1, 2, 3, 6, 60, 999, 1000])('of %i has every soldier, none inside another', (count) => {
    const [legion, mob] = formBattle(count, new SeededRandom(7));
    expect([legion.length, mob.length]).toEqual([Math.ceil(count / 2), Math.floor(count / 2)]);
    const standing = [...legion, ...mob].filter(({ role }) => role !== 'fallen');
    const closest = standing.map((a) =>
      Math.min(...standing.filter((b) => b !== a).map((b) => Math.hypot(a.x - b.x, a.z - b.z))),
    );
    // as far as shoulders of the tallest are wide
    expect(Math.min(...closest)).toBeGreaterThan(0.7);
    // nobody stands on the fallen
    for (const { x, z, yaw, lies } of [...legion, ...mob].filter(({ role }) => role === 'fallen')) {
      const [least, most] = [Math.min(...lies!), Math.max(...lies!)];
      for (const other of standing) {
        const [dx, dz] = [other.x - x, other.z - z];
        const along = Math.min(most, Math.max(least, dx * Math.sin(yaw) + dz * Math.cos(yaw)));
        expect(Math.hypot(dx - along * Math.sin(yaw), dz - along * Math.cos(yaw))).toBeGreaterThan(0.3);
      }
    }
    // foes stand within reach, face to face
    for (const { pair, x, z, yaw } of legion.filter(({ role }) => role === 'duel')) {
      const foe = mob.find((other) => other.pair === pair)!;
      expect(foe.role).toBe('duel');
      const [dx, dz] = [foe.x - x, foe.z - z];
      const distance = Math.hypot(dx, dz);
      expect(distance).toBeGreaterThan(1.2);
      expect(distance).toBeLessThan(1.5);
      expect((Math.sin(yaw) * dx + Math.cos(yaw) * dz) / distance).toBeGreaterThan(Math.cos(0.121));
      expect(Math.cos(foe.yaw - yaw)).toBeLessThan(-Math.cos(0.241));
    }
  });
});

describe.runIf(hasTurn(1))('a battle', () => {
  let characters: readonly [Character, Character];
  beforeAll(async () => {
    characters = await packSoldiers();
  });

  function open(count: number, seed?: number): { crowd: Crowd; battle: Battle } {
    const crowd = createCrowd(undefined, { characters, capacity: count, backend: 'cpu' });
    const battle = stageBattle(crowd, ...characters, { count, ...(seed === undefined ? {} : { seed }) });
    return { crowd, battle };
  }

  /** All that a director has set, and the triggers that it pulled since it was last asked. */
  function directed({ groups }: Battle): () => unknown {
    const pulled: string[] = [];
    groups.forEach((group, side) => {
      const trigger = group.trigger.bind(group);
      vi.spyOn(group, 'trigger').mockImplementation((name, indices) => {
        pulled.push(`${side} ${name} ${indices?.join()}`);
        trigger(name, indices);
      });
    });
    return () => [COLUMNS.map((name) => groups.map((group) => [...group.parameter(name).values])), pulled.splice(0)];
  }

  test('goes the same way for the same seed', () => {
    const [first, second, other] = [open(80, 5), open(80, 5), open(80, 6)].map(({ battle }) => ({
      battle,
      read: directed(battle),
    }));
    let differs = false;
    for (let frame = 0; frame < (full ? 400 : 120); frame++) {
      for (const { battle } of [first!, second!, other!]) battle.director!.advance(1 / 20);
      const said = first!.read();
      expect(second!.read()).toEqual(said);
      differs ||= JSON.stringify(other!.read()) !== JSON.stringify(said);
    }
    expect(differs).toBe(true);
  });

  test('costs nothing for soldiers that continue as before', () => {
    const { crowd, battle } = open(400);
    const set = vi.spyOn(crowd, 'setParameter');
    const trigger = vi.spyOn(crowd, 'trigger');
    const frames = full ? 600 : 200;
    let [calls, most] = [0, 0];
    for (let frame = 0; frame < frames; frame++) {
      battle.director!.advance(1 / 60);
      const now = set.mock.calls.length + trigger.mock.calls.length;
      set.mockClear();
      trigger.mockClear();
      if (frame > 0) most = Math.max(most, now);
      calls += frame > 0 ? now : 0;
    }
    // decisions come every one to three seconds, and speeding up takes some frames
    expect(most).toBeLessThan(400);
    expect(calls / (frames - 1)).toBeLessThan(60);
    // everything has been decided at this moment
    battle.director!.advance(0);
    expect(set.mock.calls.length + trigger.mock.calls.length).toBe(0);
  });

  test('makes up for a long pause within bounds, and refuses invalid times', () => {
    const { battle } = open(20);
    battle.director!.advance(1e9);
    for (const dt of [-1, NaN, Infinity]) {
      let thrown: unknown;
      try {
        battle.director!.advance(dt);
      } catch (reason) {
        thrown = reason;
      }
      expect(issuesOf(thrown)).toMatchObject([{ code: 'CROWD_BAD_ARGUMENT', path: 'dt' }]);
    }
  });

  test('gives no orders to soldiers that have fallen', () => {
    const { battle } = open(60);
    const valuesOf = (name: string) => battle.groups.flatMap((group) => [...group.parameter(name).values]);
    let fallen = 0;
    for (let frame = 0; frame < 300; frame++) {
      battle.director!.advance(0.1);
      const [dead, guard, cheer] = [valuesOf('dead'), valuesOf('guard'), valuesOf('cheer')];
      for (const [soldier, isDead] of dead.entries()) {
        if (isDead === 0) continue;
        fallen++;
        expect([guard[soldier], cheer[soldier]]).toEqual([0, 0]);
      }
    }
    expect(fallen).toBeGreaterThan(0);
  });

  test('goes through every state of the controller, loses a few and no more', async () => {
    const count = full ? 60 : 40;
    const { crowd, battle } = open(count);
    const ids = battle.groups.flatMap((group) => group.ids);
    const seen = [new Set<string>(), new Set<string>()];
    const counts = new Map<string, number>();
    crowd.on('event', ({ name }) => counts.set(name, (counts.get(name) ?? 0) + 1));
    const fallenAtFirst = formBattle(count, new SeededRandom(7))
      .flat()
      .filter(({ role }) => role === 'fallen').length;
    for (let frame = 0; frame < 600; frame++) {
      battle.director!.advance(0.05);
      await updateAndWait(crowd, { dt: 0.05, views: [] });
      // no state is over sooner
      if (frame % 4 !== 0) continue;
      for (const { layers } of await crowd.readControllers(ids)) {
        layers.forEach(({ state }, layer) => seen[layer]!.add(state!));
      }
    }
    const { machines } = characters[0].controller!;
    expect(seen.map((states) => [...states].sort())).toEqual(machines.map(({ states }) => [...states].sort()));

    const fallen = battle.groups.flatMap((group) => [...group.parameter('dead').values]).filter((dead) => dead === 1);
    expect(fallen.length).toBeGreaterThan(0);
    expect(fallen.length).toBeLessThanOrEqual(fallenAtFirst + count / 20);
    // each of them touched the ground once
    expect(counts.get('down')).toBe(fallen.length);
    for (const name of ['strike', 'parry', 'step', 'shout']) expect(counts.get(name)).toBeGreaterThan(0);
    expect(crowd.droppedEventCount).toBe(0);
  });

  test('lets no two soldiers look alike before its picture is taken', async () => {
    const { crowd, battle } = open(60);
    await fight(crowd, battle, 6);
    const states = await crowd.readControllers(battle.groups.flatMap(({ ids }) => ids));
    const poses = states
      .filter((state) => !placeOf(state).startsWith('Fall>null'))
      .map(({ layers }) => JSON.stringify(layers.map(({ motions }) => motions)));
    expect(new Set(poses).size).toBe(poses.length);
    expect(new Set(states.map(({ layers }) => layers[0]!.state)).size).toBeGreaterThan(3);
  });

  test('differs from soldier to soldier in height, weapon, beard and shield', async () => {
    const crowd = createCrowd(undefined, { characters, capacity: 60, backend: 'cpu' });
    const hidden = new Map<number, Set<string>>();
    vi.spyOn(crowd, 'hideParts').mockImplementation((ids, part) => {
      for (const id of [ids].flat()) hidden.set(id, (hidden.get(id) ?? new Set()).add(part));
    });
    const { groups } = stageBattle(crowd, ...characters, { count: 60 });
    const [legion, mob] = groups.map(({ ids, character }) =>
      ids.map((id) => character.parts.filter((part) => !hidden.get(id)?.has(part))),
    );
    for (const parts of mob!) expect(parts.filter((part) => ['Axe', 'Club'].includes(part))).toHaveLength(1);
    for (const parts of legion!) expect(parts).not.toContain('Pilum');
    for (const parts of mob!) expect(parts.includes('Beard') && parts.includes('TrimmedBeard')).toBe(false);
    for (const kits of [legion!, mob!]) {
      for (const part of ['Body', 'Helmet', 'Shield']) expect(kits.every((parts) => parts.includes(part))).toBe(true);
      expect(new Set(kits.map((parts) => parts.join())).size).toBeGreaterThan(8);
    }
    // as far as places say, that a crowd on the CPU tells
    await updateAndWait(crowd, { dt: 0, views: [] });
    const scales = (await crowd.readTransforms(groups.flatMap(({ ids }) => ids))).map(({ scale }) => scale);
    expect(Math.min(...scales)).toBeGreaterThanOrEqual(0.93);
    expect(Math.max(...scales)).toBeLessThanOrEqual(1.07);
    expect(Math.max(...scales) - Math.min(...scales)).toBeGreaterThan(0.1);
  });

  test('is a picture without a director where the characters have no controllers', async () => {
    const plain = characters.map(withoutController) as [Character, Character];
    const crowd = createCrowd(undefined, { characters: plain, capacity: 40, backend: 'cpu' });
    const battle = stageBattle(crowd, ...plain, { count: 40 });
    expect(battle.director).toBeUndefined();
    await fight(crowd, battle, 60); // at once
    expect(crowd.time).toBe(0);
  });
});
