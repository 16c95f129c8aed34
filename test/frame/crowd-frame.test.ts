// What frames of a crowd do and give back, on the CPU backend: parts, transforms, poses, slots, the clock, the end.
import { describe, expect, test } from 'vitest';
import { addSockets, type CharacterId, type Crowd, type CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded, farthest, largeActor, offPose } from '../support/crowd-truth.ts';
import { pointsOf, smallActor, trueJoints, trueVertices } from '../support/crowd-truth.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Share of a character's size: a position has 19 bits. */
const EXACT = 5e-6;

const small = smallActor();
const large = largeActor();

function newCrowd(options: Partial<CrowdOptions> = {}): Crowd {
  const characters = [small.character, large.character];
  return createCrowd(undefined, { characters, capacity: 64, backend: 'cpu', ...options });
}

/** Places a clip where it holds still. */
const held = (time: number) => ({ time, speed: 0, loops: false });

/** Where the character's vertices of this frame and of the last one begin, and which parts it shows. */
async function slotOf(crowd: Crowd, id: CharacterId): Promise<{ current: number; previous: number; parts: number }> {
  const { row } = (await internalsOf(crowd).host.backend.read(id % 2 ** 24))!;
  const [current, previous] = [row.get(0, 'currentVertexOffset'), row.get(0, 'previousVertexOffset')];
  return { current, previous, parts: row.get(0, 'parts')[0]! };
}

describe('parts', () => {
  test('are hidden and shown character by character', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character, { count: 3 });
    const shown = () => Promise.all(group.ids.map(async (id) => (await slotOf(crowd, id)).parts & 0b111));
    group.hideParts('node 1', [1]);
    group.hideParts('node 0');
    group.showParts('node 0', [0, 1]);
    await updateAndWait(crowd, { dt: 0 });
    expect(await shown()).toEqual([0b111, 0b101, 0b110]);
    const [whole, part] = [await crowd.readVertices(group.id(1)), 'node 2'];
    expect(farthest(small, pointsOf(small, whole, part), pointsOf(small, trueVertices(small), part))).toBeLessThan(
      EXACT,
    );
    group.showParts('node 1');
    group.showParts('node 0');
    await updateAndWait(crowd, { dt: 0 });
    expect(await shown()).toEqual([0b111, 0b111, 0b111]);
    for (const id of group.ids) expect(await offPose(crowd, small, id)).toBeLessThan(EXACT);
  });

  test('that a character lacks are refused, with a list of those it has', () => {
    const crowd = newCrowd();
    const id = crowd.spawn(small.character).id(0);
    expect(() => crowd.showParts(id, 'Cape')).toThrow(/CROWD_BAD_ARGUMENT.*Cape.*node 0, node 1, node 2/);
  });

  test('stay as they are on all when one of the characters lacks the part', async () => {
    const crowd = newCrowd();
    const [a, b] = [crowd.spawn(small.character).id(0), crowd.spawn(large.character).id(0)];
    expect(() => crowd.hideParts([a, b], 'node 2')).toThrow(coded('CROWD_BAD_ARGUMENT'));
    await updateAndWait(crowd, { dt: 0 });
    expect((await slotOf(crowd, a)).parts & 0b111).toBe(0b111);
  });
});

describe('transforms', () => {
  test('are what callbacks leave, and what the next one finds', () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character, {
      count: 2,
      place: (i, at) => {
        at.position.set(i, 2, 3);
        at.rotation.setYaw(Math.PI / 2);
        at.scale = 1.5;
      },
    });
    group.setTransform((_, at) => (at.position.x += 10));
    const found: number[][] = [];
    for (const id of group.ids) {
      crowd.setTransform(id, ({ position: p, rotation: r, scale }) =>
        found.push([p.x, p.y, p.z, r.x, r.y, r.z, r.w, scale]),
      );
    }
    const half = Math.fround(Math.SQRT1_2);
    expect(found).toEqual([
      [10, 2, 3, 0, half, 0, half, 1.5],
      [11, 2, 3, 0, half, 0, half, 1.5],
    ]);
  });

  test('do not move vertices, which are in model space', async () => {
    const crowd = newCrowd();
    const { ids } = crowd.spawn(small.character, { place: (_, at) => at.position.set(100, 0, 0) });
    await updateAndWait(crowd, { dt: 0 });
    expect(await offPose(crowd, small, ids[0]!)).toBeLessThan(EXACT);
  });
});

