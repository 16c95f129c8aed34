import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { View } from '../../layout/index.ts';
import { encodeDispatch } from '../kernel.ts';
import { Transform } from '../layout.ts';
import { GroundParams } from './layout.ts';
import { groundCharacters } from './reference.ts';
import { createGroundCharacters } from './stage.ts';

/** Cells off a line of the field within which either side may be right. */
const NEAR = 1e-4;

describe.skipIf(noGpu())('ground-characters against its twin (heights 2e-5 of their range, rotations 1e-5)', () => {
  test.each(someSeeds(4, 40))('random fields: seed %i', async (seed) => {
    const random = new Random(seed);
    const [columns, rows, characterCount] = [random.integer(2, 20), random.integer(2, 20), 400];
    const params = new View(GroundParams, 1);
    const spacing = [random.range(0.5, 4), random.range(0.5, 4)];
    const origin = random.vector(30);
    params.assign(0, { origin, lean: random.pick([0, 1, 0.4]), spacing, columns, rows, characterCount });
    const relief = random.pick([0, 1, 10]);
    const heights = Float32Array.from({ length: columns * rows }, () => random.range(-relief, relief));
    const grounded = Uint32Array.from({ length: 16 }, () => random.integer(0, 0xffffffff));
    const transforms = new View(Transform, characterCount);
    for (let i = 0; i < characterCount; i++) {
      const [x, z] = [random.range(-0.2, columns - 0.8), random.range(-0.2, rows - 0.8)];
      // some just at a corner
      const place = random.chance(0.1) ? [Math.round(x), Math.round(z)] : [x, z];
      transforms.assign(i, {
        position: [origin[0] + spacing[0]! * place[0]!, random.range(-9, 9), origin[2] + spacing[1]! * place[1]!],
        rotation: random.chance(0.1) ? [0, 1, 0, 0] : random.quaternion(Math.PI),
        scale: random.range(0.5, 2),
      });
    }
    const { device } = await testDevice();
    const storage = (words: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>) =>
      uploadBuffer(device, words.slice(), GPUBufferUsage.STORAGE);
    const buffers = {
      params: uploadBuffer(device, params.words, GPUBufferUsage.UNIFORM),
      heights: storage(heights),
      grounded: storage(grounded),
      transforms: storage(transforms.words),
    };
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeDispatch(pass, createGroundCharacters(device).bind(buffers)(characterCount), 2);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const before = new View(Transform, transforms.words.slice().buffer);
    groundCharacters({ params, heights, grounded, transforms });
    const actual = new View(Transform, await readBuffer(device, buffers.transforms));
    let [unclear, moved] = [0, 0];
    for (let i = 0; i < characterCount; i++) {
      const label = `seed ${seed}, character ${i}`;
      const [p, q] = [actual.get(i, 'position'), transforms.get(i, 'position')];
      const field = params.get(0, 'origin');
      const cells = [0, 2].map((axis, k) => (p[axis]! - field[axis]!) / params.get(0, 'spacing')[k]!);
      if (cells.some((cell) => Math.abs(cell - Math.round(cell)) < NEAR)) {
        unclear++;
        continue;
      }
      if (p[1] !== before.get(i, 'position')[1]) moved++;
      expect([p[0], p[2], actual.get(i, 'scale')], label).toEqual([q[0], q[2], transforms.get(i, 'scale')]);
      expect(Math.abs(p[1]! - q[1]!), label).toBeLessThan(2e-5 * (1 + relief + Math.abs(origin[1])));
      const [a, b] = [actual.get(i, 'rotation'), transforms.get(i, 'rotation')];
      const dot = a.reduce((sum, c, k) => sum + c * b[k]!, 0);
      expect(Math.hypot(...a.map((c, k) => c - Math.sign(dot) * b[k]!)), label).toBeLessThan(1e-5);
    }
    expect(unclear).toBeLessThan(characterCount / 5);
    expect(moved).toBeGreaterThan(characterCount / 5);
  });
});
