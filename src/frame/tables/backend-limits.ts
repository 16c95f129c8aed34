import { tallyWordsPerBin } from '../../stages/cull-characters/stage.ts';
import { SLOT_PAGE_SHIFT, SLOT_UNIT } from '../../stages/layout.ts';
import type { BackendLimits } from '../backend.ts';
import { pageLimitOf } from './cull-tables.ts';
import { vertexBytes } from './memory.ts';
import { socketLimitOf } from './socket-memory.ts';
import type { CrowdLayout } from './crowd-layout.ts';

/** Vertices of one page that a slot's word can address. */
const SLOT_PAGE_VERTICES = SLOT_UNIT * (2 ** SLOT_PAGE_SHIFT - 1);
/** Maximum bytes of skinned vertices in a page without a device. Only the size of an array limits them. */
const HOST_PAGE_BYTES = 2 ** 31;

/** Limits without a device. */
export function hostLimits(shape: CrowdLayout): BackendLimits {
  const pageVertices = Math.min(Math.floor(HOST_PAGE_BYTES / vertexBytes(shape)), SLOT_PAGE_VERTICES);
  return { pageVertices, pageCount: pageLimitOf(shape.tables.types), bindingBytes: 2 ** 31, socketLimit: 2 ** 24 };
}

/** Limits of a crowd on a device. They are the same for both backends, so that a crowd can change backends. */
export function deviceLimits(device: GPUDevice, shape: CrowdLayout): BackendLimits {
  const { limits } = device;
  const { tables, capacity } = shape;
  return {
    bindingBytes: Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize),
    socketLimit: socketLimitOf(device),
    pageVertices: pageVertices(limits, vertexBytes(shape)),
    pageCount: pageLimitOf(tables.types, countableBins(limits, capacity)),
  };
}

/** Vertices that one binding of a whole buffer can hold. Renderers outside Maniple may be able to bind only whole buffers. */
function pageVertices(
  { maxStorageBufferBindingSize, maxBufferSize }: GPUSupportedLimits,
  bytesPerVertex: number,
): number {
  const bytes = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  return Math.min(Math.floor((bytes - 4096) / bytesPerVertex), SLOT_PAGE_VERTICES);
}

/** Maximum runs of the visible list, so that their tally fits one binding. */
function countableBins({ maxStorageBufferBindingSize, maxBufferSize }: GPUSupportedLimits, capacity: number): number {
  return Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / (4 * tallyWordsPerBin(capacity)));
}
