// The crowd as its users drive it, on the GPU: what its twins do on the CPU, and what only a device can get wrong.
import { beforeAll, describe, expect, test } from 'vitest';
import { NOTHING_DROPPED } from '../../src/frame/tables/cull-results.ts';
import { addSockets, type CharacterId, type Crowd, type CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { createForwardRenderer, createReadableTarget } from '../../src/render/index.ts';
import { coded, farthest, largeActor, offPose, smallActor, trueJoints, trueVertices } from '../support/crowd-truth.ts';
import { noCore, noGpu, readBuffer, testDevice } from '../support/gpu.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { slotBytes } from '../support/slot-bytes.ts';

/** Shares of a character's size. */
const METRIC = 1e-5;

const small = smallActor();
const large = largeActor();

describe.skipIf(noGpu())('a crowd on the GPU', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  function newCrowd(options: Partial<CrowdOptions> = {}): Crowd {
    return createCrowd(device, { characters: [small.character, large.character], capacity: 32, ...options });
  }

  /** Both copies of a character's vertices, as this frame's and last frame's positions. */
  async function readSlot(crowd: Crowd, id: CharacterId): Promise<{ current: number[]; previous: number[] }> {
    const { vertices, previousVertices } = (await internalsOf(crowd).host.backend.read(id % 2 ** 24))!;
    const positions = (words: Uint32Array<ArrayBuffer>) =>
      Array.from(new Float32Array(words.buffer).filter((_, i) => i % 4 !== 3)); // the fourth word is the normal
    return { current: positions(vertices), previous: positions(previousVertices) };
  }

  /** Pages that the last frame skinned. */
  function pageCount(crowd: Crowd): number {
    return 1 + Math.max(...internalsOf(crowd).host.backend.memory!.draws.map(({ pageIndex }) => pageIndex));
  }

  test('shows what the CPU backend shows: spawns, fades, motions, parts, despawns and pages', async () => {
    const run = async (crowd: Crowd) => {
      const groups = [crowd.spawn(small.character, { count: 2 }), crowd.spawn(large.character, { count: 3 })];
      groups[0]!.play(0);
      groups[1]!.setClips((i) => [
        { clip: 0, phase: i / 3, weight: 0.6 },
        { clip: 1, speed: -1, weight: 0.4 },
      ]);
      await updateAndWait(crowd, { dt: 0.1 });
      groups.push(crowd.spawn(small.character, { count: 16 })); // does not fit the pages that there are
      groups[0]!.play(1, { fade: 0.3 });
      groups[1]!.play(2, { time: 0.1 }, [1]);
      crowd.despawn(groups[1]!.id(0));
      groups[2]!.hideParts('node 1', [0]);
      await updateAndWait(crowd, { dt: 0.1 });
      groups.push(crowd.spawn(large.character, { count: 2 }));
      groups[3]!.play(0, { fade: 0.1 });
      for (const dt of [0.05, 0, 0.25]) await updateAndWait(crowd, { dt });
      expect(pageCount(crowd)).toBeGreaterThan(1);
      const ids = groups.flatMap((group) => group.ids).filter((id) => crowd.isAlive(id));
      return Promise.all(ids.map((id) => crowd.readVertices(id)));
    };
    const [gpu, cpu] = [newCrowd(), newCrowd({ backend: 'cpu' })];
    expect(gpu.timings.size).toBe(0); // measures from now on
    const [actual, expected] = [await run(gpu), await run(cpu)];
    expect(actual).toHaveLength(22);
    for (const [i, vertices] of actual.entries()) {
      expect(farthest(large, vertices, expected[i]!), `${i}`).toBeLessThan(METRIC);
    }
    if (device.features.has('timestamp-query')) {
      const last = noCore() ? 'keep-palettes' : 'skin-vertices';
      expect([...gpu.timings.keys()]).toEqual(['cull-characters', 'gather-motions', 'pose-joints', last]);
    }
    gpu.destroy();
    cpu.destroy();
  });

  test('agrees with the evaluator, joints and vertices, for types of different size in one frame', async () => {
    const [few, many] = [addSockets(small.character, 'all'), addSockets(large.character, ['joint 30'])];
    const crowd = newCrowd({ characters: [few, many] });
    const motions = [
      { clip: 0, time: 0.2, weight: 0.5 },
      { clip: 1, time: 0.4, weight: 0.3 },
    ];
    const groups = [few, many].map((character) => crowd.spawn(character, { count: 3 }));
    for (const group of groups) {
      group.setClips((i) => motions.map((motion) => ({ ...motion, time: motion.time + 0.1 * i, speed: 0 })));
    }
    await updateAndWait(crowd, { dt: 0.5 });
    for (const [g, actor] of [small, large].entries()) {
      for (const [i, id] of groups[g]!.ids.entries()) {
        const at = motions.map((motion) => ({ ...motion, time: motion.time + 0.1 * i }));
        expect(await offPose(crowd, actor, id, ...at)).toBeLessThan(METRIC);
        const { jointIndices, modelFromJoint } = await crowd.readPose(id);
        const truth = trueJoints(actor.model, at);
        for (const [s, joint] of jointIndices.entries()) {
          modelFromJoint[s]!.forEach((value, c) => expect(value).toBeCloseTo(truth[12 * joint + c]!, 4));
        }
      }
    }
    crowd.destroy();
  });

  test('records into an encoder of the caller, which may submit it later', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character, { count: 2 });
    const id = group.id(1);
    const still = (time: number) => ({ time, speed: 0 });
    group.play(0, still(0.1));
    const first = device.createCommandEncoder();
    const firstFrame = crowd.encode(first, { dt: 0.1 });
    group.play(1, still(0.2)); // after the first was recorded, before it is submitted
    const second = device.createCommandEncoder();
    const secondFrame = crowd.encode(second, { dt: 0.1 });
    group.play(2, still(0.3));
    const thirdFrame = crowd.encode(second, { dt: 0.1 });

    device.queue.submit([first.finish()]);
    await firstFrame.submitted();
    expect(await offPose(crowd, small, id, { clip: 0, time: 0.1 })).toBeLessThan(METRIC);
    device.queue.submit([second.finish()]);
    await Promise.all([secondFrame.submitted(), thirdFrame.submitted()]);
    expect(await offPose(crowd, small, id, { clip: 2, time: 0.3 })).toBeLessThan(METRIC);
    const { previous } = await readSlot(crowd, id);
    expect(farthest(small, previous, trueVertices(small, [{ clip: 1, time: 0.2 }]))).toBeLessThan(METRIC);
    expect([crowd.frame, crowd.time.toFixed(6)]).toEqual([3, '0.300000']);
    crowd.destroy();
  });

  test('refuses to record nowhere, and has then done nothing', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character);
    expect(() => crowd.encode(undefined, { dt: 0.1 })).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect([crowd.frame, crowd.time]).toEqual([0, 0]);
    await updateAndWait(crowd, { dt: 0 });
    expect(await offPose(crowd, small, group.id(0))).toBeLessThan(METRIC);
    crowd.destroy();
  });

  test('gives the same bytes for the same inputs', async () => {
    const run = async () => {
      const crowd = newCrowd();
      const groups = [small, large].map(({ character }) => crowd.spawn(character, { count: 3 }));
      groups.forEach((group, g) =>
        group.setClips((i) => [
          { clip: g, phase: i / 3 },
          { clip: 2, weight: 0.3 },
        ]),
      );
      await updateAndWait(crowd, { dt: 0.3 });
      groups[1]!.play(2, { fade: 0.4 });
      for (const dt of [0.1, 0.017]) await updateAndWait(crowd, { dt });
      const ids = groups.flatMap((group) => group.ids);
      const bytes = await Promise.all(ids.map(async (id) => Buffer.from((await crowd.readVertices(id)).buffer)));
      crowd.destroy();
      return bytes.map((buffer) => buffer.toString('hex'));
    };
    expect(await run()).toEqual(await run());
  });

  describe.each(['gpu', 'cpu'] as const)('skinned slots, %s backend', (backend) => {
    const at = (time: number) => trueVertices(small, [{ clip: 0, time }]);

    test('keep last frame’s positions, except of characters that were just spawned', async () => {
      const crowd = newCrowd({ backend });
      const early = crowd.spawn(small.character, { count: 2 });
      early.play(0);
      await updateAndWait(crowd, { dt: 0.1 });
      let slot = await readSlot(crowd, early.id(1));
      expect(slot.previous).toEqual(slot.current); // it had no last frame
      const late = crowd.spawn(small.character);
      late.play(0);
      for (const time of [0.2, 0.3, 0.4]) {
        await updateAndWait(crowd, { dt: 0.1 });
        slot = await readSlot(crowd, early.id(1));
        expect(farthest(small, slot.current, at(time)), `now ${time}`).toBeLessThan(METRIC);
        expect(farthest(small, slot.previous, at(time - 0.1)), `before ${time}`).toBeLessThan(METRIC);
        slot = await readSlot(crowd, late.id(0));
        expect(farthest(small, slot.previous, at(Math.max(0.1, time - 0.2)))).toBeLessThan(METRIC);
      }
      crowd.despawn(early.id(1));
      const heir = crowd.spawn(small.character);
      await updateAndWait(crowd, { dt: 0.1 });
      slot = await readSlot(crowd, heir.id(0)); // in the same slot, without its past
      expect(farthest(small, slot.current, trueVertices(small))).toBeLessThan(METRIC);
      expect(slot.previous).toEqual(slot.current);
      crowd.destroy();
    });

    // Velocity is current − previous: parts that were not skinned last frame must not fly in from where they once were.
    test('let parts appear where they are', async () => {
      const crowd = newCrowd({ backend });
      const group = crowd.spawn(small.character);
      const { parts } = small.character;
      group.play(0);
      for (let frame = 0; frame < 2; frame++) await updateAndWait(crowd, { dt: 0.05 });
      for (const part of parts) group.hideParts(part);
      for (let frame = 0; frame < 8; frame++) await updateAndWait(crowd, { dt: 0.05 });
      for (const part of parts) group.showParts(part);
      await updateAndWait(crowd, { dt: 0.05 });
      const { current, previous } = await readSlot(crowd, group.id(0));
      expect(farthest(small, current, at(0.55))).toBeLessThan(METRIC);
      const frame = farthest(small, at(0.55), at(0.5)); // what it moves in a frame
      expect(farthest(small, previous, current)).toBeLessThan(1.01 * frame);
      crowd.destroy();
    });

    test('show parts that the pose source hides', async () => {
      const crowd = newCrowd({ backend });
      const group = crowd.spawn(small.character, { count: 2 });
      group.play(0);
      for (const part of small.character.parts) group.hideParts(part, [0]);
      await updateAndWait(crowd, { dt: 0.05 });
      crowd.setPoseSource(group.id(1), group.id(0));
      for (const time of [0.1, 0.15]) {
        await updateAndWait(crowd, { dt: 0.05 });
        expect(farthest(small, await crowd.readVertices(group.id(1)), at(time))).toBeLessThan(METRIC);
      }
      crowd.destroy();
    });
  });

  test('uploads transforms as callbacks leave them', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character, { count: 3, place: (i, at) => at.position.set(i, 0, 0) });
    await updateAndWait(crowd, { dt: 0 });
    crowd.setTransform(group.id(1), (at) => {
      at.position.y = 5;
      at.rotation.setYaw(Math.PI);
      at.scale = 2;
    });
    await updateAndWait(crowd, { dt: 0 });
    const rows = new Float32Array(
      await readBuffer(device, internalsOf(crowd).host.backend.memory!.crowd.transforms, 0, 96),
    );
    const rounded = Array.from(rows, (value) => Math.round(value * 1e6) / 1e6);
    expect(rounded.slice(0, 8)).toEqual([0, 0, 0, 1, 0, 0, 0, 1]);
    expect(rounded.slice(8, 16)).toEqual([1, 5, 0, 2, 0, 1, 0, 0]);
    expect(rounded.slice(16, 24)).toEqual([2, 0, 0, 1, 0, 0, 0, 1]);
    crowd.destroy();
  });

  test('draws shown parts only', async () => {
    const crowd = newCrowd({ characters: [small.character] });
    const group = crowd.spawn(small.character);
    const renderer = await createForwardRenderer(device, crowd, { sampleCount: 1, shadowResolution: 64 });
    const picture = createReadableTarget(device, 64, 64);
    const draw = async () => {
      await updateAndWait(crowd, { dt: 0 });
      const encoder = device.createCommandEncoder();
      const camera = { eye: [0, 1, 5], target: [0, 0, 0] } as const;
      const drawn = renderer.render(encoder, {
        camera,
        bounds: { min: [-2, -2, -2], max: [2, 2, 2] },
        target: picture.view,
        width: 64,
        height: 64,
      });
      device.queue.submit([encoder.finish()]);
      await drawn.submitted();
      return (await picture.read()).data;
    };
    const differing = (a: Uint8Array, b: Uint8Array) => a.reduce((sum, code, i) => sum + (code === b[i] ? 0 : 1), 0);
    const whole = await draw();
    group.hideParts('node 1');
    const less = await draw();
    for (const part of small.character.parts) group.hideParts(part);
    const nothing = await draw();
    crowd.despawn(group.ids);
    const nobody = await draw();
    group.crowd.spawn(small.character);
    expect(differing(await draw(), whole)).toBe(0);
    expect(differing(less, whole)).toBeGreaterThan(50);
    expect(differing(less, nothing)).toBeGreaterThan(50);
    expect(differing(nothing, nobody)).toBeLessThan(differing(less, nobody) / 4); // a trace of contact may stay
    renderer.destroy();
    picture.destroy();
    crowd.destroy();
  });

  describe('memory', () => {
    /** Buffers that the work created and nobody destroyed. */
    async function leftBy(work: () => Promise<void>): Promise<string[]> {
      const living = new Set<GPUBuffer>();
      const create = device.createBuffer.bind(device);
      device.createBuffer = (descriptor) => {
        const buffer = create(descriptor);
        living.add(buffer);
        const destroy = buffer.destroy.bind(buffer);
        buffer.destroy = () => {
          living.delete(buffer);
          return destroy();
        };
        return buffer;
      };
      try {
        await work();
      } finally {
        Reflect.deleteProperty(device, 'createBuffer'); // its prototype's shows again
      }
      return Array.from(living, ({ label }) => label);
    }

    test('is all given back by destroy()', async () => {
      const left = await leftBy(async () => {
        const crowd = newCrowd();
        for (const counts of [
          [1, 17, 9],
          [1, 3, 9],
        ]) {
          // all pages go when nobody is left, and others come
          const groups = counts.map((count) => crowd.spawn(small.character, { count }));
          groups.forEach((group) => group.play(0));
          await updateAndWait(crowd, { dt: 0.1 });
          groups.forEach((group) => group.despawn());
          await updateAndWait(crowd, { dt: 0.1 });
        }
        crowd.spawn(small.character, { count: 3 });
        await updateAndWait(crowd, { dt: 0.1 });
        await crowd.readVertices(crowd.spawn(large.character).id(0)).catch(() => undefined);
        void updateAndWait(crowd, { dt: 0.1 }).catch(() => undefined); // under way when the crowd goes
        crowd.destroy();
        crowd.destroy();
        await device.queue.onSubmittedWorkDone();
      });
      expect(left).toEqual([]);
    });

    test('does not grow from frame to frame', async () => {
      const crowd = newCrowd();
      const group = crowd.spawn(small.character, { count: 4 });
      for (let frame = 0; frame < 4; frame++) await updateAndWait(crowd, { dt: 0.01 });
      await device.queue.onSubmittedWorkDone();
      const { byteLength } = crowd;
      const left = await leftBy(async () => {
        for (let frame = 0; frame < 12; frame++) {
          group.setTransform((i, at) => at.position.set(frame, 0, i));
          group.play(frame % 3, { fade: 0.05 });
          group[frame % 2 ? 'showParts' : 'hideParts']('node 1');
          await updateAndWait(crowd, { dt: 0.01 });
          await device.queue.onSubmittedWorkDone();
        }
      });
      expect(left.length).toBeLessThan(3); // an upload buffer or two, while others are in flight
      expect(crowd.byteLength).toBe(byteLength);
      crowd.destroy();
    });

    test('that a device cannot bind is refused, and no buffer is left', async () => {
      const left = await leftBy(async () => {
        expect(() => newCrowd({ capacity: 2 ** 20, maxClips: 64 })).toThrow(coded('DEVICE_LIMIT')); // 2 GiB of players
      });
      expect(left).toEqual([]);
    });

    test('that spawns request and do not get leaves no trace on its owners', async () => {
      const crowd = newCrowd({
        skin: 'compute',
        maxVertexBytes: 4 * slotBytes([small.character, large.character], 80),
      });
      expect(() => crowd.spawn(large.character, { count: 33 })).toThrow(coded('CROWD_FULL')); // of its capacity
      const group = crowd.spawn(small.character, { count: 5 });
      group.setClips((i) => [{ clip: 0, time: 0.1 * i, speed: 0 }]);
      await updateAndWait(crowd, { dt: 0 });
      expect(await crowd.readStats()).toEqual({
        listed: 4,
        posed: 4,
        unposed: 0,
        undrawn: 1,
        ...NOTHING_DROPPED,
        dropped: 0,
      });
      for (const [i, id] of group.ids.slice(0, 4).entries()) {
        expect(await offPose(crowd, small, id, { clip: 0, time: 0.1 * i })).toBeLessThan(METRIC);
      }
      await expect(crowd.readVertices(group.id(4))).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
      crowd.destroy();
    });
  });

  test('answers with coded errors when it is destroyed, and never with broken calls to the device', async () => {
    const crowd = newCrowd();
    const id = crowd.spawn(small.character).id(0);
    await updateAndWait(crowd, { dt: 0 });
    crowd.destroy();
    await expect(updateAndWait(crowd, { dt: 0 })).rejects.toThrow(coded('CROWD_DESTROYED'));
    await expect(crowd.readPose(id)).rejects.toThrow(coded('CROWD_DESTROYED'));
    await expect(crowd.readVertices(id)).rejects.toThrow(coded('CROWD_DESTROYED'));
  });

  test('wants a frame before a newcomer in an old place is read', async () => {
    const crowd = newCrowd({ capacity: 3 });
    const group = crowd.spawn(small.character, { count: 3 });
    await updateAndWait(crowd, { dt: 0 });
    await updateAndWait(crowd, { dt: 0 });
    crowd.despawn([group.id(0), group.id(1)]);
    const [first, second] = crowd.spawn(small.character, { count: 2 }).ids as [CharacterId, CharacterId];
    for (const id of [first, second]) await expect(crowd.readVertices(id)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    await updateAndWait(crowd, { dt: 0 });
    for (const id of [first, second]) expect(await offPose(crowd, small, id)).toBeLessThan(METRIC);
    crowd.destroy();
  });
});
