import type { Dispatch } from '../../stages/kernel.ts';
import { FrameParams } from '../../stages/layout.ts';
import { Attachment, MATRIX_BYTES, PreviousLocal, SocketJoint } from '../../stages/place-sockets/layout.ts';
import { createPlaceSockets, type PlaceSockets } from '../../stages/place-sockets/stage.ts';
import type { SocketInputs } from '../backend.ts';
import { createBuffer, type CrowdMemory } from '../tables/memory.ts';
import { createMatrices, createSockets, type SocketBuffers } from '../tables/socket-memory.ts';
import type { UploadRing } from '../../device/upload-ring.ts';

type Bound = ReturnType<PlaceSockets['bind']>;

/** Attachments on the GPU. The buffers grow with the number of attachments and keep their content. */
export class GpuSockets {
  readonly #device: GPUDevice;
  readonly #crowd: CrowdMemory;
  readonly #uploads: UploadRing;
  readonly #stage: PlaceSockets;
  #capacity: number;
  #sockets: GPUBuffer;
  #matrices: GPUBuffer;
  #previousMatrices: GPUBuffer;
  /** Parameters of a frame without views: its visible list is empty. */
  readonly #noParams: GPUBuffer;
  #bound: { readonly palettes: GPUBuffer; readonly seen: Bound; readonly unseen: Bound } | undefined;

  /** @param before Buffers of the object that this one replaces. */
  constructor(device: GPUDevice, crowd: CrowdMemory, uploads: UploadRing, before?: SocketBuffers) {
    this.#device = device;
    this.#crowd = crowd;
    this.#uploads = uploads;
    this.#stage = createPlaceSockets(device);
    this.#capacity = before?.capacity ?? 0;
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_SRC;
    this.#noParams = createBuffer(device, 'no params', usage, FrameParams.size);
    [this.#sockets, this.#matrices, this.#previousMatrices] = before
      ? [before.sockets, before.matrices, before.previousMatrices]
      : this.#create(0);
  }

  get matrices(): GPUBuffer {
    return this.#matrices;
  }

  /** Matrices of the previous frame. */
  get previousMatrices(): GPUBuffer {
    return this.#previousMatrices;
  }

  /** Buffers for the object that replaces this one. */
  get buffers(): SocketBuffers {
    const [sockets, matrices, previousMatrices] = [this.#sockets, this.#matrices, this.#previousMatrices];
    return { capacity: this.#capacity, sockets, matrices, previousMatrices };
  }

  /** Location of the joints, and their number. */
  get joints(): { readonly buffer: GPUBuffer; readonly byteOffset: number; readonly count: number } {
    return { buffer: this.#sockets, byteOffset: this.#capacity * Attachment.size, count: this.#capacity };
  }

  get byteLength(): number {
    const all = [this.#sockets, this.#matrices, this.#previousMatrices, this.#noParams];
    return all.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Grows the buffers to the CPU-side capacity and copies their content. Returns the old buffers, which are not needed once
   * the encoder's commands have run.
   */
  grow(encoder: GPUCommandEncoder, { attachments }: SocketInputs): GPUBuffer[] {
    const [before, capacity] = [this.#capacity, attachments.view.count];
    if (capacity === before) return [];
    const old = [this.#sockets, this.#matrices, this.#previousMatrices] as const;
    [this.#sockets, this.#matrices, this.#previousMatrices] = this.#create(capacity);
    this.#capacity = capacity;
    this.#bound = undefined;
    if (before > 0) {
      let first = 0;
      for (const size of [Attachment.size, SocketJoint.size, PreviousLocal.size]) {
        encoder.copyBufferToBuffer(old[0], before * first, this.#sockets, capacity * first, before * size);
        first += size;
      }
      encoder.copyBufferToBuffer(old[1], 0, this.#matrices, 0, before * MATRIX_BYTES);
    }
    return [...old];
  }

  /** Uploads a frame's inputs. Returns the dispatches of the stage. */
  encode(
    encoder: GPUCommandEncoder,
    { count, attachments, joints }: SocketInputs,
    palettes: GPUBuffer,
    isSeen: boolean,
  ): Dispatch[] {
    for (const { byteOffset, bytes } of attachments.takeChanges()) {
      this.#uploads.write(encoder, this.#sockets, byteOffset, bytes);
    }
    const firstJoint = this.#capacity * Attachment.size;
    for (const { byteOffset, bytes } of joints.takeChanges()) {
      this.#uploads.write(encoder, this.#sockets, firstJoint + byteOffset, bytes);
    }
    if (count === 0) return [];
    if (this.#bound?.palettes !== palettes) {
      const { params, slots, visible, transforms, previousTransforms } = this.#crowd;
      const own = { sockets: this.#sockets, matrices: this.#matrices, previousMatrices: this.#previousMatrices };
      const buffers = { slots, visible, palettes, transforms, previousTransforms, ...own };
      const seen = this.#stage.bind({ ...buffers, params });
      this.#bound = { palettes, seen, unseen: this.#stage.bind({ ...buffers, params: this.#noParams }) };
    }
    const { seen, unseen } = this.#bound;
    return [(isSeen ? seen : unseen)(count)];
  }

  /** Frees everything except `buffers`, which now have another owner. */
  leave(): void {
    this.#noParams.destroy();
  }

  destroy(): void {
    this.#sockets.destroy();
    this.#matrices.destroy();
    this.#previousMatrices.destroy();
    this.leave();
  }

  #create(capacity: number): [sockets: GPUBuffer, matrices: GPUBuffer, previousMatrices: GPUBuffer] {
    return [
      createSockets(this.#device, capacity),
      createMatrices(this.#device, capacity),
      createMatrices(this.#device, capacity),
    ];
  }
}
