import { tallyWordsPerBin } from '../stages/cull-characters/stage.ts';
import type { BackendLimits } from './backend.ts';
import { SLOT_PAGE_VERTICES } from './cull-inputs.ts';
import { pageLimitOf } from './cull-tables.ts';
import { vertexBytes } from './gpu-memory.ts';
import { socketLimitOf } from './gpu-sockets.ts';
import type { CrowdShape } from './shape.ts';

/** Limits of a crowd on a device, the same on either backend, so that it can change to the other. */
export function deviceLimits(device: GPUDevice, shape: CrowdShape): BackendLimits {
  const { limits } = device;
  const { tables, capacity } = shape;
  return {
    bindingBytes: Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize),
    socketLimit: socketLimitOf(device),
    pageVertices: pageVertices(limits, vertexBytes(shape)),
    pageCount: pageLimitOf(tables.types, countableBins(limits, capacity)),
  };
}

/** Vertices that one buffer, and one binding of all of it, can hold: renderers of others may bind whole buffers alone. */
function pageVertices(
  { maxStorageBufferBindingSize, maxBufferSize }: GPUSupportedLimits,
  bytesPerVertex: number,
): number {
  const bytes = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  return Math.min(Math.floor((bytes - 4096) / bytesPerVertex), SLOT_PAGE_VERTICES);
}

/** Runs of the visible list that one binding can count. */
function countableBins({ maxStorageBufferBindingSize, maxBufferSize }: GPUSupportedLimits, capacity: number): number {
  return Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / (4 * tallyWordsPerBin(capacity)));
}
