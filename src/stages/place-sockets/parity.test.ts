import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { socketScene } from '../../../test/support/socket-scene.ts';
import { View } from '../../layout/index.ts';
import { encodeDispatch } from '../kernel.ts';
import { FrameParams } from '../layout.ts';
import { ATTACHMENT_NONE, MATRIX_BYTES } from './layout.ts';
import { placeSockets } from './reference.ts';
import { createPlaceSockets } from './stage.ts';

/** Shares of the largest number that goes into a matrix. */
const EXACT = 4e-6;

describe.skipIf(noGpu())('place-sockets against its twin (joints and hidden ones exact, matrices 4e-6)', () => {
  const seeds = someSeeds(3, 24);
  test.each(seeds.flatMap((seed) => [true, false].map((isSeen): [number, boolean] => [seed, isSeen])))(
    'random crowds: seed %i, looked at: %s',
    async (seed, isSeen) => {
      const random = new Random(seed);
      const count = random.pick([random.integer(1, 128), random.integer(129, 300)]);
      const scene = socketScene(random, random.integer(1, 120), count);
      const { slots, visible, visibleCount, transforms, palettes, attachments, joints } = scene;
      const { device } = await testDevice();
      const params = new View(FrameParams, 1);
      params.assign(0, { visibleCount: isSeen ? visibleCount : 0 });
      const storage = (words: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>) =>
        uploadBuffer(device, words.slice(), GPUBufferUsage.STORAGE);
      const buffers = {
        params: uploadBuffer(device, params.words, GPUBufferUsage.UNIFORM),
        slots: storage(slots.words),
        visible: storage(visible.words),
        palettes: storage(palettes),
        transforms: storage(transforms.words),
        sockets: storage(Uint32Array.from([...attachments.words, ...joints.words])),
        matrices: storage(new Float32Array(16 * count).fill(7)),
      };
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      encodeDispatch(pass, createPlaceSockets(device).bind(buffers)(count), 2);
      pass.end();
      device.queue.submit([encoder.finish()]);

      const matrices = new Float32Array(16 * count);
      const seen = isSeen ? { slots, visible, visibleCount, palettes } : undefined;
      placeSockets({ count, attachments, joints, transforms, seen, matrices });
      const actual = new Float32Array(await readBuffer(device, buffers.matrices));
      const sockets = new Uint32Array(await readBuffer(device, buffers.sockets));
      expect(sockets.subarray(attachments.words.length), `seed ${seed}`).toEqual(joints.words);
      expect(actual.byteLength).toBe(count * MATRIX_BYTES);
      let [hidden, worst] = [0, 0];
      for (let i = 0; i < count; i++) {
        const [a, b] = [actual.subarray(16 * i, 16 * i + 16), matrices.subarray(16 * i, 16 * i + 16)];
        const character = attachments.get(i, 'character');
        if (b.subarray(0, 15).every((c) => c === 0)) {
          hidden++;
          expect(a, `seed ${seed}, attachment ${i}`).toEqual(b);
          continue;
        }
        expect(character).not.toBe(ATTACHMENT_NONE);
        const scale = Math.abs(transforms.get(character, 'scale'));
        const size = Math.max(...transforms.get(character, 'position').map(Math.abs), 100 * scale);
        a.forEach((c, k) => (worst = Math.max(worst, Math.abs(c - b[k]!) / size)));
      }
      expect(worst, `seed ${seed}`).toBeLessThan(EXACT);
      if (count > 60) expect(hidden).toBeGreaterThan(0);
    },
  );
});
