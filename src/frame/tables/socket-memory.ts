import { MATRIX_BYTES, SOCKET_BYTES } from '../../stages/place-sockets/layout.ts';
import { createBuffer } from './memory.ts';

/** Creates a buffer of matrices for `capacity` attachments. Instanced draws may bind it. */
export function createMatrices(device: GPUDevice, capacity: number): GPUBuffer {
  const { STORAGE, VERTEX, COPY_DST, COPY_SRC } = GPUBufferUsage;
  return createBuffer(device, 'socket matrices', STORAGE | VERTEX | COPY_DST | COPY_SRC, capacity * MATRIX_BYTES);
}

/** Maximum number of attachments, so that a device can bind their buffers. */
export function socketLimitOf({ limits }: GPUDevice): number {
  return Math.floor(Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize) / SOCKET_BYTES);
}

/** Buffers of attachments. */
export interface SocketBuffers {
  readonly capacity: number;
  /** All attachments, then all joints, then all previous transforms relative to the character. */
  readonly sockets: GPUBuffer;
  readonly matrices: GPUBuffer;
  readonly previousMatrices: GPUBuffer;
}

/** Creates the buffer of attachments, joints and previous transforms. */
export function createSockets(device: GPUDevice, capacity: number): GPUBuffer {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  return createBuffer(device, 'sockets', usage, capacity * SOCKET_BYTES);
}
