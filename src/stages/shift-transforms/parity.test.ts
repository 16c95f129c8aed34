import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { View } from '../../layout/index.ts';
import { encodeDispatch } from '../kernel.ts';
import { Transform } from '../layout.ts';
import { ShiftParams } from './layout.ts';
import { shiftTransforms } from './reference.ts';
import { createShiftTransforms } from './stage.ts';

describe.skipIf(noGpu())('shift-transforms against its twin (exact)', () => {
  test.each(someSeeds(3, 24))('random places and moves: seed %i', async (seed) => {
    const random = new Random(seed);
    const count = 300;
    const columns = [0, 1].map(() => {
      const view = new View(Transform, count + 20);
      for (let i = 0; i < view.count; i++) {
        view.assign(i, {
          position: random.vector(random.pick([1, 1000, 1e6])),
          rotation: random.quaternion(3),
          scale: 1,
        });
      }
      return view;
    });
    const moves = Array.from({ length: random.integer(1, 16) }, () =>
      random.vector(random.pick([1, 1000, 1e7])).map(Math.fround),
    );
    const params = new View(ShiftParams, 1);
    params.assign(0, { moveCount: moves.length, characterCount: count });
    moves.forEach((move, m) => params.floats.set(move, 4 * m));
    const { device } = await testDevice();
    const storage = (view: (typeof columns)[number]) =>
      uploadBuffer(device, view.words.slice(), GPUBufferUsage.STORAGE);
    const buffers = {
      params: uploadBuffer(device, params.words, GPUBufferUsage.UNIFORM),
      transforms: storage(columns[0]!),
      previousTransforms: storage(columns[1]!),
    };
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeDispatch(pass, createShiftTransforms(device).bind(buffers)(count), 2);
    pass.end();
    device.queue.submit([encoder.finish()]);
    for (const [view, buffer] of [
      [columns[0]!, buffers.transforms],
      [columns[1]!, buffers.previousTransforms],
    ] as const) {
      shiftTransforms(view, count, moves);
      expect(new Uint32Array(await readBuffer(device, buffer)), `seed ${seed}`).toEqual(view.words);
    }
  });
});
