import { type BufferAttribute, StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import { release, sharedStorage } from './internals.ts';
import type { Table } from './rows.ts';

/** Tables that draws of a crowd on a device read. */
export interface DeviceTables {
  /** The table in a buffer of the crowd. @throws ManipleError DEVICE_LIMIT */
  share(buffer: GPUBuffer, itemSize?: 1 | 4): Table;
  /** A table of these words. They do not change. */
  create(words: Uint32Array<ArrayBuffer>, name: string): Table;
  /** Records copies of all buffers, where draws read copies. */
  copy(encoder: GPUCommandEncoder): void;
  dispose(): void;
}

/** Tables in storage buffers, for the core tier. Nothing is copied. */
export class StorageTables implements DeviceTables {
  readonly #renderer: WebGPURenderer;
  /** Attributes that wrap buffers of the crowd. */
  readonly #shared: BufferAttribute[] = [];
  /** Attributes with buffers that three.js owns. */
  readonly #created: StorageBufferAttribute[] = [];

  constructor(renderer: WebGPURenderer) {
    this.#renderer = renderer;
  }

  share(buffer: GPUBuffer, itemSize: 1 | 4 = 4): Table {
    const attribute = sharedStorage(this.#renderer, buffer, itemSize);
    this.#shared.push(attribute);
    return attribute;
  }

  create(words: Uint32Array<ArrayBuffer>): Table {
    const table = new StorageBufferAttribute(words, 4);
    this.#created.push(table);
    return table;
  }

  copy(): void {
    // draws read the buffers themselves
  }

  dispose(): void {
    for (const attribute of this.#shared) release(this.#renderer, attribute);
    for (const table of this.#created) table.dispose();
  }
}
