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

describe.skipIf(noGpu())(
  'place-sockets against its twin (joints and hidden ones exact, matrices of both frames 4e-6)',
  () => {
    const seeds = someSeeds(3, 24);
    test.each(seeds.flatMap((seed) => [true, false].map((isSeen): [number, boolean] => [seed, isSeen])))(
      'random crowds: seed %i, looked at: %s',
      async (seed, isSeen) => {
        const random = new Random(seed);
        const count = random.pick([random.integer(1, 128), random.integer(129, 300)]);
        const scene = socketScene(random, random.integer(1, 120), count);
        const { slots, visible, visibleCount, transforms, palettes, attachments, joints } = scene;
        const { previousTransforms, previousLocals, lastFrame } = scene.history;
        const { device } = await testDevice();
        const params = new View(FrameParams, 1);
        if (isSeen) params.assign(0, { visibleCount, lastFrame });
        const storage = (words: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>) =>
          uploadBuffer(device, words.slice(), GPUBufferUsage.STORAGE);
        const buffers = {
          params: uploadBuffer(device, params.words, GPUBufferUsage.UNIFORM),
          slots: storage(slots.words),
          visible: storage(visible.words),
          palettes: storage(palettes),
          transforms: storage(transforms.words),
          previousTransforms: storage(previousTransforms.words),
          sockets: storage(Uint32Array.from([...attachments.words, ...joints.words, ...previousLocals.words])),
          matrices: storage(new Float32Array(16 * count).fill(7)),
          previousMatrices: storage(new Float32Array(16 * count).fill(7)),
        };
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        encodeDispatch(pass, createPlaceSockets(device).bind(buffers)(count), 2);
        pass.end();
        device.queue.submit([encoder.finish()]);

        const [matrices, previousMatrices] = [new Float32Array(16 * count), new Float32Array(16 * count)];
        const seen = isSeen ? { slots, visible, visibleCount, palettes, lastFrame } : undefined;
        const columns = { attachments, joints, previousLocals, transforms, previousTransforms };
        placeSockets({ count, ...columns, seen, matrices, previousMatrices });
        const sockets = new Uint32Array(await readBuffer(device, buffers.sockets));
        const kept = sockets.subarray(attachments.words.length);
        expect(kept.subarray(0, joints.words.length), `seed ${seed}`).toEqual(joints.words);
        const locals = new Float32Array(kept.slice(joints.words.length).buffer);
        expect(locals.length).toBe(12 * count);
        locals.forEach((c, k) => expect(Math.abs(c - previousLocals.floats[k]!)).toBeLessThan(100 * EXACT));
        let [hidden, worst] = [0, 0];
        for (const [buffer, expected, places] of [
          [buffers.matrices, matrices, transforms],
          [buffers.previousMatrices, previousMatrices, previousTransforms],
        ] as const) {
          const actual = new Float32Array(await readBuffer(device, buffer));
          expect(actual.byteLength).toBe(count * MATRIX_BYTES);
          for (let i = 0; i < count; i++) {
            const [a, b] = [actual.subarray(16 * i, 16 * i + 16), expected.subarray(16 * i, 16 * i + 16)];
            const character = attachments.get(i, 'character');
            if (b.subarray(0, 15).every((c) => c === 0)) {
              hidden++;
              expect(a, `seed ${seed}, attachment ${i}`).toEqual(b);
              continue;
            }
            expect(character).not.toBe(ATTACHMENT_NONE);
            const scale = Math.abs(transforms.get(character, 'scale'));
            const ofPlaces = [transforms, places].flatMap((column) => column.get(character, 'position'));
            const size = Math.max(...ofPlaces.map(Math.abs), 100 * scale);
            a.forEach((c, k) => (worst = Math.max(worst, Math.abs(c - b[k]!) / size)));
          }
        }
        expect(worst, `seed ${seed}`).toBeLessThan(EXACT);
        if (count > 60) expect(hidden).toBeGreaterThan(0);
      },
    );
  },
);
