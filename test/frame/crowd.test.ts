// Who lives in a crowd, on the CPU backend: spawning, despawning, ids, memory, and what is refused.
import { describe, expect, test, vi } from 'vitest';
import { NOTHING_DROPPED } from '../../src/frame/tables/cull-results.ts';
import type { CharacterId, Crowd, CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded, largeActor, offPose, smallActor, type Actor } from '../support/crowd-truth.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { slotBytes } from '../support/slot-bytes.ts';

/** Share of a character's size: a position has 19 bits. */
const EXACT = 5e-6;

const small = smallActor();
const large = largeActor();

/** Bytes of a slot: 66 vertices take the places of 80. */
const SLOT = slotBytes([small.character, large.character], 80);

function newCrowd(options: Partial<CrowdOptions> = {}): Crowd {
  const characters = [small.character, large.character];
  return createCrowd(undefined, { characters, capacity: 64, backend: 'cpu', ...options });
}

/** Places a clip where it holds still. */
const held = (time: number) => ({ time, speed: 0, loops: false });

/** A character of its own pose per index: 0.01 s of the clip apart. */
function spawnHeld(
  crowd: Crowd,
  actor: Actor,
  count: number,
): { ids: readonly CharacterId[]; time: (i: number) => number } {
  const time = (i: number) => 0.1 + 0.01 * i;
  const { ids } = crowd.spawn(actor.character, { count });
  ids.forEach((id, i) => crowd.play(id, 0, held(time(i))));
  return { ids, time };
}

describe('creating a crowd', () => {
  test('refuses an option that it does not have', () => {
    const old = { rates: false, motions: 2 } as Partial<CrowdOptions>;
    expect(() => newCrowd(old)).toThrow(/CROWD_BAD_ARGUMENT at rates: Unknown option "rates"\. Options: .*updateRates/);
    expect(() => newCrowd(old)).toThrow(/Unknown option "motions"/);
  });

  test('reports every bad option at once', () => {
    const issues = (options: Partial<CrowdOptions>) => {
      try {
        newCrowd(options).destroy();
        return [];
      } catch (thrown) {
        return (thrown as { issues: { code: string; path: string }[] }).issues.map(
          ({ code, path }) => `${code} ${path}`,
        );
      }
    };
    expect(issues({ characters: [], capacity: 0, maxClips: 65 })).toEqual([
      'CROWD_BAD_ARGUMENT characters',
      'CROWD_BAD_ARGUMENT capacity',
      'CROWD_BAD_ARGUMENT maxClips',
    ]);
    for (const capacity of [-1, 1.5, NaN, Infinity, 2 ** 24 + 1])
      expect(issues({ capacity }), `${capacity}`).toHaveLength(1);
    for (const motions of [0, 1.5, NaN]) expect(issues({ maxClips: motions }), `${motions}`).toHaveLength(1);
    expect(issues({ backend: 'gpu' })).toEqual(['CROWD_BAD_ARGUMENT device']);
  });

  test.each([NaN, -1])('refuses %s bytes of vertex memory', (vertexMemory) => {
    expect(() => newCrowd({ maxVertexBytes: vertexMemory })).toThrow(coded('CROWD_BAD_ARGUMENT'));
  });
});

