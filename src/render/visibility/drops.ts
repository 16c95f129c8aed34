import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import type { DroppedInstances } from '../../crowd/rows/events.ts';
import { readMapped, readRanges } from '../../device/read-back.ts';
import type { TriangleTables } from './triangle-tables.ts';
import { DROPPED_ROWS_WORD } from './triangles.ts';

const [BYTE_OFFSET, BYTES] = [4 * DROPPED_ROWS_WORD, 16];
/** Readbacks of counts that may be in flight at once. Counts of further pictures are not read. */
const IN_FLIGHT = 4;
const NONE: DroppedInstances = { characters: 0, scenery: 0 };

/** Calls a crowd's listeners when its pictures begin to drop characters, and gives the counts to its `readStats`. */
export class DropWatch {
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  readonly #buffers: GPUBuffer[] = [];
  readonly #idle: GPUBuffer[] = [];
  readonly #read = () => this.readLast();
  #tables: TriangleTables | undefined;
  #isDropping = false;

  constructor(device: GPUDevice, crowd: Crowd) {
    this.#device = device;
    this.#crowd = crowd;
    internalsOf(crowd).readings.dropReaders.add(this.#read);
  }

  /** Reads the counts of the last submitted picture. @throws ManipleError DEVICE_LOST */
  async readLast(): Promise<DroppedInstances> {
    if (!this.#tables?.mayDrop) return NONE;
    const [words] = await readRanges(this.#device, [[this.#tables.buffers.lists, BYTE_OFFSET, BYTES]]);
    return droppedIn(new Uint32Array(words!));
  }

  /** Records a copy of a picture's counts. Call the returned function once the picture is submitted. */
  record(encoder: GPUCommandEncoder, tables: TriangleTables): () => Promise<void> {
    this.#tables = tables;
    // if memory suffices for all instances, there is nothing to read
    const buffer = tables.mayDrop ? (this.#idle.pop() ?? this.#create()) : undefined;
    if (!buffer) return () => Promise.resolve();
    encoder.copyBufferToBuffer(tables.buffers.lists, BYTE_OFFSET, buffer, 0, BYTES);
    return async () => {
      const words = await readMapped(this.#device, buffer);
      if (!words) return;
      this.#idle.push(buffer);
      const dropped = droppedIn(new Uint32Array(words));
      const isDropping = dropped.characters + dropped.scenery > 0;
      const begins = isDropping && !this.#isDropping;
      this.#isDropping = isDropping;
      if (begins) internalsOf(this.#crowd).host.events.tell('dropped', dropped);
    };
  }

  destroy(): void {
    internalsOf(this.#crowd).readings.dropReaders.delete(this.#read);
    for (const buffer of this.#buffers) buffer.destroy();
  }

  #create(): GPUBuffer | undefined {
    if (this.#buffers.length === IN_FLIGHT) return undefined;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const buffer = this.#device.createBuffer({ label: 'dropped', size: BYTES, usage });
    this.#buffers.push(buffer);
    return buffer;
  }
}

/** @param words Words of the lists' header, from DROPPED_ROWS_WORD on. */
export function droppedIn(words: Uint32Array): DroppedInstances {
  const characters = words[1]! + words[3]!;
  return { characters, scenery: words[0]! + words[2]! - characters };
}
