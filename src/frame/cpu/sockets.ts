import { View } from '../../layout/index.ts';
import { MATRIX_BYTES, PreviousLocal, SocketJoint } from '../../stages/place-sockets/layout.ts';
import type { PlaceSocketsViews } from '../../stages/place-sockets/reference.ts';
import type { DrawArrays, SocketInputs, SocketState } from '../backend.ts';
import { createMatrices } from '../tables/memory.ts';

/** Attachments as the twin keeps them. With a device, their matrices are copied to the buffer that a kernel would write. */
export class CpuSockets {
  readonly #device: GPUDevice | undefined;
  /** A row for each attachment of the capacity. */
  joints = new View(SocketJoint, 0);
  #previousLocals = new View(PreviousLocal, 0);
  matrices = new Float32Array(0);
  #previousMatrices = new Float32Array(0);
  #count = 0;
  /** GPU copies of the matrices, current and previous. */
  buffer: GPUBuffer | undefined;
  previousBuffer: GPUBuffer | undefined;

  /** @param before State of the backend before this one. */
  constructor(device: GPUDevice | undefined, before?: SocketState) {
    this.#device = device;
    [this.buffer, this.previousBuffer] = before?.buffers ?? [
      device && createMatrices(device, 0),
      device && createMatrices(device, 0),
    ];
    if (!before) return;
    this.joints = new View(SocketJoint, before.joints.buffer);
    this.#previousLocals = new View(PreviousLocal, before.previousLocals.buffer);
    this.matrices = before.matrices;
    this.#previousMatrices = before.previousMatrices;
  }

  get state(): SocketState {
    return {
      joints: this.joints.words,
      previousLocals: this.#previousLocals.words,
      matrices: this.matrices,
      previousMatrices: this.#previousMatrices,
      buffers: this.buffer && this.previousBuffer && [this.buffer, this.previousBuffer],
    };
  }

  /** Matrices that draws read. */
  get arrays(): Pick<DrawArrays, 'socketMatrices' | 'previousSocketMatrices'> {
    return { socketMatrices: this.matrices, previousSocketMatrices: this.#previousMatrices };
  }

  get byteLength(): number {
    const arrays = [this.joints.words, this.#previousLocals.words, this.matrices, this.#previousMatrices];
    const buffers = [this.buffer, this.previousBuffer].reduce((sum, buffer) => sum + (buffer?.size ?? 0), 0);
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, buffers);
  }

  /** Takes the CPU-side inputs. Returns views for the twin, and GPU copies that larger ones have replaced. */
  take(
    { count, attachments, joints }: SocketInputs,
    places: Pick<PlaceSocketsViews, 'transforms' | 'previousTransforms'>,
  ): { readonly views: Omit<PlaceSocketsViews, 'seen'>; readonly outgrown: readonly GPUBuffer[] } {
    const capacity = attachments.view.count;
    const outgrown = capacity === this.joints.count ? [] : this.#grow(capacity);
    attachments.takeChanges();
    for (const { byteOffset, bytes } of joints.takeChanges()) {
      new Uint8Array(this.joints.words.buffer).set(bytes, byteOffset);
    }
    this.#count = count;
    return {
      views: {
        count,
        attachments: attachments.view,
        joints: this.joints,
        previousLocals: this.#previousLocals,
        ...places,
        matrices: this.matrices,
        previousMatrices: this.#previousMatrices,
      },
      outgrown,
    };
  }

  mirror(): void {
    const queue = this.#device?.queue;
    if (this.buffer) queue?.writeBuffer(this.buffer, 0, this.matrices, 0, 16 * this.#count);
    if (this.previousBuffer) queue?.writeBuffer(this.previousBuffer, 0, this.#previousMatrices, 0, 16 * this.#count);
  }

  destroy(): void {
    this.buffer?.destroy();
    this.previousBuffer?.destroy();
  }

  #grow(capacity: number): GPUBuffer[] {
    const [joints, previousLocals, matrices] = [this.joints, this.#previousLocals, this.matrices];
    const outgrown = [this.buffer, this.previousBuffer].filter((buffer) => buffer !== undefined);
    this.joints = new View(SocketJoint, capacity);
    this.joints.words.set(joints.words);
    this.#previousLocals = new View(PreviousLocal, capacity);
    this.#previousLocals.words.set(previousLocals.words);
    this.matrices = new Float32Array((capacity * MATRIX_BYTES) / 4);
    this.matrices.set(matrices);
    this.#previousMatrices = new Float32Array(this.matrices.length);
    const device = this.#device;
    if (device) {
      this.buffer = createMatrices(device, capacity);
      this.previousBuffer = createMatrices(device, capacity);
    }
    return outgrown;
  }
}