describe('spawning', () => {
  test('gives any number of several types their ids and places', async () => {
    const crowd = newCrowd();
    const seen: number[] = [];
    const few = crowd.spawn(small.character, { count: 3, place: (i) => seen.push(i) });
    const many = crowd.spawn(large.character, { count: 5 });
    const one = crowd.spawn(small.character);
    const none = crowd.spawn(large.character, { count: 0 });
    expect(seen).toEqual([0, 1, 2]);
    expect([few, many, one, none].map(({ count }) => count)).toEqual([3, 5, 1, 0]);
    expect(crowd.count).toBe(9);
    const ids = [few, many, one].flatMap((group) => group.ids);
    expect(new Set(ids).size).toBe(9);
    expect(ids.every((id) => crowd.isAlive(id))).toBe(true);
    expect(few.id(2)).toBe(few.ids[2]);
    for (const index of [3, -1, 0.5, NaN]) expect(() => few.id(index)).toThrow(coded('CROWD_BAD_ARGUMENT'));

    await updateAndWait(crowd, { dt: 0 });
    for (const id of [...few.ids, one.id(0)]) expect(await offPose(crowd, small, id)).toBeLessThan(EXACT);
    for (const id of many.ids) expect(await offPose(crowd, large, id)).toBeLessThan(EXACT);
  });

  test('refuses what it cannot spawn', () => {
    const crowd = newCrowd({ characters: [small.character] });
    for (const count of [-1, 1.5, NaN, Infinity]) {
      expect(() => crowd.spawn(small.character, { count }), `${count}`).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect(() => crowd.spawn(large.character)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(crowd.count).toBe(0);
  });

  test('spawns all or none when places run out', async () => {
    const crowd = newCrowd({ capacity: 8 });
    const { ids, time } = spawnHeld(crowd, small, 5);
    const { byteLength } = crowd;
    expect(() => crowd.spawn(large.character, { count: 4 })).toThrow(coded('CROWD_FULL'));
    expect(crowd.count).toBe(5);
    expect(crowd.byteLength).toBe(byteLength);
    expect(crowd.spawn(large.character, { count: 3 }).count).toBe(3);
    expect(() => crowd.spawn(small.character)).toThrow(coded('CROWD_FULL'));
    await updateAndWait(crowd, { dt: 0 });
    expect(await offPose(crowd, small, ids[4]!, { clip: 0, time: time(4) })).toBeLessThan(EXACT);
  });

  test('continues when vertex memory is full: characters without memory are counted, and not drawn', async () => {
    const crowd = newCrowd({ maxVertexBytes: 5 * SLOT }); // 66 vertices take the places of 80
    const { ids, time } = spawnHeld(crowd, small, 6);
    expect(crowd.count).toBe(6);
    await updateAndWait(crowd, { dt: 0 });
    expect(await crowd.readStats()).toEqual({
      listed: 5,
      posed: 5,
      unposed: 0,
      undrawn: 1,
      ...NOTHING_DROPPED,
      dropped: 0,
    });
    for (const [i, id] of ids.slice(0, 5).entries()) {
      expect(await offPose(crowd, small, id, { clip: 0, time: time(i) })).toBeLessThan(EXACT);
    }
    // who asks for as much as others goes by its index
    await expect(crowd.readVertices(ids[5]!)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('spawns none when a place callback throws', async () => {
    const crowd = newCrowd();
    const { ids, time } = spawnHeld(crowd, large, 2);
    const place = (i: number) => {
      if (i === 2) throw new RangeError('no ground there');
    };
    expect(() => crowd.spawn(small.character, { count: 4, place })).toThrow('no ground there');
    expect(crowd.count).toBe(2);
    await updateAndWait(crowd, { dt: 0 });
    expect(await offPose(crowd, large, ids[1]!, { clip: 0, time: time(1) })).toBeLessThan(EXACT);
  });
});

describe('despawning', () => {
  test('makes an id invalid for ever, also where another lives in its place', async () => {
    const crowd = newCrowd({ capacity: 2 });
    const group = crowd.spawn(small.character, { count: 2 });
    const [gone, stays] = group.ids as [CharacterId, CharacterId];
    await updateAndWait(crowd, { dt: 0 });
    crowd.despawn(gone);
    for (const despawned of [false, true]) {
      if (despawned) expect(crowd.spawn(large.character).ids).not.toContain(gone);
      const calls = [
        () => crowd.play(gone, 0),
        () => crowd.play([stays, gone], 0),
        () => crowd.setClips(gone, []),
        () => crowd.setTransform(gone, () => undefined),
        () => crowd.showParts(gone, 'node 0'),
        () => crowd.despawn(gone),
        () => group.play(0, {}, [0]),
      ];
      for (const call of calls) expect(call).toThrow(coded('CROWD_BAD_ID'));
      await expect(crowd.readVertices(gone)).rejects.toThrow(coded('CROWD_BAD_ID'));
      await expect(crowd.readPose(gone)).rejects.toThrow(coded('CROWD_BAD_ID'));
      expect([crowd.isAlive(gone), crowd.isAlive(stays)]).toEqual([false, true]);
      // what is meant for all of a group is for those who are left
      expect(() => group.play(0)).not.toThrow();
    }
    expect(crowd.count).toBe(2);
  });

  test('knows nonsense from ids', () => {
    const crowd = newCrowd();
    crowd.spawn(small.character);
    for (const id of [NaN, -1, 0.5, 1, Infinity, 2 ** 24, -(2 ** 24), 2 ** 60]) {
      expect(crowd.isAlive(id), `${id}`).toBe(false);
      expect(() => crowd.play(id, 0), `${id}`).toThrow(coded('CROWD_BAD_ID'));
    }
  });

  test('leaves nothing of a character to the next one in its place', async () => {
    const crowd = newCrowd({ capacity: 1 });
    const first = crowd.spawn(small.character, { place: (_, at) => at.position.set(1, 2, 3) });
    first.play(0);
    first.hideParts('node 1');
    await updateAndWait(crowd, { dt: 0.1 });
    crowd.despawn(first.ids);
    const next = crowd.spawn(small.character);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await offPose(crowd, small, next.id(0))).toBeLessThan(EXACT);
    crowd.setTransform(next.id(0), (at) => expect([at.position.x, at.position.y, at.position.z]).toEqual([0, 0, 0]));
  });

  test('frees memory for new characters', async () => {
    const crowd = newCrowd({ capacity: 20 });
    let ids = [...crowd.spawn(small.character, { count: 10 }).ids, ...crowd.spawn(large.character, { count: 10 }).ids];
    const { byteLength } = crowd;
    for (let round = 0; round < 30; round++) {
      crowd.despawn(ids.filter((_, i) => i % 3 === round % 3));
      ids = ids.filter((id) => crowd.isAlive(id));
      const [a, b] = [small, large].map(({ character }, i) => {
        const living = ids.filter((_, at) => at < 10 === (i === 0)).length;
        return crowd.spawn(character, { count: Math.max(0, Math.min(3, 10 - living, 20 - crowd.count)) }).ids;
      });
      ids = [...ids, ...a!, ...b!];
      if (round % 10 === 0) await updateAndWait(crowd, { dt: 0 });
    }
    expect(crowd.byteLength).toBeLessThanOrEqual(2 * byteLength);
  });

  test('gives the memory of one type to another', async () => {
    const crowd = newCrowd({ maxVertexBytes: 30 * SLOT });
    crowd.despawn(crowd.spawn(small.character, { count: 30 }).ids);
    const { ids, time } = spawnHeld(crowd, large, 10); // 224 × 10 of 80 × 30 vertices
    await updateAndWait(crowd, { dt: 0 });
    expect(await crowd.readStats()).toEqual({
      listed: 10,
      posed: 10,
      unposed: 0,
      undrawn: 0,
      ...NOTHING_DROPPED,
      dropped: 0,
    });
    for (const [i, id] of ids.entries()) {
      expect(await offPose(crowd, large, id, { clip: 0, time: time(i) })).toBeLessThan(EXACT);
    }
  });

  test('removes no character when one of the ids is stale', async () => {
    const crowd = newCrowd();
    const { ids, time } = spawnHeld(crowd, small, 4);
    crowd.despawn(ids[3]!);
    expect(() => crowd.despawn([ids[0]!, ids[3]!, ids[1]!])).toThrow(coded('CROWD_BAD_ID'));
    expect(ids.map((id) => crowd.isAlive(id))).toEqual([true, true, true, false]);
    await updateAndWait(crowd, { dt: 0 });
    expect(await offPose(crowd, small, ids[0]!, { clip: 0, time: time(0) })).toBeLessThan(EXACT);
  });

  test('keeps its books when an id is named twice', async () => {
    const crowd = newCrowd({ capacity: 4 });
    const { ids, time } = spawnHeld(crowd, small, 4);
    await updateAndWait(crowd, { dt: 0 });
    try {
      crowd.despawn([ids[1]!, ids[1]!]);
    } catch (thrown) {
      expect(thrown).toEqual(coded('CROWD_BAD_ID')); // refusing is as good as doing it once
    }
    const living = ids.filter((id) => crowd.isAlive(id));
    expect(crowd.count).toBe(living.length);
    const newcomers = spawnHeld(crowd, small, 4 - living.length);
    await updateAndWait(crowd, { dt: 0 });
    expect(await crowd.readStats()).toEqual({
      listed: 4,
      posed: 4,
      unposed: 0,
      undrawn: 0,
      ...NOTHING_DROPPED,
      dropped: 0,
    });
    for (const [i, id] of ids.entries()) {
      if (crowd.isAlive(id)) expect(await offPose(crowd, small, id, { clip: 0, time: time(i) })).toBeLessThan(EXACT);
    }
    for (const [i, id] of newcomers.ids.entries()) {
      expect(await offPose(crowd, small, id, { clip: 0, time: newcomers.time(i) })).toBeLessThan(EXACT);
    }
  });
});

describe('pages', () => {
  test('grow in bursts, and every character keeps its own pose', async () => {
    const crowd = newCrowd({ capacity: 200 });
    const pages = vi.spyOn(internalsOf(crowd).host.backend, 'addPage');
    const all: { actor: Actor; id: CharacterId; time: number }[] = [];
    for (const [actor, count] of [
      [small, 1],
      [large, 20],
      [small, 40],
      [large, 3],
      [small, 70],
    ] as const) {
      const { ids, time } = spawnHeld(crowd, actor, count);
      ids.forEach((id, i) => all.push({ actor, id, time: time(i) }));
      await updateAndWait(crowd, { dt: 0.1 });
    }
    expect(pages.mock.calls.length).toBeGreaterThan(2);
    expect(await crowd.readStats()).toEqual({
      listed: 134,
      posed: 134,
      unposed: 0,
      undrawn: 0,
      ...NOTHING_DROPPED,
      dropped: 0,
    });
    for (const { actor, id, time } of all.filter((_, i) => i % 5 === 0)) {
      expect(await offPose(crowd, actor, id, { clip: 0, time })).toBeLessThan(EXACT);
    }
  });

  test('are few where characters come one by one', () => {
    const crowd = newCrowd({ capacity: 1000 });
    const pages = vi.spyOn(internalsOf(crowd).host.backend, 'addPage');
    for (let i = 0; i < 500; i++) crowd.spawn(i % 4 === 0 ? large.character : small.character);
    expect(pages.mock.calls.length).toBeLessThan(12);
    const needed = (SLOT / 80) * (375 * 80 + 125 * 224);
    expect(crowd.byteLength).toBeLessThan(6 * needed);
  });
});