describe('reading', () => {
  test('gives the joints of sockets where the evaluator sees them', async () => {
    const { model } = large;
    const socketed = addSockets(addSockets(large.character, ['joint 4', 20]), ['joint 7']);
    const every = addSockets(small.character, 'all');
    const crowd = newCrowd({ characters: [socketed, every, small.character] });
    const [few, all, none] = [socketed, every, small.character].map((character) => crowd.spawn(character));
    for (const group of [few!, all!]) group.play(1, held(0.3));
    await updateAndWait(crowd, { dt: 0 });

    const pose = await crowd.readPose(few!.id(0));
    expect(pose.jointIndices).toEqual([4, 20, 7]);
    const truth = trueJoints(model, [{ clip: 1, time: 0.3 }]);
    for (const [i, joint] of pose.jointIndices.entries()) {
      const actual = pose.modelFromJoint[i]!;
      const expected = truth.subarray(12 * joint, 12 * joint + 12);
      expected.forEach((value, c) => expect(actual[c]).toBeCloseTo(value, 5));
    }
    expect(await offPose(crowd, large, few!.id(0), { clip: 1, time: 0.3 })).toBeLessThan(EXACT);

    const whole = await crowd.readPose(all!.id(0));
    const wanted = trueJoints(small.model, [{ clip: 1, time: 0.3 }]);
    expect(whole.jointIndices).toEqual(small.model.joints.map((_, i) => i));
    wanted.forEach((value, c) => expect(whole.modelFromJoint[Math.floor(c / 12)]![c % 12]).toBeCloseTo(value, 5));
    await expect(crowd.readPose(none!.id(0))).rejects.toThrow(/has no sockets.*addSockets/);
    expect(() => addSockets(small.character, ['nose'])).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => addSockets(small.character, [9])).toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('wants a frame first', async () => {
    const crowd = newCrowd();
    const id = crowd.spawn(small.character).id(0);
    await expect(crowd.readVertices(id)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    await updateAndWait(crowd, { dt: 0 });
    await expect(crowd.readVertices(id)).resolves.toHaveLength(3 * small.character.vertexCount);
  });

  test('needs a frame first, also in a row that the last frame had', async () => {
    const crowd = newCrowd({ capacity: 1 });
    const { ids } = crowd.spawn(small.character);
    await updateAndWait(crowd, { dt: 0 });
    crowd.despawn(ids);
    const next = crowd.spawn(small.character).id(0);
    await expect(crowd.readPose(next)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    await expect(crowd.readVertices(next)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
  });

  test('hands out copies', async () => {
    const crowd = newCrowd();
    const id = crowd.spawn(small.character).id(0);
    await updateAndWait(crowd, { dt: 0 });
    (await crowd.readVertices(id)).fill(7);
    expect(await offPose(crowd, small, id)).toBeLessThan(EXACT);
  });
});

describe('slots', () => {
  test('keep the last frame, except of characters that were just spawned', async () => {
    const crowd = newCrowd();
    const early = crowd.spawn(small.character).id(0);
    await updateAndWait(crowd, { dt: 0.1 });
    const first = await slotOf(crowd, early);
    expect(first.previous).toBe(first.current);
    const late = crowd.spawn(small.character).id(0); // cuts more slots, and stands in the list
    await updateAndWait(crowd, { dt: 0.1 });
    const second = await slotOf(crowd, early);
    expect(second.previous).toBe(first.current);
    expect(second.current).not.toBe(first.current);
    const newcomer = await slotOf(crowd, late);
    expect(newcomer.previous).toBe(newcomer.current);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await slotOf(crowd, early)).toMatchObject({ current: first.current, previous: second.current });

    crowd.despawn(late);
    const next = crowd.spawn(small.character).id(0); // in the same place, without its past
    await updateAndWait(crowd, { dt: 0.1 });
    const heir = await slotOf(crowd, next);
    expect(heir.previous).toBe(heir.current);
    expect(await slotOf(crowd, early)).toMatchObject({ current: second.current, previous: first.current });
  });
});

describe('the clock', () => {
  test('counts what frames say', async () => {
    const crowd = newCrowd();
    expect([crowd.time, crowd.frame]).toEqual([0, 0]);
    for (let i = 0; i < 10; i++) await updateAndWait(crowd, { dt: 0.1 });
    await updateAndWait(crowd, { dt: 0 });
    expect(crowd.time).toBeCloseTo(1, 8);
    expect(crowd.frame).toBe(11);
    await updateAndWait(crowd, { dt: 1e6 });
    expect(crowd.time).toBeCloseTo(1000001, 3);
    await crowd.encode(undefined, { dt: 1 }).submitted(); // on this backend the frame runs at once
    expect(crowd.time).toBeCloseTo(1000002, 3);
  });

  test('refuses to run backwards, or nowhere', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character);
    group.play(0, held(0.1));
    for (const dt of [-0.1, NaN, Infinity, -Infinity, 2 ** 31]) {
      await expect(updateAndWait(crowd, { dt }), `${dt}`).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
      expect(() => crowd.encode(undefined, { dt }), `${dt}`).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect([crowd.time, crowd.frame]).toEqual([0, 0]);
    await updateAndWait(crowd, { dt: 0 });
    expect(await offPose(crowd, small, group.id(0), { clip: 0, time: 0.1 })).toBeLessThan(EXACT);
  });

  test('measures its stages', async () => {
    const crowd = newCrowd();
    crowd.spawn(small.character);
    await updateAndWait(crowd, { dt: 0 });
    expect([...crowd.timings.keys()]).toEqual(['cull-characters', 'gather-motions', 'pose-joints', 'skin-vertices']);
    for (const time of crowd.timings.values()) expect(time).toBeGreaterThanOrEqual(0);
  });
});

test('the same inputs give the same bytes', async () => {
  const run = async () => {
    const crowd = newCrowd();
    const groups = [small, large].map(({ character }) => crowd.spawn(character, { count: 3 }));
    for (const [g, group] of groups.entries())
      group.setClips((i) => [
        { clip: g, phase: i / 3 },
        { clip: 1 - g, weight: 0.2 },
      ]);
    await updateAndWait(crowd, { dt: 0.3 });
    crowd.despawn(groups[0]!.id(1));
    groups.push(crowd.spawn(large.character, { count: 2 }));
    groups[1]!.play(2, { fade: 0.4 });
    for (const dt of [0.1, 0.017, 0.2]) await updateAndWait(crowd, { dt });
    const ids = groups.flatMap((group) => group.ids).filter((id) => crowd.isAlive(id));
    return Promise.all(ids.map(async (id) => Buffer.from((await crowd.readVertices(id)).buffer).toString('hex')));
  };
  const [first, second] = [await run(), await run()];
  expect(first).toHaveLength(7);
  expect(second).toEqual(first);
});

describe('a destroyed crowd', () => {
  test('takes no one and runs no frame', async () => {
    const crowd = newCrowd();
    crowd.spawn(small.character);
    await updateAndWait(crowd, { dt: 0 });
    crowd.destroy();
    crowd.destroy(); // once more is harmless
    expect(() => crowd.spawn(small.character)).toThrow(coded('CROWD_DESTROYED'));
    expect(() => crowd.encode(undefined, { dt: 0 })).toThrow(coded('CROWD_DESTROYED'));
    await expect(updateAndWait(crowd, { dt: 0 })).rejects.toThrow(coded('CROWD_DESTROYED'));
  });

  test('answers nothing else either', async () => {
    const crowd = newCrowd();
    const id = crowd.spawn(small.character).id(0);
    await updateAndWait(crowd, { dt: 0 });
    crowd.destroy();
    await expect(crowd.readPose(id)).rejects.toThrow(coded('CROWD_DESTROYED'));
    await expect(crowd.readVertices(id)).rejects.toThrow(coded('CROWD_DESTROYED'));
    const calls = [
      () => crowd.play(id, 0),
      () => crowd.setClips(id, []),
      () => crowd.setTransform(id, () => undefined),
      () => crowd.hideParts(id, 'node 0'),
      () => crowd.despawn(id),
    ];
    for (const call of calls) expect(call).toThrow(coded('CROWD_DESTROYED'));
  });
});
