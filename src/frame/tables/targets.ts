import { roundUp } from '../../layout/index.ts';
import { DispatchPlan, DrawPlan, RangePlan } from '../../stages/cull-characters/layout.ts';
import type { RangesPlan } from '../../stages/ranges-plan.ts';
import { type RowValues, viewOf } from './column.ts';

/** Offset alignment of uniform bindings, in bytes. */
const ALIGNMENT = 256;
/** indexCount, instanceCount, firstIndex, baseVertex, firstInstance */
export const DRAW_INDEXED_WORDS = 5;
/** vertexCount, instanceCount, firstVertex, firstInstance */
export const DRAW_WORDS = 4;

/** Byte offset of a dispatch's ranges, and their size. */
export interface PlacedDispatch {
  readonly rangesByte: number;
  readonly rangesBytes: number;
}

/**
 * One buffer for everything that the GPU decides about dispatches and draws: ranges, arguments of indirect draws, and the rows
 * that a draw shows. Constant words are written here, the rest by the kernels of write-ranges.
 */
export class Targets {
  readonly #dispatches: RowValues<(typeof DispatchPlan)['fields']>[] = [];
  readonly #ranges: RowValues<(typeof RangePlan)['fields']>[] = [];
  readonly #draws: RowValues<(typeof DrawPlan)['fields']>[] = [];
  readonly #parts: { readonly byteOffset: number; readonly words: Uint32Array<ArrayBuffer> }[] = [];
  #end = 0;

  /** Allocates the ranges of a dispatch. */
  addDispatch({ ranges, bins, groupCountByte }: RangesPlan): PlacedDispatch {
    const rangesByte = this.#add(new Uint32Array(ranges), ALIGNMENT);
    this.#dispatches.push({
      firstRange: this.#ranges.length,
      rangeCount: bins.length,
      groupCountWord: (rangesByte + groupCountByte) / 4,
    });
    for (const { bin, charactersPerGroup, groupsPerSet, byteOffset } of bins) {
      this.#ranges.push({ bin, charactersPerGroup, groupsPerSet, targetWord: (rangesByte + byteOffset) / 4 });
    }
    return { rangesByte, rangesBytes: ranges.byteLength };
  }

  /**
   * Allocates the draws of one page and level, and their common uniform record: first row and count.
   * @param bin The first of its two runs of the visible list.
   * @param draws Arguments of each draw. The second word, the instance count, is written every frame.
   */
  addDraws(bin: number, draws: readonly (readonly number[])[]): { recordByte: number; drawBytes: number[] } {
    const recordByte = this.#add(new Uint32Array(4), ALIGNMENT);
    const drawBytes = draws.map((words) => this.#add(Uint32Array.from(words)));
    for (const byte of drawBytes) this.#draws.push({ bin, instanceWord: byte / 4 + 1, recordWord: recordByte / 4 });
    return { recordByte, drawBytes };
  }

  /** Returns the initial content of the buffer, and the plans by which kernels write it. */
  build() {
    const words = new Uint32Array(Math.max(4, roundUp(this.#end, ALIGNMENT) / 4));
    for (const part of this.#parts) words.set(part.words, part.byteOffset / 4);
    return {
      words,
      dispatches: viewOf(DispatchPlan, this.#dispatches),
      ranges: viewOf(RangePlan, this.#ranges),
      draws: viewOf(DrawPlan, this.#draws),
    };
  }

  #add(words: Uint32Array<ArrayBuffer>, alignment = 4): number {
    const byteOffset = roundUp(this.#end, alignment);
    this.#parts.push({ byteOffset, words });
    this.#end = byteOffset + words.byteLength;
    return byteOffset;
  }
}
