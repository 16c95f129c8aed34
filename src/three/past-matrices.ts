import type { Crowd } from '../crowd/crowd.ts';
import type { SocketMatrices } from './attached.ts';

/** Keeps last frame's matrices of what a crowd's characters carry, for its motion vectors. */
export class PastMatrices {
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  #buffer: GPUBuffer | undefined;
  #retired: GPUBuffer | undefined;

  constructor(device: GPUDevice, crowd: Crowd) {
    this.#device = device;
    this.#crowd = crowd;
  }

  /** Both, as the frame that is recorded by `encode` leaves them. The encoder is between passes. */
  around(encoder: GPUCommandEncoder, encode: () => void): SocketMatrices {
    const last = this.#crowd.socketMatrices!;
    this.#fit(last.size);
    encoder.copyBufferToBuffer(last, 0, this.#buffer!, 0, last.size);
    encode();
    const now = this.#crowd.socketMatrices!;
    const short = this.#buffer!;
    if (this.#fit(now.size)) encoder.copyBufferToBuffer(short, 0, this.#buffer!, 0, short.size);
    return { now, before: this.#buffer! };
  }

  /** The encoder's commands have been submitted. */
  submitted(): void {
    this.#retired?.destroy();
    this.#retired = undefined;
  }

  destroy(): void {
    this.#retired?.destroy();
    this.#buffer?.destroy();
  }

  #fit(size: number): boolean {
    if (this.#buffer?.size === size) return false;
    this.#retired?.destroy();
    this.#retired = this.#buffer;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    this.#buffer = this.#device.createBuffer({ label: 'last socket matrices', size, usage });
    return true;
  }
}
