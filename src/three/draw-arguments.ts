import { DrawnRun } from '../render/forward/layout.ts';

/** Size of the arguments of one indexed indirect draw: index count, instances, first index, base vertex, first instance. */
export const ARGUMENT_BYTES = 20;

/** A draw, and the offset of its instance count record in the crowd's draw targets. */
interface Draw {
  readonly recordByte: number;
  readonly firstIndex: number;
  readonly indexCount: number;
}

/** Arguments of all draws of a crowd. Instance counts are copied in each frame. */
export class DrawArguments {
  readonly buffer: GPUBuffer;
  readonly #targets: GPUBuffer;
  readonly #draws: readonly Draw[];

  constructor(device: GPUDevice, targets: GPUBuffer, draws: readonly Draw[]) {
    this.#targets = targets;
    this.#draws = draws;
    const words = draws.flatMap(({ indexCount, firstIndex }) => [indexCount, 0, firstIndex, 0, 0]);
    this.buffer = device.createBuffer({
      label: 'draws in three.js',
      size: Math.max(words.length * 4, ARGUMENT_BYTES),
      usage: GPUBufferUsage.INDIRECT | GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(this.buffer, 0, Uint32Array.from(words));
  }

  /** Records copies of the instance counts from the targets to the draws. Call it after the frame is recorded. */
  follow(encoder: GPUCommandEncoder): void {
    this.#draws.forEach(({ recordByte }, i) => {
      encoder.copyBufferToBuffer(
        this.#targets,
        recordByte + DrawnRun.offsets.count,
        this.buffer,
        i * ARGUMENT_BYTES + 4,
        4,
      );
    });
  }

  destroy(): void {
    this.buffer.destroy();
  }
}
