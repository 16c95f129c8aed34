// Motion vectors where a character has no history, in both renderers, on both backends, wherever it is skinned.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter, type Character } from '../../src/character/index.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { createCrowd } from '../support/create-crowd.ts';
import type { CharacterId } from '../../src/index.ts';
import { clipFromWorld, type Camera } from '../../src/render/camera.ts';
import { createForwardRenderer } from '../../src/render/forward/forward.ts';
import { createReadableTarget, createIdTarget, createVelocityTarget } from '../../src/render/target.ts';
import { createVisibilityRenderer } from '../../src/render/visibility/visibility.ts';
import { noCore, noGpu, readBuffer, testDevice } from '../support/gpu.ts';
import { soldierModel } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const SIZE = { width: 192, height: 108 };
const DT = 1 / 20;
/** Pixels: what stands still, and what moves by a twentieth of its own size. */
const [STILL, MOVES] = [0.02, 0.3];
const BOUNDS = { min: [-5, 0, -5], max: [5, 2, 5] } as const;

/** Where characters stand, x of the first row; none is in the way of another. */
const NAMES = ['walker', 'leader', 'follower', 'guest', 'hidden', 'heir', 'moved'] as const;
type Name = (typeof NAMES)[number];
const xOf = (name: Name) => 1.3 * (NAMES.indexOf(name) - 3);

const CASES = [
  { backend: 'gpu', skin: 'compute' },
  { backend: 'gpu', skin: 'vertex' },
  { backend: 'cpu', skin: 'compute' },
] as const;

