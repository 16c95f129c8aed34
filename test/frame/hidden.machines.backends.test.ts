// Characters that are hidden, on both backends.
import { expect, test } from 'vitest';
import { addSockets, type CharacterId, type Crowd } from '../../src/index.ts';
import { createCrowd, type TestCrowdOptions } from '../support/create-crowd.ts';
import { readRanges } from '../../src/device/read-back.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { VISIBLE_NEW } from '../../src/stages/layout.ts';
import { MATRIX_BYTES } from '../../src/stages/place-sockets/layout.ts';
import { coded, farthest, smallActor, trueVertices } from '../support/crowd-truth.ts';
import { companions } from '../support/companions.ts';
import { soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { saveSnapshot } from '../../src/state/index.ts';
import { describeBackends, type Device } from '../support/backends.ts';
import { slotBytes } from '../support/slot-bytes.ts';

const small = (() => {
  const actor = smallActor();
  return { ...actor, character: addSockets(actor.character, [4]) };
})();
const fighter = soldier();
const SLOT_BYTES = slotBytes([small.character, fighter, ...companions()], 80);
const NOTHING = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const HELD = { time: 0.2, speed: 0, loops: false };
const TRUTH = trueVertices(small, [{ clip: 0, time: 0.2 }]);

const view = { clipFromWorld: clipFromWorld({ eye: [0, 1, 0], target: [0, 1, -1], fovY: 1 }, 1), height: 500 };
const FRAME = { dt: 0.1, views: [view, { ...view, height: 100 }] };

function newCrowd(device: Device, options: Partial<TestCrowdOptions> = {}): Crowd {
  const backend = device ? 'gpu' : 'cpu';
  const characters = [small.character, fighter, ...companions()];
  return createCrowd(device, { characters, capacity: 16, updateRates: false, backend, ...options });
}

function spawn(crowd: Crowd, count: number): readonly CharacterId[] {
  const group = crowd.spawn(small.character, { count, place: (i, at) => at.position.set(i, 0, -10) });
  group.play(0, HELD);
  return group.ids;
}

const rowOf = (crowd: Crowd, id: CharacterId) =>
  internalsOf(crowd).host.backend.read(internalsOf(crowd).host.ids.index(id));

async function expectShown(crowd: Crowd, id: CharacterId): Promise<void> {
  expect(farthest(small, await crowd.readVertices(id), TRUTH)).toBeLessThan(5e-6); // a position has 19 bits
}

async function expectHidden(crowd: Crowd, id: CharacterId): Promise<void> {
  expect(crowd.isHidden(id)).toBe(true);
  expect((await rowOf(crowd, id))?.row.get(0, 'views') ?? 0).toBe(0);
}

describeBackends('hidden characters', (backend) => {
  test('are in no view, give their slots back, and come back without a history', async () => {
    const { device } = backend;
    const crowd = newCrowd(device, { maxVertexBytes: 2 * SLOT_BYTES });
    const [a, b, c] = spawn(crowd, 3) as [CharacterId, CharacterId, CharacterId];
    crowd.hide([b, c]);
    await updateAndWait(crowd, FRAME);
    expect(await crowd.readStats()).toMatchObject({ listed: 1, posed: 1, undrawn: 0 });
    await expectShown(crowd, a);
    await expect(crowd.readVertices(b)).rejects.toThrow(/CROWD_BAD_ARGUMENT.*did not show/);
    crowd.hide([a, b]);
    crowd.show([b, c]);
    expect([a, b, c].map((id) => crowd.isHidden(id))).toEqual([true, false, false]);
    await updateAndWait(crowd, FRAME);
    // the slot of the one comes back in the frame that takes it
    await updateAndWait(crowd, FRAME);
    expect(await crowd.readStats()).toMatchObject({ listed: 2, undrawn: 0 });
    for (const id of [b, c]) await expectShown(crowd, id);
    crowd.hide(b);
    await updateAndWait(crowd, FRAME);
    // it moves meanwhile, and one frame is looked at by nobody
    crowd.setTransform(b, (at) => at.position.set(3, 0, -12));
    await updateAndWait(crowd, FRAME);
    crowd.show(b);
    await updateAndWait(crowd, { dt: 0.1, views: [] });
    await updateAndWait(crowd, FRAME);
    const { row } = (await rowOf(crowd, b))!;
    expect(row.get(0, 'detail') & VISIBLE_NEW).not.toBe(0);
    expect(row.get(0, 'previousVertexOffset')).toBe(row.get(0, 'currentVertexOffset'));
    await updateAndWait(crowd, FRAME);
    expect((await rowOf(crowd, b))!.row.get(0, 'detail') & VISIBLE_NEW).toBe(0);
    crowd.destroy();
  });

  test('step their machines, and tell events', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const [seen, hidden] = crowd.spawn(fighter, { count: 2, place: (_, at) => at.position.set(0, 0, -10) }).ids;
    const heard: number[] = [];
    crowd.on('event', ({ character }) => heard.push(character));
    crowd.hide(hidden!);
    crowd.trigger([seen!, hidden!], 'attack');
    for (let frame = 0; frame < 6; frame++) await updateAndWait(crowd, FRAME);
    const [one, other] = await crowd.readControllers([seen!, hidden!]);
    expect({ ...other, character: seen }).toEqual(one);
    expect(one!.layers[0]!.state).toBe('Attack');
    for (let frame = 0; frame < 3; frame++) await updateAndWait(crowd, FRAME);
    expect(heard).toHaveLength(2);
    expect(new Set(heard)).toEqual(new Set([seen, hidden]));
    expect((await crowd.readStats()).listed).toBe(1);
    crowd.destroy();
  });

  test('carry nothing that shows, whenever it was attached', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const [id] = spawn(crowd, 1) as [CharacterId];
    const held = [crowd.attach(id, 4), crowd.attach(id, 4, { whenCulled: 'hide' })];
    await updateAndWait(crowd, FRAME);
    const shown = (await crowd.readSockets(held)).map((matrix) => [...matrix!]);
    expect(shown[0]).not.toEqual(NOTHING);
    crowd.hide(id);
    held.push(crowd.attach(id, 4));
    for (const frame of [FRAME, { dt: 0.1, views: [] }]) {
      await updateAndWait(crowd, frame);
      for (const matrix of await crowd.readSockets(held)) expect([...matrix!]).toEqual(NOTHING);
    }
    crowd.setTransform(id, (at) => (at.position.x += 0.5));
    await updateAndWait(crowd, FRAME);
    crowd.show(id);
    await updateAndWait(crowd, FRAME);
    const moved = shown[0]!.map((value, k) => (k === 12 ? value + 0.5 : value));
    for (const matrix of await crowd.readSockets(held)) {
      matrix!.forEach((value, k) => expect(value).toBeCloseTo(moved[k]!, 5));
    }
    if (device) {
      const buffers = [crowd.socketMatrices!, crowd.previousSocketMatrices!];
      const [now, previous] = await readRanges(
        device,
        buffers.map((buffer) => [buffer, 0, 3 * MATRIX_BYTES]),
      );
      expect([...new Float32Array(previous!)]).toEqual([...new Float32Array(now!)]);
    }
    crowd.destroy();
  });

  test('are posed for those who show their pose, and show it no longer when they follow', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const [leader, follower, other] = spawn(crowd, 3) as [CharacterId, CharacterId, CharacterId];
    crowd.play(follower, 0, { ...HELD, time: 0.4 });
    crowd.setPoseSource([follower, other], leader);
    crowd.hide([leader, other]);
    const hand = crowd.attach(leader, 4);
    for (let frame = 0; frame < 2; frame++) await updateAndWait(crowd, FRAME);
    expect(await crowd.readStats()).toMatchObject({ listed: 2, posed: 1, undrawn: 0 });
    await expectShown(crowd, follower);
    for (const id of [leader, other]) await expectHidden(crowd, id);
    expect([...(await crowd.readSockets([hand]))[0]!]).toEqual(NOTHING);
    crowd.hide(follower);
    await updateAndWait(crowd, FRAME);
    expect((await crowd.readStats()).listed).toBe(0);
    crowd.destroy();
  });

  test('stay so where the crowd is saved, grows, or goes over to its other backend', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const [a, b] = spawn(crowd, 2) as [CharacterId, CharacterId];
    const held = crowd.attach(b, 4);
    crowd.hide(b);
    await updateAndWait(crowd, FRAME);
    crowd.grow(40);
    await updateAndWait(crowd, FRAME);
    await expectShown(crowd, a);
    await expectHidden(crowd, b);
    const from = await saveSnapshot(crowd);
    const restored = newCrowd(device, { from });
    await updateAndWait(restored, FRAME);
    await expectShown(restored, a);
    await expectHidden(restored, b);
    const [again] = restored.attachmentsOf(b);
    expect([...(await restored.readSockets([again!]))[0]!]).toEqual(NOTHING);
    restored.show(b);
    await updateAndWait(restored, FRAME);
    await expectShown(restored, b);
    expect([...(await restored.readSockets([again!]))[0]!]).not.toEqual(NOTHING);
    restored.destroy();
    if (device) {
      await crowd.setBackend('cpu');
      await updateAndWait(crowd, FRAME);
      await expectHidden(crowd, b);
      expect([...(await crowd.readSockets([held]))[0]!]).toEqual(NOTHING);
    }
    // a row is somebody else's: nothing of it is left
    crowd.despawn(b);
    const [heir] = spawn(crowd, 1) as [CharacterId];
    expect(crowd.isHidden(heir)).toBe(false);
    await updateAndWait(crowd, FRAME);
    await expectShown(crowd, heir);
    crowd.destroy();
  });

  test('are named by valid ids only: one that is not refuses the whole call', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const [a, b] = spawn(crowd, 2) as [CharacterId, CharacterId];
    crowd.despawn(b);
    for (const call of [() => crowd.hide([a, b]), () => crowd.show([a, b]), () => crowd.isHidden(b)]) {
      expect(call).toThrow(coded('CROWD_BAD_ID'));
    }
    expect(crowd.isHidden(a)).toBe(false);
    crowd.destroy();
  });
});
