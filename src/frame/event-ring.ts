import { mapBuffer } from '../device/device-loss.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS } from '../stages/step-controllers/layout.ts';
import { EventQueue, usedRing, type DeliverEvents } from './event-queue.ts';

/** Copies of the event ring that may be under way at once. */
const STAGING_BUFFERS = 4;

/**
 * Brings events back: each frame copies the ring to a staging buffer and empties it. While all staging buffers are under
 * way the ring keeps its records, and a later frame brings them.
 */
export class EventRing {
  readonly #device: GPUDevice;
  #ring: GPUBuffer;
  /** Hands rings on in the order of their frames, those of a backend before this one among them. */
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

  /** Goes on with another ring that holds what this one did; what is under way still arrives. */
  moveTo(ring: GPUBuffer): void {
    this.#ring = ring;
    for (const buffer of this.#idle.splice(0)) this.#free(buffer);
  }

  /**
   * Records the copy, behind the stage that writes events; call what it returns once the commands are submitted. Its
   * promise resolves when the ring, as it was, has arrived; rings are delivered in the order of their frames.
   */
  bring(encoder: GPUCommandEncoder, frame: number): () => Promise<void> {
    const buffer = this.#idle.pop() ?? this.#create();
    if (!buffer) return () => Promise.resolve();
    encoder.copyBufferToBuffer(this.#ring, 0, buffer, 0, this.#ring.size);
    encoder.clearBuffer(this.#ring, 0, 16);
    // not before it is delivered: rings that wait for an earlier one stay as few as the buffers
    const arrived = this.queue.open(frame, () => this.#free(buffer));
    return async () => {
      if (!(await mapBuffer(this.#device, buffer, GPUMapMode.READ))) return;
      const ring = usedRing(new Uint32Array(buffer.getMappedRange()), EVENT_FIRST_WORD, EVENT_WORDS);
      buffer.unmap();
      arrived(ring);
    };
  }

  /** Nothing is brought any more; what is under way still arrives. */
  close(): void {
    this.#isClosed = true;
    for (const buffer of this.#idle.splice(0)) this.#free(buffer);
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }

  /** To be used again, if there is a ring, and as large as it was. */
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
