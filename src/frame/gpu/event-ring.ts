import { mapBuffer } from '../../device/device-loss.ts';
import { EventQueue, usedRing, type DeliverEvents } from '../tables/event-queue.ts';

/** Maximum copies of the event ring in flight. */
const STAGING_BUFFERS = 4;

/**
 * Reads events back: each frame copies the ring to a staging buffer and empties it. While all staging buffers are in
 * flight the ring keeps its records, and a later frame copies them.
 */
export class EventRing {
  readonly #device: GPUDevice;
  #ring: GPUBuffer;
  /** Delivers rings in the order of their frames, including rings of an earlier backend. */
  readonly queue: EventQueue;
  #isClosed = false;
  readonly #buffers: GPUBuffer[] = [];
  readonly #idle: GPUBuffer[] = [];

  constructor(device: GPUDevice, ring: GPUBuffer, deliver: DeliverEvents | EventQueue) {
    this.#device = device;
    this.#ring = ring;
    this.queue = deliver instanceof EventQueue ? deliver : new EventQueue(deliver);
  }

  get byteLength(): number {
    return this.#buffers.reduce((sum, { size }) => sum + size, 0);
  }

  /** Changes to another ring that holds the same records. Copies in flight still arrive. */
  moveTo(ring: GPUBuffer): void {
    this.#ring = ring;
    for (const buffer of this.#idle.splice(0)) this.#free(buffer);
  }

  /**
   * Records the copy, after the stage that writes events. Call the returned function once the commands are submitted. Its
   * promise resolves when the copy has arrived. Rings are delivered in the order of their frames.
   */
  bring(encoder: GPUCommandEncoder, frame: number): () => Promise<void> {
    const buffer = this.#idle.pop() ?? this.#create();
    if (!buffer) return () => Promise.resolve();
    encoder.copyBufferToBuffer(this.#ring, 0, buffer, 0, this.#ring.size);
    encoder.clearBuffer(this.#ring, 0, 16);
    // freed only when delivered: this limits rings that wait for an earlier one to the number of buffers
    const arrived = this.queue.open(frame, () => this.#free(buffer));
    return async () => {
      if (!(await mapBuffer(this.#device, buffer, GPUMapMode.READ))) return;
      if (buffer.mapState !== 'mapped') return; // destroyed since then
      const ring = usedRing(new Uint32Array(buffer.getMappedRange()));
      buffer.unmap();
      arrived(ring);
    };
  }

  /** Frees idle buffers. Copies in flight still arrive. */
  close(): void {
    this.#isClosed = true;
    for (const buffer of this.#idle.splice(0)) this.#free(buffer);
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }

  /** Keeps the buffer for reuse if the ring is open and of the same size. Destroys it otherwise. */
  #free(buffer: GPUBuffer): void {
    if (!this.#isClosed && buffer.size === this.#ring.size) this.#idle.push(buffer);
    else {
      this.#buffers.splice(this.#buffers.indexOf(buffer), 1);
      buffer.destroy();
    }
  }

  #create(): GPUBuffer | undefined {
    if (this.#buffers.length === STAGING_BUFFERS) return undefined;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const buffer = this.#device.createBuffer({ label: 'events', size: this.#ring.size, usage });
    this.#buffers.push(buffer);
    return buffer;
  }
}
