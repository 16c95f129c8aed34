// Named columns in GPU memory: what shaders read of them, whatever becomes of the crowd.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { readSnapshot } from '../../src/state/read-snapshot.ts';
import { Column, Word } from '../../src/frame/tables/column.ts';
import { ColumnMemory } from '../../src/frame/tables/column-memory.ts';
import { COLUMNS_HEAD } from '../../src/frame/tables/named-columns.ts';
import { coded } from '../support/crowd-truth.ts';
import { noGpu, readBuffer, testDevice } from '../support/gpu.ts';
import { namedRows } from '../support/state-scene.ts';
import { soldierModel } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { saveSnapshot } from '../../src/state/index.ts';

const soldier = packCharacter(soldierModel());
const HEAT = { size: 3, default: [1, 2, 3] } as const;

/** What the host holds, as shaders should read it once a frame has taken it. */
function hosted(crowd: Crowd): Record<string, readonly number[]> {
  const { host } = internalsOf(crowd);
  const { ids } = crowd;
  const rows = host.named.list.flatMap(({ name, size, words }) =>
    ids.map((id) => {
      const first = host.ids.index(id) * size;
      return [`${name} ${id}`, [...words.view.floats.subarray(first, first + size)]] as const;
    }),
  );
  return Object.fromEntries(rows);
}

describe.skipIf(noGpu())('named columns on the GPU', () => {
  let device: GPUDevice;
  const crowds: Crowd[] = [];
  const create = (options = {}): Crowd => {
    const crowd = createCrowd(device, { characters: [soldier], capacity: 300, ...options });
    crowds.push(crowd);
    return crowd;
  };
  beforeAll(async () => {
    ({ device } = await testDevice());
  });
  afterAll(() => crowds.forEach((crowd) => crowd.destroy()));

  test('are what the host has written before a frame, and no later', async () => {
    const crowd = create();
    expect(internalsOf(crowd).host.backend.columns.buffer).toBeUndefined();
    const before = crowd.byteLength;
    const army = crowd.spawn(soldier, { count: 250 });
    const [heat, age] = [army.column('heat', HEAT), army.column('age', {})];
    expect(crowd.byteLength - before).toBeGreaterThanOrEqual(4 * (COLUMNS_HEAD + 300 * 4));
    expect(await namedRows(crowd)).toEqual(hosted(crowd)); // the defaults, before any frame
    heat.set(249, [7, 8, 9]);
    age.values.forEach((_, i) => (age.values[i] = i));
    age.changed(3, 200);
    const encoder = device.createCommandEncoder();
    const frame = crowd.encode(encoder, { dt: 0, views: [] });
    const then = hosted(crowd);
    heat.set(3, [4, 4, 4]);
    device.queue.submit([encoder.finish()]);
    await frame.submitted();
    expect(await namedRows(crowd)).toEqual(then);
    army.despawn([3, 249]);
    crowd.spawn(soldier, { count: 2 });
    await updateAndWait(crowd, { dt: 0, views: [] });
    expect(await namedRows(crowd)).toEqual(hosted(crowd));
  });

  test('stay what they are where a crowd grows, changes its backend, or is restored', async () => {
    const crowd = create();
    const army = crowd.spawn(soldier, { count: 5 });
    const heat = army.column('heat', HEAT);
    heat.set(1, [9, 9, 9]);
    await updateAndWait(crowd, { dt: 0 });
    crowd.grow(700);
    heat.set(2, [6, 6, 6]);
    crowd.spawn(soldier, { count: 400 });
    crowd.column('age', { default: 5 });
    await updateAndWait(crowd, { dt: 0 });
    expect(await namedRows(crowd)).toEqual(hosted(crowd));
    for (const kind of ['cpu', 'gpu'] as const) {
      await crowd.setBackend(kind);
      heat.set(3, [0, 0, kind === 'cpu' ? 1 : 2]);
      await updateAndWait(crowd, { dt: 0, views: [] });
      expect(await namedRows(crowd)).toEqual(hosted(crowd));
      const { buffer } = internalsOf(crowd).host.backend.columns;
      const floats = new Float32Array(await readBuffer(device, buffer!));
      expect(floats[0]).toBe(700);
      expect([...floats.subarray(COLUMNS_HEAD + 9, COLUMNS_HEAD + 12)]).toEqual(heat.get(3));
    }
    const restored = create({ capacity: 500, from: readSnapshot((await saveSnapshot(crowd)).bytes) });
    expect(await namedRows(restored)).toEqual(hosted(crowd));
  });

  test('of the frame before are kept', async () => {
    const crowd = create({ copies: 3 });
    const heat = crowd.spawn(soldier, { count: 4 }).column('heat', HEAT);
    await updateAndWait(crowd, { dt: 0 });
    heat.fill(Float32Array.of(5, 5, 5));
    await updateAndWait(crowd, { dt: 0 });
    const { kept, columns } = internalsOf(crowd).host.backend;
    const first = async (buffer: GPUBuffer) => new Float32Array(await readBuffer(device, buffer))[COLUMNS_HEAD];
    expect([await first(kept!.memory.columns!), await first(columns.buffer!)]).toEqual([1, 5]);
  });

  test('are refused beyond what the device binds, with those before in place', () => {
    const limits = { maxBufferSize: 4096, maxStorageBufferBindingSize: 4096 } as GPUSupportedLimits;
    const small = {
      limits,
      createBuffer: device.createBuffer.bind(device),
      queue: device.queue,
    } as unknown as GPUDevice;
    const memory = new ColumnMemory(small, 'gpu');
    const column = (rowCount: number) => ({ name: 'a', size: 4, initial: [], words: new Column(Word, rowCount * 4) });
    memory.replace([column(100)]);
    const { buffer } = memory;
    expect(() => memory.replace([column(100), column(100), column(100)])).toThrow(coded('DEVICE_LIMIT'));
    expect(() => memory.expectRoom(300)).toThrow(coded('DEVICE_LIMIT'));
    expect(memory.buffer).toBe(buffer);
    memory.destroy();
  });
});
