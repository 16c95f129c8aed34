// A living crowd goes from kernels to twins and back, beside one that stays where it is.
import { beforeAll, describe, expect, test } from 'vitest';
import { type CharacterEvent, type Crowd } from '../../src/index.ts';
import { recordInputs, replayInputs } from '../../src/state/index.ts';
import { nodeDevice } from '../../src/node/node-gpu.ts';
import { createForwardRenderer } from '../../src/render/forward/forward.ts';
import { coded } from '../support/crowd-truth.ts';
import { noGpu, readBuffer, testDevice } from '../support/gpu.ts';
import { full, testInTurn } from '../support/setup.ts';
import { pictureOf } from '../support/state-picture.ts';
import { fighter, follower, idsOf, mote, randomFrame, rover, skins, stateCrowd } from '../support/state-scene.ts';
import { clockDifference, placeOf } from './backend-switch-scene.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Those of whose runs no decision is so close that rounding could make it. */
const SEEDS = full ? [901, 902, 903, 904] : [901];
const FRAMES = full ? 60 : 24;
/** Frames between two switches. */
const EVERY = 4;
/** Metres, or cycles. */
const CLOSE = 1e-4;

function heardBy(crowd: Crowd): string[] {
  const heard: string[] = [];
  crowd.on('event', ({ frame, character, name, layer }: CharacterEvent) =>
    heard.push(`${frame} ${character} ${layer} ${name}`),
  );
  return heard;
}

/** Positions of all who are seen, now and in the frame before; then what is carried, and where everyone stands. */
async function placesOf(crowd: Crowd): Promise<Map<string, readonly number[]>> {
  const places = new Map<string, readonly number[]>();
  for (const copy of ['vertices', 'previousVertices'] as const) {
    for (const [id, [, words]] of await skins(crowd, copy)) {
      const floats = new Float32Array(Uint32Array.from(words).buffer);
      places.set(
        `${copy} of ${id}`,
        Array.from(floats).filter((_, k) => k % 4 < 3),
      );
    }
  }
  const carried = crowd.ids.flatMap((id) => crowd.attachmentsOf(id));
  (await crowd.readSockets(carried)).forEach((matrix, i) => places.set(`carried ${i}`, matrix ? [...matrix] : []));
  (await crowd.readTransforms(crowd.ids)).forEach(({ position: { x, y, z } }, i) =>
    places.set(`place of ${crowd.ids[i]}`, [x, y, z]),
  );
  return places;
}

/** Where everyone stood in the frame before, and what they carried was, as renderers read it. */
async function pastOf(device: GPUDevice, crowd: Crowd): Promise<Map<string, readonly number[]>> {
  const { previousTransforms } = internalsOf(crowd).host.backend.memory!.crowd;
  const stood = new Float32Array(await readBuffer(device, previousTransforms));
  const were = new Float32Array(await readBuffer(device, crowd.previousSocketMatrices!));
  const rows = crowd.ids.map((id) => internalsOf(crowd).host.ids.index(id));
  return new Map([
    ...rows.map((row) => [`past of row ${row}`, [...stood.subarray(8 * row, 8 * row + 8)]] as const),
    ['carried', [...were.subarray(0, 16 * internalsOf(crowd).host.sockets.used)]] as const,
  ]);
}

/** A step of a packed position, metres: kernel and twin may round to either side. The largest coordinate has 18 bits. */
function packedStep(values: readonly number[], at: number): number {
  const largest = Math.max(...values.slice(at, at + 3).map(Math.abs));
  return 2 ** (Math.floor(Math.log2(largest)) - 17);
}

function farthest(a: Map<string, readonly number[]>, b: Map<string, readonly number[]>): number {
  expect([...a.keys()]).toEqual([...b.keys()]);
  let worst = 0;
  for (const [key, values] of a) {
    const others = b.get(key)!;
    expect(values.length, key).toBe(others.length);
    // shares of what is far away
    values.forEach((value, k) => {
      const step = key.includes('ertices') ? packedStep(values, 3 * Math.floor(k / 3)) : 0;
      const apart = Math.max(0, Math.abs(value - others[k]!) - step) / Math.max(1, Math.abs(value) / 100);
      worst = Math.max(worst, apart);
    });
  }
  return worst;
}

