import { checkSizes, createStorage } from './memory.ts';
import { COLUMNS_HEAD, floatsBefore, type NamedColumn } from './named-columns.ts';

/**
 * All named columns of a crowd, one after another. They are in one buffer, because shaders have few bindings left. On the
 * CPU backend they are in CPU memory as well.
 */
export class ColumnMemory {
  readonly #device: GPUDevice | undefined;
  readonly #isHost: boolean;
  #columns: readonly NamedColumn[] = [];
  /** Undefined without a device or without columns. */
  buffer: GPUBuffer | undefined;
  /** The same for twins; undefined on the GPU backend. */
  floats: Float32Array<ArrayBuffer> | undefined;

  constructor(device: GPUDevice | undefined, backend: 'gpu' | 'cpu') {
    this.#device = device;
    this.#isHost = backend === 'cpu';
  }

  /** Checks that columns of `rowCount` rows fit. @throws ManipleError DEVICE_LIMIT */
  expectRoom(rowCount: number, columns: readonly NamedColumn[] = this.#columns): void {
    const floats = COLUMNS_HEAD + rowCount * floatsBefore(columns, columns.length);
    if (this.#device) checkSizes(this.#device, { 'named columns': 4 * floats });
  }

  /**
   * Replaces the columns by others, or by the same ones with more rows.
   * @returns The previous buffer. @throws ManipleError DEVICE_LIMIT; the columns are then unchanged
   */
  replace(columns: readonly NamedColumn[]): GPUBuffer | undefined {
    const [first] = columns;
    const rowCount = first ? first.words.view.count / first.size : 0;
    this.expectRoom(rowCount, columns);
    const floats = new Float32Array(COLUMNS_HEAD + rowCount * floatsBefore(columns, columns.length));
    floats[0] = rowCount;
    columns.forEach(({ words }, index) => {
      floats.set(words.view.floats, COLUMNS_HEAD + rowCount * floatsBefore(columns, index));
      words.takeChanges(); // already included
    });
    const { buffer: before } = this;
    this.#columns = columns;
    this.floats = this.#isHost ? floats : undefined;
    this.buffer = first && this.#device && createStorage(this.#device, 'named columns', new Uint32Array(floats.buffer));
    return before;
  }

  /** Uploads changed rows. @param upload Default: writes them at once through the queue. */
  takeChanges(upload?: (target: GPUBuffer, byteOffset: number, bytes: Uint8Array<ArrayBuffer>) => void): void {
    let firstByte = 4 * COLUMNS_HEAD;
    for (const { words } of this.#columns) {
      for (const { byteOffset, bytes } of words.takeChanges()) {
        const at = firstByte + byteOffset;
        if (this.floats) new Uint8Array(this.floats.buffer).set(bytes, at);
        if (!this.buffer) continue;
        if (upload) upload(this.buffer, at, bytes);
        else this.#device!.queue.writeBuffer(this.buffer, at, bytes);
      }
      firstByte += 4 * words.view.count;
    }
  }

  get byteLength(): number {
    return (this.buffer?.size ?? 0) + (this.floats?.byteLength ?? 0);
  }

  destroy(): void {
    this.buffer?.destroy();
  }
}
