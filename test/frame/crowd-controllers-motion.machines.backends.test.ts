// Root motion, and what the host does to joints, on both backends.
import { expect, test } from 'vitest';
import { packCharacter, type CharacterModel } from '../../src/character/index.ts';
import { addSockets, type CharacterId, type Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { composeJoints, evaluateVertices, POSE_STRIDE, restPose } from '../../src/character/evaluate.ts';
import { coded, farthest, smallActor, type Actor } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { randomModel } from '../support/random-model.ts';
import { soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { walker } from '../support/companions.ts';
import { full } from '../support/setup.ts';
import { describeBackends } from '../support/backends.ts';

const QUARTER = [0, 0, Math.SQRT1_2, Math.SQRT1_2] as const;

type Rows = ArrayLike<number>;

/** `modelFromJoint` of a joint of one character: three rows of four. */
async function jointOf(crowd: Crowd, id: CharacterId, joint: number): Promise<Rows> {
  const { jointIndices, modelFromJoint } = await crowd.readPose(id);
  return modelFromJoint[Array.from(jointIndices).indexOf(joint)]!;
}

/** How far a joint is turned about Z, in degrees, and where it stands. */
async function headOf(crowd: Crowd, id: CharacterId): Promise<readonly number[]> {
  const rows = await jointOf(crowd, id, 1);
  const angle = (Math.atan2(rows[4]!, rows[0]!) * 180) / Math.PI;
  return [angle, rows[3]!, rows[7]!, rows[11]!].map((value) => Math.round(value * 1e4) / 1e4 + 0);
}

type Vector = readonly [number, number, number];
const turned = ([x, y, z, w]: readonly number[], [vx, vy, vz]: Vector): Vector => {
  const t = [2 * (y! * vz - z! * vy), 2 * (z! * vx - x! * vz), 2 * (x! * vy - y! * vx)] as const;
  return [
    vx + w! * t[0] + y! * t[2] - z! * t[1],
    vy + w! * t[1] + z! * t[0] - x! * t[2],
    vz + w! * t[2] + x! * t[1] - y! * t[0],
  ];
};

/** Where root motion leads from a place: so many whole rounds' quarters. Worked out by hand. */
interface Pose {
  readonly position: readonly [number, number, number];
  /** Quarter turns to the left. */
  readonly quarters: number;
}

async function expectAt(crowd: Crowd, id: CharacterId, { position, quarters }: Pose, label: string): Promise<void> {
  const [at] = await crowd.readTransforms(id);
  const { x, y, z } = at!.position;
  [x, y, z].forEach((value, c) => expect(value, `${label}: ${'xyz'[c]}`).toBeCloseTo(position[c]!, 3));
  const half = (quarters * Math.PI) / 4;
  const { rotation: r } = at!;
  // q and −q turn alike
  const dot = Math.abs(r.y * Math.sin(half) + r.w * Math.cos(half));
  expect(dot, `${label}: rotation`).toBeCloseTo(1, 5);
}

describeBackends('root motion and modifiers', (backend) => {
  test('root motion carries characters along', async () => {
    const { device } = backend;
    const character = walker();
    const crowd = createCrowd(device, { characters: [character], capacity: 8, backend: backend.name });
    const group = crowd.spawn(character, {
      count: 3,
      place: (i, at) => {
        at.position.set(10 * i, 0, 0);
        if (i === 1) at.rotation.setYaw(Math.PI / 2);
        if (i === 1) at.scale = 2;
      },
    });
    const [a, b, c] = group.ids as [CharacterId, CharacterId, CharacterId];
    // half a second at a time: halves of the way have to add up to all of it; seen or not
    for (let i = 0; i < 2; i++) await updateAndWait(crowd, { dt: 0.5, ...(i === 0 ? {} : { views: [] }) });
    await expectAt(crowd, a, { position: [0, 0, 1], quarters: 1 }, 'a metre ahead');
    await expectAt(crowd, b, { position: [12, 0, 0], quarters: 2 }, 'twice as far, from a quarter on');
    await expectAt(crowd, c, { position: [20, 0, 1], quarters: 1 }, 'another');

    // what the host does to one leaves its neighbours where they have got to
    crowd.setTransform(b, (at) => {
      expect(at.position.x).toBe(10); // where the host last had it
      at.position.set(5, 1, 5);
      at.rotation.setYaw(0);
    });
    await updateAndWait(crowd, { dt: 1 });
    await expectAt(crowd, a, { position: [1, 0, 1], quarters: 2 }, 'the second quarter');
    await expectAt(crowd, b, { position: [5, 1, 7], quarters: 1 }, 'from where it was put');
    await expectAt(crowd, c, { position: [21, 0, 1], quarters: 2 }, 'another, the second quarter');

    // two and a half quarters in one step; a standing character stays; a new one begins where it was put
    crowd.playState(c, 'Stand');
    await updateAndWait(crowd, { dt: 2 });
    await expectAt(crowd, a, { position: [0, 0, 0], quarters: 4 }, 'a whole round');
    await expectAt(crowd, c, { position: [21, 0, 1], quarters: 2 }, 'standing');
    const [state] = await crowd.readControllers(a);
    state!.root.position.forEach((value) => expect(value).toBeCloseTo(0, 3));
    crowd.despawn(a);
    const d = crowd.spawn(character, { place: (_, at) => at.position.set(-3, 0, 0) }).id(0);
    await updateAndWait(crowd, { dt: 1 });
    await expectAt(crowd, d, { position: [-3, 0, 1], quarters: 1 }, 'in an old row');
    const [anew] = await crowd.readControllers(d);
    [0, 0, 1].forEach((value, i) => expect(anew!.root.position[i]).toBeCloseTo(value, 3));
    crowd.destroy();
  });

  // on the GPU it takes kernels that no other test has built: seconds on a software adapter
  test.runIf(backend.name === 'cpu' || full)('root motion is summed up where it moves no character', async () => {
    const { device } = backend;
    const character = walker();
    const reported = createCrowd(device, {
      characters: [character],
      capacity: 2,
      backend: backend.name,
      rootMotion: 'report',
    });
    const id = reported.spawn(character, { place: (_, at) => at.position.set(7, 0, 0) }).id(0);
    for (let i = 0; i < 6; i++) await updateAndWait(reported, { dt: 0.5 });
    await expectAt(reported, id, { position: [7, 0, 0], quarters: 0 }, 'reported');
    const { root } = (await reported.readControllers(id))[0]!;
    [1, 0, 0].forEach((value, i) => expect(root.position[i], 'summed up').toBeCloseTo(value, 3));
    expect(Math.abs(root.rotation[1]!), 'three quarters').toBeCloseTo(Math.sin((3 * Math.PI) / 4), 4);
    reported.destroy();
  });

  // worked out by hand: the head rests at 0, 1, 0, on a root that `idle` moves along X
  test('joints are set and turned', async () => {
    const { device } = backend;
    const character = addSockets(soldier(), 'all');
    const crowd = createCrowd(device, { characters: [character], capacity: 4, maxModifiers: 2, backend: backend.name });
    const { ids } = crowd.spawn(character, { count: 2 });
    const [id, other] = ids as [CharacterId, CharacterId];
    const head = async (): Promise<readonly number[]> => {
      await updateAndWait(crowd, { dt: 0 });
      return headOf(crowd, id);
    };
    await updateAndWait(crowd, { dt: 0.5 });
    expect(await head()).toEqual([0, 0.5, 1, 0]);
    crowd.modifyJoint(id, 'head', { rotation: QUARTER });
    expect(await head()).toEqual([90, 0.5, 1, 0]);
    // half way from no turn to a quarter; twice as long a quaternion is the same turn
    crowd.modifyJoint(id, 'head', { rotation: [0, 0, 2 * Math.SQRT1_2, 2 * Math.SQRT1_2], weight: 0.5 });
    expect(await head()).toEqual([45, 0.5, 1, 0]);
    crowd.modifyJoint(id, 'head', {
      mode: 'turn',
      rotation: QUARTER.map((c) => -c) as [number, number, number, number],
      weight: 0.5,
    });
    expect(await head()).toEqual([45, 0.5, 1, 0]);
    crowd.modifyJoint(id, 1, { translation: [0, 3, 1] });
    expect(await head()).toEqual([0, 0.5, 3, 1]);
    crowd.modifyJoint(id, 1, { translation: [0, 3, 1], weight: 0.5 });
    expect(await head()).toEqual([0, 0.5, 2, 0.5]);
    crowd.modifyJoint(id, 1, { mode: 'turn', translation: [0, 3, 1], weight: 0.5 });
    expect(await head()).toEqual([0, 0.5, 2.5, 0.5]);
    // the root's turn carries the head along
    crowd.modifyJoint(id, 'root', { rotation: QUARTER });
    expect(await head()).toEqual([90, 0.5 - 2.5, 0, 0.5]);
    expect(await headOf(crowd, other)).toEqual([0, 0.5, 1, 0]);
    crowd.modifyJoint(id, 'head', { weight: 0 });
    expect(await head()).toEqual([90, -0.5, 0, 0]);
    crowd.clearModifiers(id);
    expect(await head()).toEqual([0, 0.5, 1, 0]);

    // who comes into the row of one that was changed is not
    crowd.modifyJoint(id, 'root', { rotation: QUARTER });
    crowd.despawn(id);
    const next = crowd.spawn(character).id(0);
    await updateAndWait(crowd, { dt: 0 });
    expect(await headOf(crowd, next)).toEqual([0, 0, 1, 0]);
    for (const wrong of [
      () => crowd.modifyJoint(next, 'tail', {}),
      () => crowd.modifyJoint(next, 2, {}),
      () => crowd.modifyJoint(next, -1, {}),
      () => crowd.modifyJoint(next, 0, { weight: 2 }),
      () => crowd.modifyJoint(next, 0, { weight: NaN }),
      () => crowd.modifyJoint(next, 0, { rotation: [0, 0, 0, 0] }),
      () => crowd.modifyJoint(next, 0, { translation: [0, Infinity, 0] }),
      () => crowd.setMorph(next, 'smile', 1),
      () => crowd.lookAt(next, 'head', { target: [0, NaN, 0] }),
    ]) {
      expect(wrong).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    crowd.destroy();
  });

  test('all joints are set, and morph weights, up to the limit', async () => {
    const { device } = backend;
    const { model, character }: Actor = smallActor();
    const actor = { model, character };
    const crowd = createCrowd(device, {
      characters: [character],
      capacity: 4,
      maxModifiers: 10,
      backend: backend.name,
    });
    const { ids } = crowd.spawn(character, { count: 2 });
    const [id, other] = ids as [CharacterId, CharacterId];
    crowd.play(ids, 0);
    const random = new Random(3);
    const pose = restPose(model);
    model.joints.forEach((_, joint) => {
      const [rotation, translation] = [random.quaternion(3), random.vector(0.5)];
      crowd.modifyJoint(id, joint, { rotation, translation });
      pose.set([...translation, ...rotation], joint * POSE_STRIDE);
    });
    crowd.setMorph(id, 'morph 0', 0.75);
    crowd.setMorph(id, 'morph 1', -0.5);
    const weights = Float64Array.of(0.75, -0.5);
    const untouched = async () => {
      const fresh = createCrowd(device, { characters: [character], capacity: 1, backend: backend.name });
      const group = fresh.spawn(character);
      group.play(0);
      await updateAndWait(fresh, { dt: 0.25 });
      const vertices = await fresh.readVertices(group.id(0));
      fresh.destroy();
      return vertices;
    };
    await updateAndWait(crowd, { dt: 0.25 });
    const expected = new Float64Array(3 * character.vertexCount);
    for (const { nodeIndex, primitiveIndex, firstVertex } of character.primitives) {
      const mesh = model.meshes.find((m) => m.nodeIndex === nodeIndex && m.primitiveIndex === primitiveIndex)!;
      expected.set(evaluateVertices(model, mesh, composeJoints(model, pose), weights), 3 * firstVertex);
    }
    expect(farthest(actor, await crowd.readVertices(id), expected)).toBeLessThan(1e-5);
    const free = await untouched();
    expect(farthest(actor, await crowd.readVertices(other), free)).toBeLessThan(1e-6);

    // ten places: nine joints and a run of morph weights. One more is refused, and on all or none.
    const crowded = createCrowd(device, {
      characters: [character],
      capacity: 4,
      maxModifiers: 1,
      backend: backend.name,
    });
    const pair = crowded.spawn(character, { count: 2 });
    crowded.play(pair.ids, 0);
    crowded.modifyJoint(pair.id(1), 0, { rotation: [1, 0, 0, 0] });
    expect(() => crowded.modifyJoint(pair.ids, 1, { rotation: [1, 0, 0, 0] })).toThrow(coded('CROWD_LIMIT'));
    expect(() => crowded.setMorph(pair.ids, 'morph 0', 1)).toThrow(coded('CROWD_LIMIT'));
    expect(() => crowded.lookAt(pair.ids, 2, { target: [0, 0, 9] })).toThrow(coded('CROWD_LIMIT'));
    crowded.modifyJoint(pair.id(1), 3, { weight: 0 }); // nothing to end
    crowded.modifyJoint(pair.id(1), 0, { weight: 0 });
    await updateAndWait(crowded, { dt: 0.25 });
    for (const who of pair.ids) expect(farthest(actor, await crowded.readVertices(who), free)).toBeLessThan(1e-6);
    const none = createCrowd(device, { characters: [character], capacity: 1, backend: backend.name });
    expect(() => none.modifyJoint(none.spawn(character).id(0), 0, {})).toThrow(coded('CROWD_LIMIT'));
    none.clearModifiers([]);
    for (const each of [crowd, crowded, none]) each.destroy();
  });

  // the forward axis, as the pose has it, against the way to the target
  test('joints look at points', async () => {
    const { device } = backend;
    const random = new Random(21);
    const shape = { depth: 4, influences: 2, morphs: 0, clips: 1, vertices: 12, meshes: 1, keys: 3, joints: 6 };
    const plain = randomModel(random, { ...shape, scales: false, interpolations: ['LINEAR'] });
    // as exporters leave a file in centimetres
    const model: CharacterModel = {
      ...plain,
      joints: plain.joints.map((joint, j) =>
        j === 0
          ? { ...joint, scale: [0.1, 0.1, 0.1] }
          : { ...joint, translation: joint.translation.map((t) => 10 * t) as never },
      ),
    };
    const character = addSockets(packCharacter(model, { errorBudget: 0 }), 'all');
    const crowd = createCrowd(device, {
      characters: [character],
      capacity: 16,
      maxModifiers: 1,
      backend: backend.name,
    });
    const rest = composeJoints(model, restPose(model));
    const cases = Array.from({ length: 12 }, () => ({
      joint: random.integer(0, 5),
      target: random.vector(20) as Vector,
      forward: random.pick([[0, 0, 1], [1, 0, 0], random.vector(1)]) as Vector,
      position: random.vector(5) as Vector,
      rotation: random.quaternion(3),
      scale: random.range(0.5, 2),
    }));
    const { ids } = crowd.spawn(character, {
      count: cases.length,
      place: (i, at) => {
        at.position.set(...cases[i]!.position);
        at.rotation.set(...cases[i]!.rotation);
        at.scale = cases[i]!.scale;
      },
    });
    cases.forEach(({ joint, target, forward }, i) => crowd.lookAt(ids[i]!, joint, { target, forward, limit: Math.PI }));
    await updateAndWait(crowd, { dt: 0 });
    for (const [i, { joint, target, forward, position, rotation, scale }] of cases.entries()) {
      const now = await jointOf(crowd, ids[i]!, joint);
      const before = rest.subarray(12 * joint, 12 * joint + 12);
      // what stood at `forward` in model space at rest stands there now: now × before⁻¹ × forward, both scaled alike
      const size = Math.hypot(before[0]!, before[4]!, before[8]!) ** 2;
      const local = [0, 1, 2].map(
        (c) => (before[c]! * forward[0] + before[4 + c]! * forward[1] + before[8 + c]! * forward[2]) / size,
      );
      const gaze = [0, 1, 2].map(
        (r) => now[4 * r]! * local[0]! + now[4 * r + 1]! * local[1]! + now[4 * r + 2]! * local[2]!,
      );
      const away = turned(
        [-rotation[0], -rotation[1], -rotation[2], rotation[3]],
        [target[0] - position[0], target[1] - position[1], target[2] - position[2]],
      ).map((c, r) => c / scale - now[4 * r + 3]!);
      const cosine = gaze.reduce((sum, g, c) => sum + g * away[c]!, 0) / (Math.hypot(...gaze) * Math.hypot(...away));
      expect(Math.acos(Math.min(1, cosine)), `case ${i}`).toBeLessThan(1e-3);
    }
    // no further than the limit
    const target: Vector = [0, 0, -100];
    const [first] = ids as [CharacterId];
    crowd.setTransform(first, (at) => (at.rotation.setYaw(0), at.position.set(0, 0, 0)));
    crowd.clearModifiers(first);
    crowd.lookAt(first, 0, { target, limit: 0.5 });
    await updateAndWait(crowd, { dt: 0 });
    const now = await jointOf(crowd, first, 0);
    const trace = [0, 5, 10].reduce((sum, d) => sum + now[d]!, 0);
    const turn = [0, 1, 2].reduce(
      (sum, r) => sum + [0, 1, 2].reduce((row, c) => row + now[4 * r + c]! * rest[4 * r + c]!, 0),
      0,
    );
    expect(trace).toBeGreaterThan(-1);
    expect(Math.acos((100 * turn - 1) / 2)).toBeCloseTo(0.5, 3);
    crowd.destroy();
  });
});
