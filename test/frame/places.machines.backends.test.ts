// Ground and origin, on both backends.
import { expect, test } from 'vitest';
import { addSockets, type CharacterId, type Crowd, type Ground } from '../../src/index.ts';
import { saveSnapshot, type CrowdSnapshot, recordInputs, replayInputs } from '../../src/state/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { readBuffer } from '../support/gpu.ts';
import { walker } from '../support/companions.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { describeBackends, type Device } from '../support/backends.ts';

const walking = addSockets(walker(), [0]);
const standing = smallActor().character;

function newCrowd(device: Device): Crowd {
  const backend = device ? 'gpu' : 'cpu';
  return createCrowd(device, { characters: [walking, standing], capacity: 64, backend });
}

/** Rises a metre per two metres along x, from −8 to 8 both ways; at x = 0 its height is 5. */
function ramp(lean = 0, origin: readonly [number, number, number] = [-8, 1, -8]): Ground {
  const heights = Float32Array.from({ length: 9 * 5 }, (_, i) => i % 9);
  return { heights, columns: 9, rows: 5, origin, spacing: [2, 4], lean };
}

/** What the GPU, or the twin, holds of transforms, and of those of last frame where they are at hand. */
async function bitsOf(crowd: Crowd, count: number): Promise<Uint32Array[]> {
  const rows = Array.from({ length: count }, (_, row) => row);
  const { value } = await internalsOf(crowd).host.backend.readTransforms(rows);
  const memory = internalsOf(crowd).host.backend.memory?.crowd;
  if (!memory) return [value.words];
  const previous = await readBuffer(memory.device, memory.previousTransforms, 0, 32 * count);
  return [value.words, new Uint32Array(previous)];
}

