import { mapBuffer } from './device-loss.ts';

/** Size of the smallest chunk. A frame without changes uploads a few kilobytes. */
const CHUNK_BYTES = 1 << 18;
/** Number of frames after which an unused chunk is destroyed. */
const IDLE_FRAMES = 60;

interface Chunk {
  readonly buffer: GPUBuffer;
  readonly size: number;
  mapped: Uint8Array<ArrayBuffer>;
  used: number;
  /** The last frame that wrote it. */
  lastFrame: number;
}

/**
 * Uploads data to GPU buffers by copies inside the encoder, so that frames which are recorded but not yet submitted
 * each see their own data. Chunks of mapped memory are recycled: written, copied from, mapped again. Large chunks of a frame that spawned
 * many characters are destroyed once later frames have not needed them.
 */
export class UploadRing {
  readonly #device: GPUDevice;
  readonly #buffers = new Set<GPUBuffer>();
  /** Ascending by size. */
  readonly #idle: Chunk[] = [];
  #open: Chunk[] = [];
  #frame = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  get byteLength(): number {
    return Array.from(this.#buffers).reduce((sum, { size }) => sum + size, 0);
  }

  /** Copies `bytes` (a multiple of 4 in length) to `target` at `targetOffset`, when the encoder's commands run. */
  write(encoder: GPUCommandEncoder, target: GPUBuffer, targetOffset: number, bytes: Uint8Array): void {
    let chunk = this.#open.find(({ size, used }) => used + bytes.length <= size);
    if (!chunk) {
      chunk = this.#takeChunk(bytes.length);
      this.#open.push(chunk);
    }
    chunk.mapped.set(bytes, chunk.used);
    encoder.copyBufferToBuffer(chunk.buffer, chunk.used, target, targetOffset, bytes.length);
    chunk.used += (bytes.length + 7) & ~7;
  }

  /**
   * Ends the frame's writes. Call the returned function once the commands are submitted. Its promise resolves when they
   * have run, and rejects with DEVICE_LOST.
   */
  close(): () => Promise<void> {
    const chunks = this.#open;
    this.#open = [];
    for (const { buffer } of chunks) buffer.unmap();
    this.#destroyUnused();
    this.#frame++;
    return async () => {
      await Promise.all(chunks.map((chunk) => this.#recycle(chunk)));
    };
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }

  #takeChunk(byteLength: number): Chunk {
    const index = this.#idle.findIndex(({ size }) => size >= byteLength);
    const chunk = index >= 0 ? this.#idle.splice(index, 1)[0]! : this.#createChunk(byteLength);
    chunk.lastFrame = this.#frame;
    return chunk;
  }

  #createChunk(byteLength: number): Chunk {
    const size = Math.max(CHUNK_BYTES, 2 ** Math.ceil(Math.log2(byteLength)));
    const usage = GPUBufferUsage.MAP_WRITE | GPUBufferUsage.COPY_SRC;
    const buffer = this.#device.createBuffer({ label: 'uploads', size, usage, mappedAtCreation: true });
    this.#buffers.add(buffer);
    return { buffer, size, mapped: new Uint8Array(buffer.getMappedRange()), used: 0, lastFrame: this.#frame };
  }

  #destroyUnused(): void {
    for (let index = this.#idle.length - 1; index >= 0; index--) {
      const { buffer, lastFrame } = this.#idle[index]!;
      if (this.#frame - lastFrame <= IDLE_FRAMES) continue;
      this.#idle.splice(index, 1);
      this.#buffers.delete(buffer);
      buffer.destroy();
    }
  }

  async #recycle(chunk: Chunk): Promise<void> {
    if (!(await mapBuffer(this.#device, chunk.buffer, GPUMapMode.WRITE))) return;
    if (chunk.buffer.mapState !== 'mapped') return; // destroyed since then
    chunk.mapped = new Uint8Array(chunk.buffer.getMappedRange());
    chunk.used = 0;
    const index = this.#idle.findIndex(({ size }) => size > chunk.size);
    this.#idle.splice(index < 0 ? this.#idle.length : index, 0, chunk);
  }
}
