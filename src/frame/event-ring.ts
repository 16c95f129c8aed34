import { mapBuffer } from '../device/device-loss.ts';

/** Copies of the event ring that may be under way at once. */
const STAGING_BUFFERS = 4;

/**
 * Brings events back: each frame copies the ring to a staging buffer and empties it. While all staging buffers are under
 * way the ring keeps its records, and a later frame brings them.
 */
export class EventRing {
  readonly #device: GPUDevice;
  readonly #ring: GPUBuffer;
  readonly #buffers: GPUBuffer[] = [];
  readonly #idle: GPUBuffer[] = [];

  constructor(device: GPUDevice, ring: GPUBuffer) {
    this.#device = device;
    this.#ring = ring;
  }

  get byteLength(): number {
    return this.#buffers.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Records the copy, behind the stage that writes events; call what it returns once the commands are submitted. Its
   * promise resolves when `deliver` has been given the ring as it was.
   */
  bring(encoder: GPUCommandEncoder, deliver: (ring: Uint32Array<ArrayBuffer>) => void): () => Promise<void> {
    const buffer = this.#idle.pop() ?? this.#create();
    if (!buffer) return () => Promise.resolve();
    encoder.copyBufferToBuffer(this.#ring, 0, buffer, 0, this.#ring.size);
    encoder.clearBuffer(this.#ring, 0, 16);
    return async () => {
      if (!(await mapBuffer(this.#device, buffer, GPUMapMode.READ))) return;
      const ring = new Uint32Array(buffer.getMappedRange().slice(0));
      buffer.unmap();
      this.#idle.push(buffer);
      deliver(ring);
    };
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }

  #create(): GPUBuffer | undefined {
    if (this.#buffers.length === STAGING_BUFFERS) return undefined;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const buffer = this.#device.createBuffer({ label: 'events', size: this.#ring.size, usage });
    this.#buffers.push(buffer);
    return buffer;
  }
}