describe.skipIf(noGpu()).each(CASES)('history on $backend, skinned in $skin', ({ backend, skin }) => {
  let device: GPUDevice;
  let soldier: Character;
  let crowd: Crowd;
  const ids = new Map<Name, CharacterId>();
  const renderers: { render: Awaited<ReturnType<typeof createForwardRenderer>>['render']; destroy(): void }[] = [];
  const destroyed: { destroy(): void }[] = [];
  let origin = [0, 0, 0];

  beforeAll(async () => {
    ({ device } = await testDevice());
    // its first clip carries all of it along X, 1 m/s
    soldier = addSockets(packCharacter(soldierModel(), { errorBudget: 0 }), [1]);
    crowd = createCrowd(device, { characters: [soldier], capacity: 16, backend, skin });
    for (const name of NAMES) spawn(name, name === 'hidden' ? 60 : 0);
    put('leader', -50);
    crowd.setPoseSource(ids.get('follower')!, ids.get('leader')!);
    crowd.setPoseSource(ids.get('guest')!, ids.get('walker')!);
    const options = { shadowResolution: 16, cascadeCount: 1 };
    renderers.push(await createForwardRenderer(device, crowd, { ...options, sampleCount: 1 }));
    if (skin === 'compute' && !noCore()) renderers.push(await createVisibilityRenderer(device, crowd, options));
    destroyed.push(...renderers, crowd);
  }, 120_000);
  afterAll(() => destroyed.forEach((owned) => owned.destroy()));

  function spawn(name: Name, z: number): void {
    const id = crowd.spawn(soldier, { place: (_, at) => at.position.set(xOf(name), 0, z) }).id(0);
    crowd.play(id, 0);
    ids.set(name, id);
  }

  function put(name: Name, z: number, how: 'setTransform' | 'teleport' = 'setTransform', x = xOf(name)): void {
    crowd[how](ids.get(name)!, (at) => at.position.set(x, 0, z));
  }

  const camera = (): Camera => {
    const seen = ([x, y, z]: readonly [number, number, number]) =>
      [x - origin[0]!, y - origin[1]!, z - origin[2]!] as const;
    return { eye: seen([0, 3, 12]), target: seen([0, 0, 0]), fovY: 0.6 };
  };

  const step = (seen = true) =>
    updateAndWait(crowd, {
      dt: DT,
      views: seen ? [{ clipFromWorld: clipFromWorld(camera(), SIZE.width / SIZE.height), height: SIZE.height }] : [],
    });

  /** The longest motion vector that each renderer shows of each character, in pixels. */
  async function motions(): Promise<Map<Name, number>[]> {
    const found = [];
    for (const renderer of renderers) {
      const picture = createReadableTarget(device, SIZE.width, SIZE.height);
      const [ids, velocity] = [createIdTarget, createVelocityTarget].map((create) =>
        create(device, SIZE.width, SIZE.height),
      ) as [ReturnType<typeof createIdTarget>, ReturnType<typeof createVelocityTarget>];
      const encoder = device.createCommandEncoder();
      const targets = { target: picture.view, ids: ids.view, velocity: velocity.view };
      const drawn = renderer.render(encoder, { camera: camera(), bounds: BOUNDS, ...targets, ...SIZE });
      device.queue.submit([encoder.finish()]);
      await drawn.submitted();
      found.push(longest(await ids.read(), await velocity.read()));
      for (const target of [picture, ids, velocity]) target.destroy();
    }
    return found;
  }

  function longest(shown: Uint32Array, vectors: Float32Array): Map<Name, number> {
    const names = new Map(Array.from(ids, ([name, id]) => [1 + (id % 2 ** 24), name]));
    const found = new Map<Name, number>();
    for (let pixel = 0; pixel < SIZE.width * SIZE.height; pixel++) {
      const name = names.get(shown[2 * pixel]!);
      if (!name) continue;
      const length = Math.hypot(vectors[2 * pixel]!, vectors[2 * pixel + 1]!);
      found.set(name, Math.max(found.get(name) ?? 0, length));
    }
    return found;
  }

  /** All that are shown, in the order of `NAMES`, as 'still', 'moves' or pixels where it is neither. */
  const told = (found: Map<Name, number>) =>
    NAMES.map((name) => {
      const length = found.get(name);
      if (length === undefined) return 'absent';
      return length < STILL ? 'still' : length > MOVES && length < 4 ? 'moves' : length;
    });
  const all = (what: string) => NAMES.map(() => what);

  test('only what goes on has motion', { timeout: 120_000 }, async () => {
    await step();
    await motions();
    await step();
    const before = ['moves', 'absent', 'moves', 'moves', 'absent', 'moves', 'moves'];
    // the leader is in view, too far off to move by much
    for (const found of await motions()) expect(told(found).with(1, 'absent')).toEqual(before);

    // 50 m nearer; its follower, which stays, goes on
    put('leader', 0, 'teleport');
    put('guest', 2, 'teleport');
    put('hidden', 0, 'teleport');
    crowd.despawn(ids.get('heir')!);
    const row = ids.get('heir')! % 2 ** 24;
    spawn('heir', 0);
    expect(ids.get('heir')! % 2 ** 24).toBe(row);
    // one who is placed has come all the way
    put('moved', 0, 'setTransform', xOf('moved') + 0.1);
    await step();
    for (const found of await motions()) {
      expect(told(found)).toEqual(['moves', 'still', 'moves', 'still', 'still', 'still', 'moves']);
    }

    await step();
    for (const found of await motions()) expect(told(found)).toEqual(all('moves'));

    // while the origin moves
    origin = [...crowd.moveOrigin([500, 0, -500])];
    put('leader', -1, 'teleport');
    await step();
    for (const found of await motions()) expect(told(found)).toEqual(all('moves').with(1, 'still'));

    // in a frame without views, and the next one
    await step();
    put('leader', 1, 'teleport');
    await step(false);
    put('walker', -1, 'teleport');
    put('moved', 0, 'setTransform', xOf('moved') + 0.3);
    await step();
    for (const found of await motions()) expect(told(found)).toEqual(all('still').with(6, 'moves'));

    // where all slots are given anew
    crowd.grow(32);
    put('leader', 0, 'teleport');
    put('moved', 0, 'setTransform', xOf('moved') + 0.2);
    await step();
    for (const found of await motions()) expect(told(found)).toEqual(all('still').with(6, 'moves'));
  });

  test('attached things have the motion of their carriers', async () => {
    const names = ['walker', 'leader', 'follower', 'moved'] as const;
    const carried = names.map((name) =>
      crowd.attach(ids.get(name)!, 1, { whenCulled: name === 'moved' ? 'hide' : 'keep' }),
    );
    /** Metres that each has moved. */
    const moves = async () => {
      const [now, previous] = await Promise.all(
        [crowd.socketMatrices!, crowd.previousSocketMatrices!].map(
          async (buffer) => new Float32Array(await readBuffer(device, buffer)),
        ),
      );
      return carried.map(({ index }) => {
        const at = (matrices: Float32Array | undefined) => matrices!.subarray(16 * index + 12, 16 * index + 15);
        return Math.hypot(...at(now).map((c, axis) => c - at(previous)[axis]!));
      });
    };
    const expectMoves = async (expected: readonly number[]) =>
      (await moves()).forEach((length, i) => expect(length, names[i]).toBeCloseTo(expected[i]!, 3));

    await step();
    await expectMoves([0, 0, 0, 0]); // just attached
    await step();
    await expectMoves([DT, DT, DT, DT]);
    put('leader', -45, 'teleport');
    put('walker', -1.2);
    await step();
    await expectMoves([Math.hypot(DT, 0.2), 0, DT, DT]);
    // it is posed no more where it is not seen; when it comes back, only its place has moved
    put('moved', 70);
    await step();
    put('moved', 0);
    await step();
    await expectMoves([DT, DT, DT, 70]);
    put('moved', 70);
    await step();
    put('moved', 0, 'teleport');
    await step();
    await expectMoves([DT, DT, DT, 0]);
    crowd.moveOrigin([0, 0, 0]);
    origin = [...crowd.origin];
    await step();
    await expectMoves([DT, DT, DT, DT]);
    // its row is another one's
    carried[0]!.detach();
    carried[0] = crowd.attach(ids.get('walker')!, 1);
    carried[1]!.detach();
    carried[1] = crowd.attach(ids.get('leader')!, 1);
    put('leader', 0);
    await step();
    await expectMoves([0, 0, DT, DT]);
  });
});
