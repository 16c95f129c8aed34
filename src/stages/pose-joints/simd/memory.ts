import { KEPT_ROW_BYTES } from '../clip-rows.ts';
import { code } from './code.gen.ts';

/** The exports of kernel.as. Numbers of type `usize` there are addresses in its memory. */
export interface PoseKernel {
  begin(skeleton: number): void;
  addSampled(list: number, a: number, b: number, f: number, bend: number, weight: number): void;
  addPacked(
    list: number,
    a: number,
    b: number,
    rateA: number,
    rateB: number,
    b0: number,
    b1: number,
    b2: number,
    b3: number,
    weight: number,
  ): void;
  finish(isAdditive: boolean, weight: number, mask: number): void;
  write(palette: number): void;
}

const PAGE_BYTES = 65536;
/** Addresses below are the compiler's. */
const FIRST = 1024;

/**
 * Memory of the kernel, shared by all crowds of a page: browsers reserve gigabytes of addresses for each. Blocks are not freed one by
 * one. Beyond KEPT_ROW_BYTES all are forgotten, and made again.
 */
export class SimdMemory {
  floats: Float32Array<ArrayBuffer>;
  words: Uint32Array<ArrayBuffer>;
  /** Grows as all blocks are forgotten. */
  generation = 0;
  readonly #memory: WebAssembly.Memory;
  readonly #limit: number;
  #end = FIRST;

  constructor(memory: WebAssembly.Memory, limit: number = KEPT_ROW_BYTES) {
    this.#memory = memory;
    this.#limit = limit;
    this.floats = new Float32Array(memory.buffer);
    this.words = new Uint32Array(memory.buffer);
  }

  /** Returns the address of a block of zeros, a multiple of 16. `floats` and `words` may be others afterwards. */
  allocate(bytes: number): number {
    const at = this.#end;
    this.#end += Math.ceil(bytes / 16) * 16;
    const missing = this.#end - this.#memory.buffer.byteLength;
    if (missing > 0) {
      this.#memory.grow(Math.ceil(Math.max(missing, this.#memory.buffer.byteLength) / PAGE_BYTES));
      this.floats = new Float32Array(this.#memory.buffer);
      this.words = new Uint32Array(this.#memory.buffer);
    }
    this.words.fill(0, at / 4, this.#end / 4);
    return at;
  }

  get isFull(): boolean {
    return this.#end > this.#limit;
  }

  /** Forgets all blocks. */
  clear(): void {
    this.#end = FIRST;
    this.generation++;
  }
}

export interface Simd {
  readonly kernel: PoseKernel;
  readonly memory: SimdMemory;
}

/**
 * Compiles the kernel. Returns undefined where that is not possible: in browsers without WebAssembly or its SIMD instructions, and on
 * pages with a content security policy that lacks 'wasm-unsafe-eval'.
 */
export async function createSimd(limit?: number): Promise<Simd | undefined> {
  try {
    const memory = new WebAssembly.Memory({ initial: 16 });
    const bytes = Uint8Array.from(atob(code), (char) => char.charCodeAt(0));
    const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } });
    return { kernel: instance.exports as unknown as PoseKernel, memory: new SimdMemory(memory, limit) };
  } catch {
    return undefined; // the twin poses the same, three times as slowly
  }
}