// software adapters take their time
describe.skipIf(noGpu())('setBackend', { timeout: 300_000 }, () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  testInTurn(0).each(SEEDS)('changes nothing that a crowd does or shows: seed %i', async (seed) => {
    const [crowd, twin] = [stateCrowd(device), stateCrowd(device)];
    const log = recordInputs(crowd);
    const [heard, expected] = [heardBy(crowd), heardBy(twin)];
    for (const each of [crowd, twin]) {
      each.spawn(fighter, { count: 6, place: (i, at) => at.position.set(i, 0, 0) });
      each.spawn(rover, { count: 3 });
      each.spawn(mote, { count: 4, place: (i, at) => at.position.set(i, 0, 3) }).play(0);
      each.attach(idsOf(each, mote)[0]!, 2);
    }
    let [worst, clocks, switched, blending, moving] = [0, 0, 0, 0, 0];
    for (let i = 0; i < FRAMES; i++) {
      if (i % EVERY === EVERY - 1) {
        for (const each of [crowd, twin]) each.timeScale = 1;
        for (const each of [crowd, twin]) each.crossFade(idsOf(each, fighter), 'Walk', { duration: 0.5 });
        for (const each of [crowd, twin]) await updateAndWait(each, { dt: 0.05 });
        // one that nobody looks at: the past is that of the frame before it
        for (const each of [crowd, twin]) {
          for (const id of idsOf(each, mote)) each.setTransform(id, (at) => (at.position.x += 0.25));
          await updateAndWait(each, { dt: 0.05, ...(i % (2 * EVERY) < EVERY ? {} : { views: [] }) });
        }
        const matrices = crowd.socketMatrices;
        const before = await placesOf(crowd);
        await crowd.setBackend(internalsOf(crowd).host.backend.kind === 'gpu' ? 'cpu' : 'gpu');
        // until a frame comes all is as the last one left it
        expect(farthest(await placesOf(crowd), before)).toBe(0);
        expect(await crowd.readStats()).toEqual(await twin.readStats());
        expect(crowd.socketMatrices).toBe(matrices);
        for (const each of [crowd, twin]) await updateAndWait(each, { dt: 0.05 });
        worst = Math.max(worst, farthest(await pastOf(device, crowd), await pastOf(device, twin)));
        switched++;
      } else for (const each of [crowd, twin]) await randomFrame(each, 1000 * seed + i, i % 2 ? true : undefined);
      const ids = [fighter, follower, rover].flatMap((type) => idsOf(crowd, type));
      const [states, others] = await Promise.all([crowd, twin].map((each) => each.readControllers(ids)));
      expect(states!.map(placeOf)).toEqual(others!.map(placeOf));
      states!.forEach((state, k) => (clocks = Math.max(clocks, clockDifference(state, others![k]!))));
      if (i % EVERY === EVERY - 1) blending += states!.filter(({ layers }) => layers.some(({ next }) => next)).length;
      const [ours, theirs] = [await placesOf(crowd), await placesOf(twin)];
      worst = Math.max(worst, farthest(ours, theirs));
      for (const [key, now] of theirs) {
        const then = theirs.get(key.replace('vertices', 'previousVertices'))!;
        if (i % EVERY === EVERY - 1 && now.some((value, k) => Math.abs(value - then[k]!) > 1e-3)) moving++;
      }
    }
    for (const each of [crowd, twin]) for (let i = 0; i < 4; i++) await updateAndWait(each, { dt: 0 });
    console.log(`seed ${seed}: ${switched} switches, ${blending} in transitions, ${moving} with velocities`, {
      worst,
      clocks,
      events: heard.length,
    });
    expect(Math.min(switched, blending, moving)).toBeGreaterThan(3);
    expect(Math.max(worst, clocks)).toBeLessThan(CLOSE);
    expect(heard).toEqual(expected);
    expect([crowd.count, crowd.time, crowd.droppedEventCount]).toEqual([twin.count, twin.time, twin.droppedEventCount]);
    // logs hold what the host did, wherever its frames ran
    const again = stateCrowd(device);
    await replayInputs(again, log.since());
    expect(again.ids).toEqual(crowd.ids);
    expect(farthest(await placesOf(again), await placesOf(twin))).toBe(0);
    for (const each of [crowd, twin, again]) each.destroy();
  });

  test('loses no event in flight, and reports none twice', async () => {
    const [crowd, twin] = [true, false].map(() => stateCrowd(device, { characters: [rover] })) as [Crowd, Crowd];
    const [heard, expected] = [heardBy(crowd), heardBy(twin)];
    const frames: Promise<void>[] = [];
    for (const each of [crowd, twin]) each.spawn(rover, { count: 5 });
    for (let i = 0; i < 8; i++) {
      for (const each of [crowd, twin]) frames.push(updateAndWait(each, { dt: 0.3, views: [] }));
      if (i % 2) await crowd.setBackend(i % 4 === 1 ? 'cpu' : 'gpu');
    }
    await Promise.all(frames);
    for (const each of [crowd, twin]) for (let i = 0; i < 4; i++) await updateAndWait(each, { dt: 0, views: [] });
    expect(heard.length).toBeGreaterThan(5);
    expect(heard).toEqual(expected);
    for (const each of [crowd, twin]) each.destroy();
  });

  testInTurn(0)('leaves the picture of a renderer as it was', async () => {
    const crowd = stateCrowd(device, { characters: [mote], poseSharing: { belowPx: 20, phases: 4, minWeight: 0.6 } });
    crowd.spawn(mote, { count: 3, place: (i, at) => at.position.set(i - 1, 0, 0) }).play(0);
    const renderer = await createForwardRenderer(device, crowd, { shadowResolution: 256 });
    await updateAndWait(crowd, { dt: 0.3 });
    const before = await pictureOf(device, renderer);
    expect(new Set(before).size).toBeGreaterThan(20);
    for (const kind of ['cpu', 'gpu'] as const) {
      await crowd.setBackend(kind);
      expect(await pictureOf(device, renderer)).toEqual(before);
      await updateAndWait(crowd, { dt: 0 });
      expect(internalsOf(crowd).host.backend.kind).toBe(kind);
      const after = await pictureOf(device, renderer);
      const apart = after.reduce((most, value, k) => Math.max(most, Math.abs(value - before[k]!)), 0);
      expect(apart).toBeLessThanOrEqual(1);
    }
    // a frame has yet to come: it can be grown, read, switched again
    await crowd.setBackend('cpu');
    const id = crowd.ids[0]!;
    const vertices = await crowd.readVertices(id);
    const reads = [crowd.readVertices(id), crowd.setBackend('gpu'), crowd.readVertices(id)] as const;
    expect((await Promise.all(reads)).filter(Boolean)).toEqual([vertices, vertices]);
    const late = [crowd.readVertices(id), crowd.setBackend('cpu'), crowd.readVertices(id)] as const;
    expect((await Promise.all(late)).filter(Boolean)).toEqual([vertices, vertices]);
    crowd.grow(60);
    expect(await pictureOf(device, renderer)).toEqual(before);
    crowd.spawn(mote);
    await crowd.setBackend('gpu');
    await updateAndWait(crowd, { dt: 0 });
    expect((await crowd.readStats()).listed).toBe(4);
    [renderer, crowd].forEach((owned) => owned.destroy());
  });

  test('is refused where it cannot be done', async () => {
    const crowd = stateCrowd(device, { characters: [mote] });
    await crowd.setBackend('gpu');
    const encoder = device.createCommandEncoder();
    const frame = crowd.encode(encoder, { dt: 0.1 });
    await expect(crowd.setBackend('cpu')).rejects.toThrow(coded('CROWD_FRAME_OPEN'));
    device.queue.submit([encoder.finish()]);
    await frame.submitted();
    const switched = crowd.setBackend('cpu');
    await expect(updateAndWait(crowd, { dt: 0 })).rejects.toThrow(coded('CROWD_SWITCHING'));
    await expect(crowd.setBackend('gpu')).rejects.toThrow(coded('CROWD_SWITCHING'));
    expect(() => crowd.grow(100)).toThrow(coded('CROWD_SWITCHING'));
    const [early] = crowd.spawn(mote, { count: 30 }).ids;
    await switched;
    await updateAndWait(crowd, { dt: 0.1 });
    expect((await crowd.readVertices(early!)).length).toBeGreaterThan(0);
    const gone = crowd.setBackend('gpu');
    crowd.destroy();
    await expect(gone).rejects.toThrow(coded('CROWD_DESTROYED'));
    await expect(crowd.setBackend('gpu')).rejects.toThrow(coded('CROWD_DESTROYED'));
    const own = (await nodeDevice()).device;
    const lost = stateCrowd(own, { characters: [mote] });
    await updateAndWait(lost, { dt: 0 });
    const pending = lost.setBackend('cpu');
    own.destroy();
    await expect(pending).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    expect(internalsOf(lost).host.backend.kind).toBe('gpu');
    lost.destroy();
    const stranded = stateCrowd(own, { characters: [mote], backend: 'cpu' });
    await expect(stranded.setBackend('gpu')).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    await updateAndWait(stranded, { dt: 0, views: [] });
    expect(internalsOf(stranded).host.backend.kind).toBe('cpu');
    stranded.destroy();
    const without = stateCrowd(undefined, { characters: [mote] });
    await expect(without.setBackend('gpu')).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    await updateAndWait(without, { dt: 0 });
    expect(internalsOf(without).host.backend.kind).toBe('cpu');
  });
});
