import { mapBuffer } from './device-loss.ts';
import { fail } from '../errors.ts';

/**
 * Reads ranges of buffers, after all commands submitted so far. Offsets and lengths are multiples of 4.
 * @throws ManipleError DEVICE_LOST
 */
export async function readRanges(
  device: GPUDevice,
  ranges: readonly (readonly [buffer: GPUBuffer, byteOffset: number, byteLength: number])[],
): Promise<ArrayBuffer[]> {
  const size = ranges.reduce((sum, [, , byteLength]) => sum + byteLength, 0);
  const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
  const copy = device.createBuffer({ label: 'read back', size: Math.max(4, size), usage });
  const encoder = device.createCommandEncoder({ label: 'read back' });
  let end = 0;
  for (const [buffer, byteOffset, byteLength] of ranges) {
    encoder.copyBufferToBuffer(buffer, byteOffset, copy, end, byteLength);
    end += byteLength;
  }
  device.queue.submit([encoder.finish()]);
  if (!(await mapBuffer(device, copy, GPUMapMode.READ))) fail('INTERNAL', 'read back', 'The buffer is gone.');
  const mapped = copy.getMappedRange();
  let begin = 0;
  const bytes = ranges.map(([, , byteLength]) => mapped.slice(begin, (begin += byteLength)));
  copy.destroy();
  return bytes;
}

/**
 * Returns the bytes of a buffer with usage MAP_READ, once the commands that write it are done.
 * @returns undefined when the buffer was destroyed meanwhile
 * @throws ManipleError DEVICE_LOST
 */
export async function readMapped(device: GPUDevice, buffer: GPUBuffer): Promise<ArrayBuffer | undefined> {
  if (!(await mapBuffer(device, buffer, GPUMapMode.READ))) return undefined;
  if (buffer.mapState !== 'mapped') return undefined; // destroyed since then
  const bytes = buffer.getMappedRange().slice(0);
  buffer.unmap();
  return bytes;
}
