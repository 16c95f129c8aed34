import { checkSizes, createBuffer } from './gpu-memory.ts';
import { COLUMNS_HEAD, floatsBefore, type NamedColumn } from './named-columns.ts';

/**
 * All named columns of a crowd, one after another: in one buffer, because shaders have few bindings left, and on the CPU
 * backend in host memory as well.
 */
export class ColumnMemory {
  readonly #device: GPUDevice | undefined;
  readonly #isHost: boolean;
  #columns: readonly NamedColumn[] = [];
  /** Undefined without a device, and where there are no columns. */
  buffer: GPUBuffer | undefined;
  /** What twins read; undefined where kernels run the frame. */
  floats: Float32Array<ArrayBuffer> | undefined;

  constructor(device: GPUDevice | undefined, backend: 'gpu' | 'cpu') {
    this.#device = device;
    this.#isHost = backend === 'cpu';
  }

  /** Whether columns of so many rows fit. @throws ManipleError DEVICE_LIMIT */
  expectRoom(rowCount: number, columns: readonly NamedColumn[] = this.#columns): void {
    const floats = COLUMNS_HEAD + rowCount * floatsBefore(columns, columns.length);
    if (this.#device) checkSizes(this.#device, { 'named columns': 4 * floats });
  }

  /**
   * Takes other columns, or the same ones with more rows, as they are now.
   * @returns The buffer that was used before. @throws ManipleError DEVICE_LIMIT; the columns stay as they were
   */
  replace(columns: readonly NamedColumn[]): GPUBuffer | undefined {
    const [first] = columns;
    const rowCount = first ? first.words.view.count / first.size : 0;
    this.expectRoom(rowCount, columns);
    const floats = new Float32Array(COLUMNS_HEAD + rowCount * floatsBefore(columns, columns.length));
    floats[0] = rowCount;
    columns.forEach(({ words }, index) => {
      floats.set(words.view.floats, COLUMNS_HEAD + rowCount * floatsBefore(columns, index));
      words.takeChanges(); // they are in it
    });
    const { buffer: before } = this;
    this.#columns = columns;
    this.floats = this.#isHost ? floats : undefined;
    this.buffer = first && this.#device && createFilledColumns(this.#device, floats);
    return before;
  }

  /** Brings over what has changed. @param upload Default: at once. */
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

function createFilledColumns(device: GPUDevice, floats: Float32Array<ArrayBuffer>): GPUBuffer {
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const buffer = createBuffer(device, 'named columns', STORAGE | COPY_DST | COPY_SRC, floats.byteLength);
  device.queue.writeBuffer(buffer, 0, floats);
  return buffer;
}
