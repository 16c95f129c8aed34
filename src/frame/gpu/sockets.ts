import type { Dispatch } from '../../stages/kernel.ts';
import { FrameParams } from '../../stages/layout.ts';
import { Attachment, MATRIX_BYTES, PreviousLocal, SocketJoint } from '../../stages/place-sockets/layout.ts';
import { createPlaceSockets, type PlaceSockets } from '../../stages/place-sockets/stage.ts';
import type { SocketInputs } from '../backend.ts';
import {
  type CrowdMemory,
  createMatrices,
  createSockets,
  createUniform,
  type SocketBuffers,
} from '../tables/memory.ts';
import type { UploadRing } from '../../device/upload-ring.ts';

type Bound = ReturnType<PlaceSockets['bind']>;

/** Attachments on the GPU. The buffers grow with the number of attachments and keep their content. */
export class GpuSockets {
  readonly #device: GPUDevice;
  readonly #crowd: CrowdMemory;
  readonly #uploads: UploadRing;
  readonly #stage: PlaceSockets;
  /** Parameters of a frame without views: its visible list is empty. */
  readonly #noParams: GPUBuffer;
  #bound: { readonly palettes: GPUBuffer; readonly seen: Bound; readonly unseen: Bound } | undefined;

  constructor(
    device: GPUDevice,
    crowd: CrowdMemory,
    uploads: UploadRing,
    /** At first those of the object that this one replaces. */
    public buffers: SocketBuffers = createSocketBuffers(device, 0),
  ) {
    this.#device = device;
    this.#crowd = crowd;
    this.#uploads = uploads;
    this.#stage = createPlaceSockets(device);
    this.#noParams = createUniform(device, 'no params', FrameParams);
  }

  /** Location of the joints, and their number. */
  get joints(): { readonly buffer: GPUBuffer; readonly byteOffset: number; readonly count: number } {
    const { sockets, capacity } = this.buffers;
    return { buffer: sockets, byteOffset: capacity * Attachment.size, count: capacity };
  }

  get byteLength(): number {
    return buffersOf(this.buffers).reduce((sum, { size }) => sum + size, this.#noParams.size);
  }

  /**
   * Grows the buffers to the CPU-side capacity and copies their content. Returns the old buffers, which are not needed once
   * the encoder's commands have run.
   */
  grow(encoder: GPUCommandEncoder, { attachments }: SocketInputs): GPUBuffer[] {
    const { buffers: old } = this;
    const [before, capacity] = [old.capacity, attachments.view.count];
    if (capacity === before) return [];
    this.buffers = createSocketBuffers(this.#device, capacity);
    this.#bound = undefined;
    if (before > 0) {
      let first = 0;
      for (const size of [Attachment.size, SocketJoint.size, PreviousLocal.size]) {
        encoder.copyBufferToBuffer(old.sockets, before * first, this.buffers.sockets, capacity * first, before * size);
        first += size;
      }
      encoder.copyBufferToBuffer(old.matrices, 0, this.buffers.matrices, 0, before * MATRIX_BYTES);
    }
    return buffersOf(old);
  }

  /** Uploads a frame's inputs. Returns the dispatches of the stage. */
  encode(
    encoder: GPUCommandEncoder,
    { count, attachments, joints }: SocketInputs,
    palettes: GPUBuffer,
    isSeen: boolean,
  ): Dispatch[] {
    const { capacity, ...buffers } = this.buffers;
    for (const { byteOffset, bytes } of attachments.takeChanges()) {
      this.#uploads.write(encoder, buffers.sockets, byteOffset, bytes);
    }
    for (const { byteOffset, bytes } of joints.takeChanges()) {
      this.#uploads.write(encoder, buffers.sockets, capacity * Attachment.size + byteOffset, bytes);
    }
    if (count === 0) return [];
    if (this.#bound?.palettes !== palettes) {
      const memory = { ...this.#crowd, palettes, ...buffers };
      const unseen = this.#stage.bind({ ...memory, params: this.#noParams });
      this.#bound = { palettes, seen: this.#stage.bind(memory), unseen };
    }
    const { seen, unseen } = this.#bound;
    return [(isSeen ? seen : unseen)(count)];
  }

  /** Frees everything except `buffers`, which now have another owner. */
  leave(): void {
    this.#noParams.destroy();
  }

  destroy(): void {
    for (const buffer of buffersOf(this.buffers)) buffer.destroy();
    this.leave();
  }
}

function buffersOf({ sockets, matrices, previousMatrices }: SocketBuffers): GPUBuffer[] {
  return [sockets, matrices, previousMatrices];
}

function createSocketBuffers(device: GPUDevice, capacity: number): SocketBuffers {
  const [matrices, previousMatrices] = [createMatrices(device, capacity), createMatrices(device, capacity)];
  return { capacity, sockets: createSockets(device, capacity), matrices, previousMatrices };
}
