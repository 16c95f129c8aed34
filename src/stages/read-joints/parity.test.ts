import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { socketScene } from '../../../test/support/socket-scene.ts';
import { View } from '../../layout/index.ts';
import { encodeDispatch, type Dispatch } from '../kernel.ts';
import { FrameParams } from '../layout.ts';
import { JOINT_KEPT, JOINT_POSED, JOINT_UNSEEN, JointAnswer } from './layout.ts';
import { readJoints } from './reference.ts';
import { createReadJoints } from './stage.ts';

function run(device: GPUDevice, dispatch: Dispatch, dimensionLimit?: number): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  encodeDispatch(pass, dispatch, dimensionLimit);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

describe.skipIf(noGpu())('read-joints against its twin (exact)', () => {
  test.each(someSeeds(3, 24))('joints of random crowds: seed %i', async (seed) => {
    const random = new Random(seed);
    const count = random.integer(130, 300);
    const { slots, visible, visibleCount, palettes, asked } = socketScene(random, 90, count);
    const { device } = await testDevice();
    const params = new View(FrameParams, 1);
    params.assign(0, { visibleCount });
    const storage = (words: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>) =>
      uploadBuffer(device, words.slice(), GPUBufferUsage.STORAGE);
    const answers = new View(JointAnswer, count);
    const buffers = {
      params: uploadBuffer(device, params.words, GPUBufferUsage.UNIFORM),
      slots: storage(slots.words),
      visible: storage(visible.words),
      palettes: storage(palettes),
      asked: storage(asked.words),
      answers: storage(answers.words.slice().fill(0xabababab)),
    };
    run(device, createReadJoints(device).joints(buffers, count), 2);
    readJoints({ rows: { slots, visible, visibleCount }, palettes, asked, answers });
    expect(new Uint32Array(await readBuffer(device, buffers.answers)), `seed ${seed}`).toEqual(answers.words);
    const met = new Set(Array.from({ length: count }, (_, i) => answers.get(i, 'status')));
    expect(met).toEqual(new Set([JOINT_UNSEEN, JOINT_KEPT, JOINT_POSED]));
  });

  test.each([1, 2, 4])('%i rows for each that is asked for', async (rows) => {
    const random = new Random(rows);
    const { device } = await testDevice();
    const source = Uint32Array.from({ length: 4 * rows * 50 }, (_, i) => 1000 + i);
    const indices = Array.from({ length: 140 }, () => random.integer(0, 49));
    const buffers = {
      asked: uploadBuffer(device, Uint32Array.from(indices), GPUBufferUsage.STORAGE),
      source: uploadBuffer(device, source, GPUBufferUsage.STORAGE),
      answers: uploadBuffer(device, new Uint32Array(4 * rows * 140), GPUBufferUsage.STORAGE),
    };
    run(device, createReadJoints(device).rows(buffers, 140, rows), 2);
    const expected = indices.flatMap((index) => [...source.subarray(4 * rows * index, 4 * rows * (index + 1))]);
    expect([...new Uint32Array(await readBuffer(device, buffers.answers))]).toEqual(expected);
  });
});
