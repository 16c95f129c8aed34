import { readMapped } from './read-back.ts';

/**
 * GPU time per named pass, by timestamp queries. Results arrive a few frames late and never delay a frame.
 * Without the `timestamp-query` feature nothing is measured, and `latest` stays empty. Timestamps cost GPU time between passes,
 * and a resolve, a copy and a mapping per frame. So nothing is measured before the first `read`.
 */
export class Timings {
  readonly #device: GPUDevice;
  readonly #names: readonly string[];
  readonly #queries: GPUQuerySet | undefined;
  readonly #resolved: GPUBuffer | undefined;
  readonly #buffers: GPUBuffer[] = [];
  readonly #idle: GPUBuffer[] = [];
  /** Names measured in this frame. */
  #measured = new Set<string>();
  /** Milliseconds per name that the last frame read back contained. */
  readonly latest = new Map<string, number>();
  #isOn: boolean;

  /** @param isOn Measures from the first frame on, instead of from the first {@link read} on. */
  constructor(device: GPUDevice, names: readonly string[], isOn = true) {
    this.#device = device;
    this.#names = names;
    this.#isOn = isOn;
    if (!device.features.has('timestamp-query')) return;
    const count = 2 * names.length;
    this.#queries = device.createQuerySet({ label: 'timings', type: 'timestamp', count });
    this.#resolved = device.createBuffer({
      label: 'timings',
      size: count * 8,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
  }

  /** True if passes are measured, so that each name needs passes of its own. */
  get isMeasuring(): boolean {
    return this.#isOn && this.#queries !== undefined;
  }

  /** True if measured passes have been recorded since the last {@link resolve}. */
  get hasWrites(): boolean {
    return this.#measured.size > 0;
  }

  /** Returns `latest`. The following frames are measured. */
  read(): ReadonlyMap<string, number> {
    this.#isOn = true;
    return this.latest;
  }

  /** Fields to spread into a pass descriptor. With several passes of one name, mark the first and the last one. */
  writes(
    name: string,
    { first = true, last = true }: { readonly first?: boolean; readonly last?: boolean } = {},
  ): { timestampWrites?: GPUComputePassTimestampWrites & GPURenderPassTimestampWrites } {
    const index = this.#names.indexOf(name);
    if (!this.#queries || !this.#isOn || index < 0 || !(first || last)) return {};
    this.#measured.add(name);
    return {
      timestampWrites: {
        querySet: this.#queries,
        ...(first && { beginningOfPassWriteIndex: 2 * index }),
        ...(last && { endOfPassWriteIndex: 2 * index + 1 }),
      },
    };
  }

  /**
   * Records the readback of this frame's times after its passes. Call the returned function once the commands are
   * submitted. The promise resolves when `latest` holds the times.
   */
  resolve(encoder: GPUCommandEncoder): () => Promise<void> {
    if (!this.#queries || !this.#resolved || this.#measured.size === 0) return () => Promise.resolve();
    const measured = this.#measured;
    this.#measured = new Set();
    const buffer = this.#idle.pop() ?? this.#createReadBuffer();
    if (!buffer) return () => Promise.resolve(); // all in flight: this frame is not measured
    const count = 2 * this.#names.length;
    encoder.resolveQuerySet(this.#queries, 0, count, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, buffer, 0, count * 8);
    return async () => {
      const bytes = await readMapped(this.#device, buffer);
      if (!bytes) return;
      const times = new BigUint64Array(bytes);
      this.#idle.push(buffer);
      this.latest.clear();
      this.#names.forEach((name, i) => {
        if (measured.has(name)) this.latest.set(name, Number(times[2 * i + 1]! - times[2 * i]!) / 1e6);
      });
    };
  }

  destroy(): void {
    this.#queries?.destroy();
    this.#resolved?.destroy();
    for (const buffer of this.#buffers) buffer.destroy();
  }

  #createReadBuffer(): GPUBuffer | undefined {
    if (this.#buffers.length >= 4) return undefined;
    const buffer = this.#device.createBuffer({
      label: 'timings',
      size: 2 * this.#names.length * 8,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    this.#buffers.push(buffer);
    return buffer;
  }
}

const FRAME = 'frame';

/** GPU time of a whole pass, in the frames that ask for it: two timestamps, and a readback, of which other frames have none. */
export class FrameTimer {
  readonly #device: GPUDevice;
  #timings: Timings | undefined;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** Fields to spread into the pass descriptor of a timed frame. */
  writes(): Pick<GPUComputePassDescriptor, 'timestampWrites'> {
    this.#timings ??= new Timings(this.#device, [FRAME]);
    return this.#timings.writes(FRAME);
  }

  /** As {@link Timings.resolve}. The promise resolves with the milliseconds; undefined if the frame is not timed. */
  resolve(encoder: GPUCommandEncoder): (() => Promise<number | undefined>) | undefined {
    const timings = this.#timings;
    if (!timings?.hasWrites) return undefined;
    const read = timings.resolve(encoder);
    return async () => {
      await read();
      return timings.latest.get(FRAME);
    };
  }

  destroy(): void {
    this.#timings?.destroy();
  }
}
