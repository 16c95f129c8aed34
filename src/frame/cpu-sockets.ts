import { View } from '../layout/index.ts';
import type { Transform } from '../stages/layout.ts';
import { MATRIX_BYTES, SocketJoint } from '../stages/place-sockets/layout.ts';
import type { PlaceSocketsViews } from '../stages/place-sockets/reference.ts';
import type { SocketInputs } from './backend.ts';
import { createMatrices } from './gpu-sockets.ts';

/** What characters carry, as the twin keeps it; with a device, its matrices are copied to where a kernel would leave them. */
export class CpuSockets {
  readonly #device: GPUDevice | undefined;
  #joints = new View(SocketJoint, 0);
  #matrices = new Float32Array(0);
  #count = 0;
  /** A GPU copy of the matrices. */
  buffer: GPUBuffer | undefined;

  constructor(device: GPUDevice | undefined) {
    this.#device = device;
    this.buffer = device && createMatrices(device, 0);
  }

  get matrices(): Float32Array<ArrayBuffer> {
    return this.#matrices;
  }

  /** Where joints stand: a `SocketJoint` for each attachment that there is room for. */
  get joints(): Uint32Array<ArrayBuffer> {
    return this.#joints.words;
  }

  get byteLength(): number {
    return this.#joints.words.byteLength + this.#matrices.byteLength + (this.buffer?.size ?? 0);
  }

  /** Takes over what the host says; returns what the twin works on, and the GPU copy that another one has replaced. */
  take(
    { count, attachments, joints }: SocketInputs,
    transforms: View<(typeof Transform)['fields']>,
  ): { readonly views: Omit<PlaceSocketsViews, 'seen'>; readonly outgrown: GPUBuffer | undefined } {
    const capacity = attachments.view.count;
    const outgrown = capacity === this.#joints.count ? undefined : this.#grow(capacity);
    attachments.takeChanges();
    for (const { byteOffset, bytes } of joints.takeChanges()) {
      new Uint8Array(this.#joints.words.buffer).set(bytes, byteOffset);
    }
    this.#count = count;
    return {
      views: { count, attachments: attachments.view, joints: this.#joints, transforms, matrices: this.#matrices },
      outgrown,
    };
  }

  mirror(): void {
    if (this.buffer) this.#device?.queue.writeBuffer(this.buffer, 0, this.#matrices, 0, 16 * this.#count);
  }

  destroy(): void {
    this.buffer?.destroy();
  }

  #grow(capacity: number): GPUBuffer | undefined {
    const [joints, matrices, buffer] = [this.#joints, this.#matrices, this.buffer];
    this.#joints = new View(SocketJoint, capacity);
    this.#joints.words.set(joints.words);
    this.#matrices = new Float32Array((capacity * MATRIX_BYTES) / 4);
    this.#matrices.set(matrices);
    const device = this.#device;
    if (device) this.buffer = createMatrices(device, capacity);
    return buffer;
  }
}