describeBackends('ground and origin', (backend) => {
  test('characters follow the ground, moved by the CPU or by clips', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const group = crowd.spawn(walking, { count: 3, place: (i, at) => at.position.set(2 * i - 2, 50, 0) });
    const host = crowd.spawn(standing, { count: 2, place: (i, at) => at.position.set(i === 0 ? 3 : 100, 7, 1) });
    group.ids.forEach((id) => crowd.setTransform(id, (at) => at.rotation.setYaw(Math.PI / 2)));
    crowd.setGround(ramp());
    crowd.followGround(group.id(2), 'ignore');
    const bare = newCrowd(device);
    const others = bare.spawn(walking, { count: 3, place: (i, at) => at.position.set(2 * i - 2, 50, 0) });
    others.ids.forEach((id) => bare.setTransform(id, (at) => at.rotation.setYaw(Math.PI / 2)));
    for (let frame = 0; frame < 8; frame++) {
      await Promise.all([updateAndWait(crowd, { dt: 0.05 }), updateAndWait(bare, { dt: 0.05 })]);
    }
    const [moved, free] = [await crowd.readTransforms(group.ids), await bare.readTransforms(others.ids)];
    moved.forEach(({ position: { x, y, z }, rotation }, i) => {
      // along x and z as without ground
      expect([x, z, rotation.y]).toEqual([free[i]!.position.x, free[i]!.position.z, free[i]!.rotation.y]);
      expect(y, `${i}`).toBeCloseTo(i === 2 ? 50 : 5 + x / 2, 4);
    });
    expect(moved[0]!.position.x).toBeGreaterThan(-1.9);
    expect((await crowd.readTransforms(host.ids)).map(({ position: { y } }) => y)).toEqual([6.5, 7]);
    // the host places them, the ground says how high
    crowd.setTransform(host.id(0), (at) => at.position.set(-4, 99, 0));
    crowd.followGround(group.ids);
    await updateAndWait(crowd, { dt: 0, views: [] });
    expect((await crowd.readTransforms(host.id(0)))[0]!.position.y).toBe(3);
    expect((await crowd.readTransforms(group.id(2)))[0]!.position.y).toBeLessThan(8);
    // other ground, then none
    crowd.setGround({ heights: new Float32Array(4), columns: 2, rows: 2, origin: [-50, -2, -50], spacing: 100 });
    await updateAndWait(crowd, { dt: 0 });
    expect((await crowd.readTransforms(host.id(0)))[0]!.position.y).toBe(-2);
    crowd.setGround(undefined);
    crowd.setTransform(host.id(0), (at) => at.position.set(-4, 99, 0));
    await updateAndWait(crowd, { dt: 0 });
    expect((await crowd.readTransforms(host.id(0)))[0]!.position.y).toBe(99);
    for (const each of [crowd, bare]) each.destroy();
  });

  test('who stands where ground was stays there, whatever happens beside', async () => {
    const { device } = backend;
    // no root motion, and so many rows that uploads of plain columns would take some together
    const create = (capacity: number, from?: CrowdSnapshot) =>
      createCrowd(device, { characters: [standing], capacity, backend: device ? 'gpu' : 'cpu', ...(from && { from }) });
    const heightsOf = async (crowd: Crowd, ids: readonly CharacterId[]) =>
      (await crowd.readTransforms(ids)).map(({ position: { y } }) => y);
    const crowd = create(3000);
    const log = recordInputs(crowd);
    const { ids } = crowd.spawn(standing, { count: 6, place: (i, at) => at.position.set(2 * i, 50, 0) });
    await updateAndWait(crowd, { dt: 0 });
    crowd.setGround(ramp(1));
    await updateAndWait(crowd, { dt: 0 });
    expect(await heightsOf(crowd, ids)).toEqual([5, 6, 7, 8, 9, 50]); // the ground ends at 8
    crowd.followGround(ids[1]!, 'ignore');
    crowd.setTransform(ids[0]!, (at) => at.position.set(2, 50, 0));
    await updateAndWait(crowd, { dt: 0 });
    expect(await heightsOf(crowd, ids)).toEqual([6, 6, 7, 8, 9, 50]);
    crowd.setGround(undefined);
    crowd.setTransform(ids[0]!, (at) => at.position.set(0, 40, 0));
    crowd.despawn(ids[4]!);
    const snapshot = await saveSnapshot(crowd);
    await updateAndWait(crowd, { dt: 0 });
    const rest = ids.filter((id) => id !== ids[4]);
    expect(await heightsOf(crowd, rest)).toEqual([40, 6, 7, 8, 50]);
    // of lean too nothing is lost, nor of a crowd that goes on, or one whose rows lie otherwise
    const [restored, larger] = [create(3000, snapshot), create(9000)];
    await updateAndWait(restored, { dt: 0 });
    await replayInputs(larger, log.since());
    log.stop();
    const bits = await Promise.all([crowd, restored, larger].map(async (each) => (await bitsOf(each, 4))[0]));
    expect(bits.slice(1)).toEqual([bits[0], bits[0]]);
    restored.setTransform(ids[2]!, (at) => at.position.set(0, 1, 0));
    await updateAndWait(restored, { dt: 0 });
    expect(await heightsOf(restored, rest)).toEqual([40, 6, 1, 8, 50]);
    for (const each of [crowd, restored, larger]) each.destroy();
  });

  test('lean with the slope, and go on as they looked', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const group = crowd.spawn(walking, { place: (_, at) => at.rotation.setYaw(Math.PI / 2) });
    crowd.setGround(ramp(1));
    await updateAndWait(crowd, { dt: 0 });
    const { x: qx, y: qy, z: qz, w: qw } = (await crowd.readTransforms(group.ids))[0]!.rotation;
    // looks uphill, along x: up has turned from y towards −x
    const up = [2 * (qx * qy - qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz + qw * qx)];
    [-0.5, 1, 0].forEach((c, k) => expect(up[k]).toBeCloseTo(c / Math.hypot(0.5, 1), 5));
    // a metre along the slope; it turns left meanwhile, so little of it
    for (let frame = 0; frame < 3; frame++) await updateAndWait(crowd, { dt: 0.01 });
    const { x, y } = (await crowd.readTransforms(group.ids))[0]!.position;
    expect(x).toBeCloseTo(0.03 / Math.hypot(0.5, 1), 3);
    expect(y).toBeCloseTo(5 + x / 2, 4);
    crowd.destroy();
  });

  test('invalid ground is refused', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const bad: Partial<Ground>[] = [
      { columns: 1 },
      { rows: 4 },
      { heights: new Float32Array(45).fill(NaN) },
      { origin: [0, NaN, 0] },
      { origin: [0, 1e39, 0] },
      { heights: new Float32Array(45).fill(3e38), origin: [0, 3e38, 0] },
      { spacing: 1e39 },
      { spacing: 1e-46 },
      { heights: new Float32Array(45).fill(1e38), spacing: 1e-3 },
      { spacing: 0 },
      { spacing: [1, -1] },
      { lean: 2 },
    ];
    for (const part of bad) expect(() => crowd.setGround({ ...ramp(), ...part })).toThrow(coded('CROWD_BAD_ARGUMENT'));
    const id = crowd.spawn(standing).id(0);
    expect(() => crowd.followGround(id, 'fly' as never)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.followGround(1e9)).toThrow(coded('CROWD_BAD_ID'));
    crowd.destroy();
    expect(() => crowd.setGround(ramp())).toThrow(coded('CROWD_DESTROYED'));
  });

  test('a crowd a million metres off is, bit for bit, one at the origin', async () => {
    const { device } = backend;
    // what single precision tells apart at a million metres: sixteenths
    const far = [1_000_000, -2000, -900_000.25] as const;
    const place = (i: number) => [i - 8 + 1 / 16, 0, -10 - (i % 3) / 8] as const;
    const views = [{ clipFromWorld: clipFromWorld({ eye: [0, 2, 4], target: [0, 1, -8], fovY: 0.8 }, 1), height: 400 }];
    const crowds = await Promise.all(
      ['here', 'far', 'moved'].map(async (where) => {
        const crowd = newCrowd(device);
        const away = where === 'here' ? [0, 0, 0] : far;
        // before or behind those who are already there
        if (where === 'far') expect(crowd.moveOrigin(far)).toEqual(far);
        const group = crowd.spawn(walking, {
          count: 16,
          place: (i, at) => {
            const [x, y, z] = place(i);
            at.position.set(away[0]! + x, away[1]! + y, away[2]! + z);
            at.rotation.setYaw(i);
          },
        });
        if (where === 'moved') crowd.moveOrigin(far);
        expect(crowd.origin).toEqual(away);
        const sockets = group.attach(0, { offset: { position: [0, 1, 0] } });
        crowd.setGround(ramp(1, [away[0]! - 8, away[1]! + 1, away[2]! - 16]));
        return { crowd, group, sockets };
      }),
    );
    for (let frame = 0; frame < 6; frame++) {
      const told = await Promise.all(
        crowds.map(async ({ crowd, group, sockets }, i) => {
          if (frame === 4) group.despawn([3]);
          if (frame === 4) {
            const [x, y, z] = crowd.origin;
            crowd.setTransform(group.id(5), (at) => at.position.set(x + 0.5, y + 2, z - 9));
          }
          await updateAndWait(crowd, { dt: 1 / 60, views });
          const matrices = await crowd.readSockets(sockets);
          expect(matrices.origin).toEqual(i === 0 ? [0, 0, 0] : far);
          const [now, last] = await bitsOf(crowd, 16);
          // in its first frame nobody has a past
          return [now, frame > 0 ? last : undefined, matrices.map((m) => m && [...m]), await crowd.readStats()];
        }),
      );
      expect(told[1], `frame ${frame}`).toEqual(told[0]);
      expect(told[2], `frame ${frame}, moved`).toEqual(told[0]);
      expect((told[0]![3] as { listed: number }).listed).toBeGreaterThan(4);
    }
    const [here, off] = await Promise.all(crowds.map(({ crowd, group }) => crowd.readTransforms(group.id(0))));
    expect(off![0]!.position.x).toBe(far[0] + here![0]!.position.x);
    for (const { crowd } of crowds) crowd.destroy();
  });

  test('the origin moves, and nothing else does', async () => {
    const { device } = backend;
    const crowd = newCrowd(device);
    const group = crowd.spawn(walking, { count: 4, place: (i, at) => at.position.set(700 + i, 0, -400) });
    for (let frame = 0; frame < 3; frame++) await updateAndWait(crowd, { dt: 0.1 });
    const before = await crowd.readTransforms(group.ids);
    const [, last] = await bitsOf(crowd, 4);
    crowd.moveOrigin([512, 0, -512]);
    crowd.moveOrigin([704, 0.5, -400]);
    // not before the next frame on the GPU; told in the world all along
    const plain = (places: typeof before) => places.map(({ position: { x, y, z } }) => [x, y, z]);
    expect(plain(await crowd.readTransforms(group.ids))).toEqual(plain(before));
    await updateAndWait(crowd, { dt: 0 });
    const after = await crowd.readTransforms(group.ids);
    after.forEach(({ position }, i) => {
      for (const axis of ['x', 'y', 'z'] as const) expect(position[axis]).toBeCloseTo(before[i]!.position[axis], 4);
    });
    const [now, previous] = await bitsOf(crowd, 4);
    if (previous && last) {
      // nobody moved: last frame's place is this frame's, though it was kept from where the origin was
      expect(previous).toEqual(now);
      expect(previous).not.toEqual(last);
    }
    // the host knows its places from the new origin, and the world is the same
    crowd.setTransform(group.id(1), (at) => {
      expect(at.position.x).toBeCloseTo(701, 4);
      at.position.x += 10;
    });
    await updateAndWait(crowd, { dt: 0 });
    expect((await crowd.readTransforms(group.id(1)))[0]!.position.x).toBeCloseTo(711, 4);
    expect(() => crowd.moveOrigin([NaN, 0, 0])).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.moveOrigin([1e300, 0, 0])).toThrow(coded('CROWD_BAD_ARGUMENT'));
    for (let i = 1; i <= 16; i++) crowd.moveOrigin([704 + i, 0, 0]);
    expect(() => crowd.moveOrigin([0, 0, 0])).toThrow(coded('CROWD_LIMIT'));
    expect(crowd.origin).toEqual([720, 0, 0]);
    await updateAndWait(crowd, { dt: 0 });
    expect((await crowd.readTransforms(group.id(1)))[0]!.position.x).toBeCloseTo(711, 3);
    crowd.destroy();
  });
});
