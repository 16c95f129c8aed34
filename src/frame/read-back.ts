import { mapBuffer } from '../device/device-loss.ts';
import { fail } from '../errors.ts';

/** Copies ranges of buffers to the host, after all that has been submitted so far. @throws ManipleError DEVICE_LOST */
export async function readRanges(
  device: GPUDevice,
  ranges: readonly (readonly [buffer: GPUBuffer, byteOffset: number, byteLength: number])[],
): Promise<ArrayBuffer[]> {
  const encoder = device.createCommandEncoder({ label: 'read back' });
  const copies = ranges.map(([buffer, byteOffset, byteLength]) => {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const copy = device.createBuffer({ label: 'read back', size: Math.max(4, byteLength), usage });
    encoder.copyBufferToBuffer(buffer, byteOffset, copy, 0, byteLength);
    return copy;
  });
  device.queue.submit([encoder.finish()]);
  return Promise.all(
    copies.map(async (copy) => {
      if (!(await mapBuffer(device, copy, GPUMapMode.READ))) fail('INTERNAL', 'read back', 'its buffer is gone.');
      const bytes = copy.getMappedRange().slice(0);
      copy.destroy();
      return bytes;
    }),
  );
}
