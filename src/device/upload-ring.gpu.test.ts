import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice } from '../../test/support/gpu.ts';
import { UploadRing } from './upload-ring.ts';

const LARGE_BYTES = 3 << 20;

describe.skipIf(noGpu())('uploads', () => {
  test.each([0, 1, 2, 3])(
    'end with a ring that is destroyed %i microtasks after its buffer is mapped',
    async (microtasks) => {
      const { device } = await testDevice();
      const ring = new UploadRing(device);
      const target = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST });
      const encoder = device.createCommandEncoder();
      ring.write(encoder, target, 0, new Uint8Array(16));
      const recycle = ring.close();
      device.queue.submit([encoder.finish()]);
      const mapAsync = Object.getOwnPropertyDescriptor(GPUBuffer.prototype, 'mapAsync')!;
      const map = mapAsync.value as GPUBuffer['mapAsync'];
      let destroyed: Promise<void> | undefined;
      GPUBuffer.prototype.mapAsync = async function (this: GPUBuffer, ...given) {
        await map.apply(this, given);
        const destroy = async () => {
          for (let i = 0; i < microtasks; i++) await Promise.resolve();
          ring.destroy();
        };
        destroyed = destroy();
      };
      try {
        await expect(recycle()).resolves.toBeUndefined();
        await destroyed;
      } finally {
        Object.defineProperty(GPUBuffer.prototype, 'mapAsync', mapAsync);
      }
      target.destroy();
    },
  );

  test('of one large frame take memory only for a while', async () => {
    const { device } = await testDevice();
    const ring = new UploadRing(device);
    const target = device.createBuffer({ size: LARGE_BYTES, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    const upload = async (byteLength: number, value: number) => {
      const encoder = device.createCommandEncoder();
      ring.write(encoder, target, 0, new Uint8Array(byteLength).fill(value));
      ring.write(encoder, target, byteLength, Uint8Array.of(value, 0, 0, value));
      const recycle = ring.close();
      device.queue.submit([encoder.finish()]);
      await recycle();
    };
    await upload(16, 1);
    const least = ring.byteLength;
    await upload(LARGE_BYTES - 4, 2);
    expect(ring.byteLength).toBe(least + (4 << 20));
    expect(new Uint8Array(await readBuffer(device, target)).subarray(-5)).toEqual(Uint8Array.of(2, 2, 0, 0, 2));
    // as large again: recycled
    await upload(LARGE_BYTES - 4, 3);
    expect(ring.byteLength).toBe(least + (4 << 20));
    for (let frame = 0; frame < 62; frame++) await upload(16, 4);
    expect(ring.byteLength).toBe(least);
    const bytes = new Uint8Array(await readBuffer(device, target));
    expect([bytes[0], bytes[15], bytes[16], bytes[19], bytes[20]]).toEqual([4, 4, 4, 4, 3]);
    ring.destroy();
    target.destroy();
  });
});
