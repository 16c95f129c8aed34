// Attachments, and reads of many characters, on both backends.
import { expect } from 'vitest';
import { multiplyAffine, affineFromPose } from '../../src/math/affine.ts';
import { addSockets, type CharacterId, type Crowd, type CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import type { CrowdView } from '../../src/frame/tables/crowd-view.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { clipOf, heldAt, jointAt, QUARTER_TURN, smallModel } from '../support/small-model.ts';
import { coded, smallActor, trueJoints, type TrueMotion } from '../support/crowd-truth.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { describeBackends, testCases, testShipped, type BackendCases, type Device } from '../support/backends.ts';

/** Shares of a metre. */
const EXACT = 2e-5;

const small = smallActor();
const names = small.model.joints.map(({ name }) => name);
/** Joints of their own names, apart from the first; the root is no socket. */
const [HAND, BACK] = [names[4]!, names[7]!];
const carrier = addSockets(small.character, [4, 7]);
const HELD = { time: 0.2, speed: 0, loops: false };
const ZERO = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

function newCrowd(device: Device, options: Partial<CrowdOptions> = {}): Crowd {
  const backend = device ? 'gpu' : 'cpu';
  return createCrowd(device, { characters: [carrier, small.character], capacity: 512, backend, ...options });
}

/** A camera at the origin that looks along −Z; what is behind it nobody sees. */
const view: CrowdView = {
  clipFromWorld: clipFromWorld({ eye: [0, 1, 0], target: [0, 1, -1], fovY: 1 }, 1),
  height: 500,
};

/** worldFromLocal as the evaluator has it: a character at a place, turned about Y, holding something at an offset. */
function truth(joint: number, [x, y, z]: readonly number[], yaw: number, motions: TrueMotion[], offset = [0, 0, 0]) {
  const world = new Float64Array(12);
  affineFromPose([x!, y!, z!, 0, Math.sin(yaw / 2), 0, Math.cos(yaw / 2), 1, 1, 1], 0, world, 0);
  const out = Float64Array.of(1, 0, 0, offset[0]!, 0, 1, 0, offset[1]!, 0, 0, 1, offset[2]!);
  multiplyAffine(trueJoints(small.model, motions), 12 * joint, out, 0, out, 0);
  multiplyAffine(world, 0, out, 0, out, 0);
  return Array.from({ length: 16 }, (_, k) => (k % 4 === 3 ? (k === 15 ? 1 : 0) : out[4 * (k % 4) + (k >> 2)]!));
}

function expectMatrix(actual: Float32Array | undefined, expected: readonly number[], label = ''): void {
  expect(actual, label).toBeDefined();
  const worst = Math.max(...expected.map((c, k) => Math.abs(c - actual![k]!)));
  expect(worst, `${label}: ${[...actual!].join(' ')}`).toBeLessThan(EXACT);
}

const POSED: TrueMotion[] = [{ clip: 0, time: 0.2 }];

function spawn(crowd: Crowd, count: number, z = -10): readonly CharacterId[] {
  const group = crowd.spawn(carrier, { count, place: (i, at) => at.position.set(i, 0, z) });
  group.play(0, HELD);
  return group.ids;
}

/** What crowds promise of sockets, on either backend. */
const SOCKET_CASES: BackendCases = {
  'are where the evaluator sees the joint, moved by an offset': async (device) => {
    const crowd = newCrowd(device);
    const [a, b] = spawn(crowd, 2);
    crowd.setTransform(b!, (at) => at.rotation.setYaw(1));
    const hand = crowd.attach(a!, HAND, { offset: { position: [0.1, 0.2, 0.3] } });
    const back = crowd.attach(b!, BACK);
    const index = crowd.attach(b!, 4);
    await updateAndWait(crowd, { dt: 0 });
    const read = await crowd.readSockets([hand, back, index]);
    expect(read.frame).toBe(1);
    expectMatrix(read[0], truth(4, [0, 0, -10], 0, POSED, [0.1, 0.2, 0.3]));
    expectMatrix(read[1], truth(7, [1, 0, -10], 1, POSED));
    expectMatrix(read[2], truth(4, [1, 0, -10], 1, POSED));
    hand.setOffset({ position: [0, 1, 0], scale: 2, rotation: [0, 2, 0, 0] });
    await updateAndWait(crowd, { dt: 0 });
    const [moved] = await crowd.readSockets([hand]);
    const expected = truth(4, [0, 0, -10], 0, POSED, [0, 1, 0]);
    // half a turn about Y: X and Z the other way round, all twice as long
    const turned = expected.map((c, k) => (k < 12 ? c * (k < 4 || k > 7 ? -2 : 2) : c));
    expectMatrix(moved, turned);
    crowd.destroy();
  },

  'hold things in metres, however their joints are scaled at rest': async (device) => {
    // centimetres below an armature, a joint blown up, one stretched, one flat
    const joints = [
      jointAt([0, 0, 0], { scale: [0.01, 0.01, 0.01] }),
      jointAt([100, 0, 0], { parentIndex: 0, rotation: QUARTER_TURN }),
      jointAt([0, 2, 0], { scale: [100, 100, 100] }),
      jointAt([0, 3, 0], { scale: [2, 0.5, -4] }),
      jointAt([0, 4, 0], { scale: [0, 1, 1] }),
    ];
    // the hand grows to twice its size
    const clips = [clipOf(1, heldAt('scale', 1, [2, 2, 2]))];
    const armature = addSockets(packCharacter(smallModel({ joints, clips }), { errorBudget: 0 }), 'all');
    const crowd = newCrowd(device, { characters: [armature] });
    const [id] = crowd.spawn(armature, { place: (_, at) => at.position.set(10, 0, 0) }).ids;
    const held = { offset: { position: [0, 0.5, 0.25], scale: [1, 1, 3] } } as const;
    const things = joints.map((_, joint) => crowd.attach(id!, joint, held));
    await updateAndWait(crowd, { dt: 0 });
    const along = (x: number[], y: number[], z: number[], at: number[]) => [...x, 0, ...y, 0, ...z, 0, ...at, 1];
    const [X, Y, Z] = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 3],
    ] as const;
    const still = [
      along([...X], [...Y], [...Z], [10, 0.5, 0.25]),
      along([0, 1, 0], [-1, 0, 0], [...Z], [10.5, 0, 0.25]),
      along([...X], [...Y], [...Z], [10, 2.5, 0.25]),
      along([...X], [...Y], [0, 0, -3], [10, 3.5, -0.25]),
      along([0, 0, 0], [...Y], [...Z], [10, 4.5, 0.25]),
    ];
    const expectAll = async (expected: number[][]) =>
      (await crowd.readSockets(things)).forEach((matrix, i) => expectMatrix(matrix, expected[i]!, `joint ${i}`));
    await expectAll(still);
    // what clips and the character itself add counts
    for (const thing of things) thing.setOffset({ ...held.offset, position: [0, 0, 0] });
    crowd.play(id!, 0);
    crowd.setTransform(id!, (at) => (at.scale = 3));
    await updateAndWait(crowd, { dt: 0 });
    const grown = still.map((matrix, i) => matrix.map((c, k) => (k < 12 ? c * (i === 1 ? 6 : 3) : c)));
    const places = [0, 0, 6, 9, 12].map((y, i) => [i === 1 ? 13 : 10, y, 0]);
    await expectAll(grown.map((matrix, i) => [...matrix.slice(0, 12), ...places[i]!, 1]));
    crowd.destroy();
  },

  'go with a character that keeps its pose, and are posed at once however far it is': async (device) => {
    // posed every eighth frame
    const crowd = newCrowd(device, { updateRates: { halfBelowPx: 1e9, quarterBelowPx: 1e9, eighthBelowPx: 1e9 } });
    const ids = spawn(crowd, 16, -40);
    const step = (dt = 0) => updateAndWait(crowd, { dt, views: [view] });
    const group = crowd.attach(ids.slice(0, 8), HAND);
    for (let frame = 0; frame < 3; frame++) await step();
    ids.forEach((id) => crowd.play(id, 0, { ...HELD, time: 0.3 }));
    const later = crowd.attach(ids.slice(8), HAND);
    ids.forEach((id, i) => crowd.setTransform(id, (at) => at.position.set(i, 0.5, -41)));
    await step();
    const poses = await crowd.readPose(ids);
    const read = [...(await crowd.readSockets(group)), ...(await crowd.readSockets(later))];
    expect(poses.frame).toBe(4);
    const posed = poses.map((pose) => pose !== undefined);
    // one of those who had theirs, and all who have just got it
    expect(posed.filter(Boolean).length).toBe(9);
    read.forEach((matrix, i) => {
      const motions = posed[i] ? [{ clip: 0, time: 0.3 }] : POSED;
      expectMatrix(matrix, truth(4, [i, 0.5, -41], 0, motions), `${i}`);
    });
    for (let frame = 0; frame < 7; frame++) await step();
    (await crowd.readSockets(group)).forEach((matrix, i) => {
      expectMatrix(matrix, truth(4, [i, 0.5, -41], 0, [{ clip: 0, time: 0.3 }]), `${i}`);
    });
    crowd.destroy();
  },

  'of characters that nobody sees stay in their last pose, or hide': async (device) => {
    const crowd = newCrowd(device);
    const [front, behind] = [spawn(crowd, 1)[0]!, spawn(crowd, 1, 10)[0]!];
    const keep = [front, behind].map((id) => crowd.attach(id, HAND));
    const hide = [front, behind].map((id) => crowd.attach(id, HAND, { whenCulled: 'hide' }));
    await updateAndWait(crowd, { dt: 0, views: [view] });
    const at = (z: number, motions: TrueMotion[]) => truth(4, [0, 0, z], 0, motions);
    let read = await crowd.readSockets([...keep, ...hide]);
    expectMatrix(read[0], at(-10, POSED));
    // never posed: at rest
    expectMatrix(read[1], at(10, []));
    expectMatrix(read[2], at(-10, POSED));
    expect([...read[3]!]).toEqual(ZERO);
    // they change places
    crowd.setTransform(front, (place) => place.position.set(0, 0, 10));
    crowd.setTransform(behind, (place) => place.position.set(0, 0, -10));
    await updateAndWait(crowd, { dt: 0, views: [view] });
    read = await crowd.readSockets([...keep, ...hide]);
    expectMatrix(read[0], at(10, POSED));
    expectMatrix(read[1], at(-10, POSED));
    expect([...read[2]!]).toEqual(ZERO);
    expectMatrix(read[3], at(-10, POSED));
    // a frame that nobody looks at
    crowd.setTransform(behind, (place) => place.position.set(0, 0, -12));
    await updateAndWait(crowd, { dt: 0, views: [] });
    read = await crowd.readSockets([...keep, ...hide]);
    expect(read.frame).toBe(3);
    expectMatrix(read[1], at(-12, POSED));
    expect([...read[3]!]).toEqual(ZERO);
    crowd.destroy();
  },

  'end with their characters, and their rows are used again': async (device) => {
    const crowd = newCrowd(device);
    const ids = spawn(crowd, 3);
    const hands = crowd.attach(ids, HAND);
    const back = crowd.attach(ids[1]!, BACK);
    expect(crowd.attachmentCount).toBe(4);
    await updateAndWait(crowd, { dt: 0 });
    crowd.despawn(ids[1]!);
    expect([back.isAttached, ...[0, 1, 2].map((i) => hands.isAttached(i))]).toEqual([false, true, false, true]);
    back.detach();
    hands.detach([1]);
    expect(crowd.attachmentCount).toBe(2);
    expect(() => back.setOffset({})).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => hands.setOffset(1, {})).toThrow(coded('CROWD_BAD_ARGUMENT'));
    const [next] = spawn(crowd, 1, -20);
    const again = crowd.attach(next!, BACK);
    expect([back.index, hands.indices[1]]).toContain(again.index);
    hands.setOffset(0, { position: [0, 0, 1] });
    expect((await crowd.readSockets([again, back]))[0]).toBeUndefined();
    await updateAndWait(crowd, { dt: 0 });
    const read = await crowd.readSockets([again, back]);
    expectMatrix(read[0], truth(7, [0, 0, -20], 0, POSED));
    expect(read[1]).toBeUndefined();
    const left = await crowd.readSockets(hands);
    expectMatrix(left[0], truth(4, [0, 0, -10], 0, POSED, [0, 0, 1]));
    expect(left[1]).toBeUndefined();
    hands.detach();
    again.detach();
    expect([crowd.attachmentCount, again.isAttached, hands.isAttached(2)]).toEqual([0, false, false]);
    crowd.destroy();
  },

  'keep what they hold when their buffer grows, and say so': async (device) => {
    const crowd = newCrowd(device);
    const ids = spawn(crowd, 300);
    const told: GPUBuffer[] = [];
    crowd.on('sockets', (matrices) => told.push(matrices));
    const few = crowd.attach(ids.slice(0, 10), HAND);
    await updateAndWait(crowd, { dt: 0 });
    const before = crowd.socketMatrices;
    expect(told).toEqual(device ? [before] : []);
    // attached, and never posed again
    const many = crowd.attach(ids, BACK);
    crowd.setTransform(ids[3]!, (at) => at.position.set(3, 0, -30));
    await updateAndWait(crowd, { dt: 0, views: [] });
    expect(told.length).toBe(device ? 2 : 0);
    if (device) expect(told[1]).toBe(crowd.socketMatrices);
    if (device) expect(crowd.socketMatrices).not.toBe(before);
    const read = await crowd.readSockets(few);
    expectMatrix(read[3], truth(4, [3, 0, -30], 0, POSED));
    expectMatrix((await crowd.readSockets(many))[299], truth(7, [299, 0, -10], 0, []));
    await updateAndWait(crowd, { dt: 0 });
    expectMatrix((await crowd.readSockets(many))[299], truth(7, [299, 0, -10], 0, POSED));
    expect(told.length).toBe(device ? 2 : 0);
    crowd.destroy();
  },

  'of those who show the pose of another are where that one has them': async (device) => {
    const crowd = newCrowd(device);
    const [leader, follower] = spawn(crowd, 2);
    crowd.play(follower!, 0, { ...HELD, time: 0.4 });
    crowd.setPoseSource(follower!, leader!);
    const hand = crowd.attach(follower!, HAND);
    await updateAndWait(crowd, { dt: 0, views: [view] });
    expectMatrix((await crowd.readSockets([hand]))[0], truth(4, [1, 0, -10], 0, POSED));
    // whom it follows is seen by nobody, and posed for it
    crowd.setTransform(leader!, (at) => at.position.set(0, 0, 10));
    crowd.play(leader!, 0, { ...HELD, time: 0.3 });
    await updateAndWait(crowd, { dt: 0, views: [view] });
    expectMatrix((await crowd.readSockets([hand]))[0], truth(4, [1, 0, -10], 0, [{ clip: 0, time: 0.3 }]));
    const [pose] = await crowd.readPose([follower!]);
    expect([...pose!.modelFromJoint[0]!]).toEqual([...(await crowd.readPose(leader!)).modelFromJoint[0]!]);
    crowd.destroy();
  },

  'of a group stand in its order, without those that are gone': async (device) => {
    const crowd = newCrowd(device);
    const group = crowd.spawn(carrier, { count: 4 });
    group.despawn([1]);
    const attached = group.attach(HAND);
    expect([0, 1, 2, 3].map((i) => attached.isAttached(i))).toEqual([true, false, true, true]);
    expect(attached.indices[1]).toBe(0xffffffff);
    await updateAndWait(crowd, { dt: 0 });
    const read = await crowd.readSockets(attached);
    expect(read.map((matrix) => matrix !== undefined)).toEqual([true, false, true, true]);
    crowd.destroy();
  },

  'that are invalid are refused': async (device) => {
    const crowd = newCrowd(device);
    const [id] = spawn(crowd, 1);
    const bare = crowd.spawn(small.character).id(0);
    expect(() => crowd.attach(id!, 'tail')).toThrow(new RegExp(`SOCKET_NOT_FOUND.*tail.*${HAND}.*${BACK}`));
    expect(() => crowd.attach(id!, 0)).toThrow(/SOCKET_NOT_FOUND.*no socket.*addSockets/);
    expect(() => crowd.attach([id!, bare], HAND)).toThrow(coded('SOCKET_NOT_FOUND'));
    expect(() => crowd.attach(1e9, HAND)).toThrow(coded('CROWD_BAD_ID'));
    for (const offset of [{ position: [0, NaN, 0] }, { rotation: [0, 0, 0, 0] }, { scale: Infinity }]) {
      expect(() => crowd.attach(id!, HAND, { offset } as never)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect(() => crowd.attach(id!, HAND, { whenCulled: 'gone' as never })).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(crowd.attachmentCount).toBe(0);
    crowd.destroy();
    expect(() => crowd.attach(id!, HAND)).toThrow(coded('CROWD_DESTROYED'));
    await expect(crowd.readSockets([])).rejects.toThrow(coded('CROWD_DESTROYED'));
  },
};

/** What crowds promise of many answers at once. */
const READ_CASES: BackendCases = {
  'poses of many, without those that the frame did not pose': async (device) => {
    const crowd = newCrowd(device);
    const front = spawn(crowd, 40);
    const behind = spawn(crowd, 2, 10);
    await updateAndWait(crowd, { dt: 0, views: [view] });
    const late = spawn(crowd, 1)[0]!;
    const ids = [late, ...front.filter((_, i) => i % 2 === 0 && i < 6), behind[1]!, front[0]!];
    const pending = crowd.readPose(ids);
    // what comes after does not reach it
    front.forEach((id) => crowd.play(id, 0, { ...HELD, time: 0.4 }));
    await updateAndWait(crowd, { dt: 0, views: [view] });
    const poses = await pending;
    expect(poses.frame).toBe(1);
    expect(poses.map((pose) => pose !== undefined)).toEqual([false, true, true, true, false, true]);
    const joints = trueJoints(small.model, POSED);
    for (const pose of [poses[1]!, poses[5]!]) {
      expect([pose.frame, ...pose.jointIndices]).toEqual([1, 4, 7]);
      pose.modelFromJoint.forEach((matrix, s) => {
        const first = 12 * pose.jointIndices[s]!;
        matrix.forEach((c, k) => expect(Math.abs(c - joints[first + k]!)).toBeLessThan(EXACT));
      });
    }
    expect((await crowd.readPose(front[1]!)).frame).toBe(2);
    await expect(crowd.readPose(behind[0]!)).rejects.toThrow(/CROWD_BAD_ARGUMENT.*did not show/);
    const fresh = spawn(crowd, 1)[0]!;
    await expect(crowd.readPose(fresh)).rejects.toThrow(/CROWD_BAD_ARGUMENT.*No frame has run with/);
    // in a row that was somebody's who was seen
    crowd.despawn(front[0]!);
    const heir = spawn(crowd, 1)[0]!;
    expect((await crowd.readPose([heir, front[1]!])).map((pose) => pose !== undefined)).toEqual([false, true]);
    await expect(crowd.readPose([front[0]!])).rejects.toThrow(coded('CROWD_BAD_ID'));
    crowd.destroy();
  },

  'places of many, as often as they are named': async (device) => {
    const crowd = newCrowd(device);
    const ids = spawn(crowd, 200);
    await updateAndWait(crowd, { dt: 0 });
    const odd = ids.filter((_, i) => i % 3 === 1);
    const late = spawn(crowd, 1, -77)[0]!;
    const asked = [late, ...odd, odd[0]!];
    const places = await crowd.readTransforms(asked);
    expect(places.frame).toBe(1);
    expect(places.map(({ position: { x, z } }) => [x, z])).toEqual([
      [0, -77],
      ...odd.map((_, i) => [3 * i + 1, -10]),
      [1, -10],
    ]);
    expect([...(await crowd.readTransforms([]))]).toEqual([]);
    crowd.destroy();
  },

  'answers are of the last frame that was submitted': async (device) => {
    if (!device) return;
    const crowd = newCrowd(device);
    const ids = spawn(crowd, 100);
    const attached = crowd.attach(ids.slice(0, 3), HAND);
    await updateAndWait(crowd, { dt: 0 });
    // recorded: palettes and matrices grow, and nothing of it has run
    const more = crowd.attach(ids, BACK);
    crowd.setTransform(ids[0]!, (at) => at.position.set(0, 5, -10));
    const encoder = device.createCommandEncoder();
    const frame = crowd.encode(encoder, { dt: 0 });
    const [poses, places] = await Promise.all([crowd.readPose(ids.slice(0, 2)), crowd.readTransforms(ids.slice(0, 2))]);
    const [sockets, none] = await Promise.all([crowd.readSockets(attached), crowd.readSockets(more)]);
    expect([poses.frame, places.frame, sockets.frame]).toEqual([1, 1, 1]);
    expect(places[0]!.position.y).toBe(0);
    expect(poses[0]).toBeDefined();
    expectMatrix(sockets[0], truth(4, [0, 0, -10], 0, POSED));
    expect(none.every((matrix) => matrix === undefined)).toBe(true);
    device.queue.submit([encoder.finish()]);
    await frame.submitted();
    expectMatrix((await crowd.readSockets(more))[0], truth(7, [0, 5, -10], 0, POSED));
    crowd.destroy();
  },
};

describeBackends('sockets', (backend) => {
  testCases(backend, SOCKET_CASES);
  testShipped(backend, SOCKET_CASES, 1);
});

describeBackends('reads', (backend) => {
  testCases(backend, READ_CASES);
  testShipped(backend, READ_CASES, 1);
});
