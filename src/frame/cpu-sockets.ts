import { View } from '../layout/index.ts';
import { MATRIX_BYTES, PreviousLocal, SocketJoint } from '../stages/place-sockets/layout.ts';
import type { PlaceSocketsViews } from '../stages/place-sockets/reference.ts';
import type { SocketInputs, SocketState } from './backend.ts';
import { createMatrices } from './gpu-sockets.ts';

/** What characters carry, as the twin keeps it; with a device, its matrices are copied to where a kernel would leave them. */
export class CpuSockets {
  readonly #device: GPUDevice | undefined;
  #joints = new View(SocketJoint, 0);
  #previousLocals = new View(PreviousLocal, 0);
  #matrices = new Float32Array(0);
  #previousMatrices = new Float32Array(0);
  #count = 0;
  /** GPU copies of the matrices, of this frame and of the last one. */
  buffer: GPUBuffer | undefined;
  previousBuffer: GPUBuffer | undefined;

  /** @param before What it goes on with. */
  constructor(device: GPUDevice | undefined, before?: SocketState) {
    this.#device = device;
    [this.buffer, this.previousBuffer] = before?.buffers ?? [
      device && createMatrices(device, 0),
      device && createMatrices(device, 0),
    ];
    if (!before) return;
    this.#joints = new View(SocketJoint, before.joints.buffer);
    this.#previousLocals = new View(PreviousLocal, before.previousLocals.buffer);
    this.#matrices = before.matrices;
    this.#previousMatrices = before.previousMatrices;
  }

  /** What one on the other backend goes on with. */
  get state(): SocketState {
    const [matrices, previousMatrices] = [this.#matrices, this.#previousMatrices];
    const words = { joints: this.#joints.words, previousLocals: this.#previousLocals.words };
    const buffers = this.buffer && this.previousBuffer && ([this.buffer, this.previousBuffer] as const);
    return { ...words, matrices, previousMatrices, buffers };
  }

  get matrices(): Float32Array<ArrayBuffer> {
    return this.#matrices;
  }

  /** Where joints stand: a `SocketJoint` for each attachment that there is room for. */
  get joints(): Uint32Array<ArrayBuffer> {
    return this.#joints.words;
  }

  get byteLength(): number {
    const arrays = [this.#joints.words, this.#previousLocals.words, this.#matrices, this.#previousMatrices];
    const buffers = [this.buffer, this.previousBuffer].reduce((sum, buffer) => sum + (buffer?.size ?? 0), 0);
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, buffers);
  }

  /** Takes over what the host says; returns what the twin works on, and GPU copies that larger ones have replaced. */
  take(
    { count, attachments, joints }: SocketInputs,
    places: Pick<PlaceSocketsViews, 'transforms' | 'previousTransforms'>,
  ): { readonly views: Omit<PlaceSocketsViews, 'seen'>; readonly outgrown: readonly GPUBuffer[] } {
    const capacity = attachments.view.count;
    const outgrown = capacity === this.#joints.count ? [] : this.#grow(capacity);
    attachments.takeChanges();
    for (const { byteOffset, bytes } of joints.takeChanges()) {
      new Uint8Array(this.#joints.words.buffer).set(bytes, byteOffset);
    }
    this.#count = count;
    return {
      views: {
        count,
        attachments: attachments.view,
        joints: this.#joints,
        previousLocals: this.#previousLocals,
        ...places,
        matrices: this.#matrices,
        previousMatrices: this.#previousMatrices,
      },
      outgrown,
    };
  }

  mirror(): void {
    const queue = this.#device?.queue;
    if (this.buffer) queue?.writeBuffer(this.buffer, 0, this.#matrices, 0, 16 * this.#count);
    if (this.previousBuffer) queue?.writeBuffer(this.previousBuffer, 0, this.#previousMatrices, 0, 16 * this.#count);
  }

  destroy(): void {
    this.buffer?.destroy();
    this.previousBuffer?.destroy();
  }

  #grow(capacity: number): GPUBuffer[] {
    const [joints, previousLocals, matrices] = [this.#joints, this.#previousLocals, this.#matrices];
    const outgrown = [this.buffer, this.previousBuffer].filter((buffer) => buffer !== undefined);
    this.#joints = new View(SocketJoint, capacity);
    this.#joints.words.set(joints.words);
    this.#previousLocals = new View(PreviousLocal, capacity);
    this.#previousLocals.words.set(previousLocals.words);
    this.#matrices = new Float32Array((capacity * MATRIX_BYTES) / 4);
    this.#matrices.set(matrices);
    this.#previousMatrices = new Float32Array(this.#matrices.length);
    const device = this.#device;
    if (device) {
      this.buffer = createMatrices(device, capacity);
      this.previousBuffer = createMatrices(device, capacity);
    }
    return outgrown;
  }
}
