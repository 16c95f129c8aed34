import type { View } from '../layout/index.ts';
import type { Fields } from '../layout/index.ts';
import type { ByteReader, ByteWriter } from './byte-stream.ts';

/**
 * Rows of a column written since the last call of `write`. Only words that differ are stored: runs of rows, and for
 * each row a byte of bits. The bits mark the words that follow.
 */
export class ChangedRows {
  readonly #known: Uint32Array;
  readonly #perRow: number;
  /** Pairs from, to; in the order of writing. */
  #ranges: number[] = [];

  /**
   * @param view The column; at most 8 words to a row.
   * @param keepsEqual Counts written rows as changed even where no word differs, because writing them has an effect.
   */
  constructor(
    readonly view: View<Fields>,
    readonly keepsEqual: boolean,
  ) {
    this.#perRow = view.struct.size / 4;
    this.#known = view.words.slice();
  }

  changed(from: number, to: number): void {
    const last = this.#ranges.length - 1;
    const extends_ = last > 0 && from >= this.#ranges[last - 1]! && from <= this.#ranges[last]!;
    if (extends_) this.#ranges[last] = Math.max(to, this.#ranges[last]!);
    else this.#ranges.push(from, to);
  }

  /** Takes the current words of rows as known. The log need not write them. */
  know(from: number, to: number): void {
    const [first, end] = [from * this.#perRow, to * this.#perRow];
    this.#known.set(this.view.words.subarray(first, end), first);
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** Writes the changed rows. Returns false, and writes nothing, if no row has changed. */
  write(out: ByteWriter, column: number): boolean {
    const runs = this.#takeRuns();
    if (runs.length === 0) return false;
    out.count(column);
    out.count(runs.length);
    let end = 0;
    for (const [from, to] of runs) {
      out.count(from - end);
      out.count(to - from);
      for (let row = from; row < to; row++) this.#writeRow(out, row);
      end = to;
    }
    return true;
  }

  #writeRow(out: ByteWriter, row: number): void {
    const { words } = this.view;
    const first = row * this.#perRow;
    let mask = 0;
    for (let i = 0; i < this.#perRow; i++) if (words[first + i] !== this.#known[first + i]) mask |= 1 << i;
    out.byte(mask);
    for (let i = 0; i < this.#perRow; i++) if ((mask >>> i) & 1) out.word(words[first + i]!);
    this.#known.set(words.subarray(first, first + this.#perRow), first);
  }

  /** Runs of rows to write, in ascending order. */
  #takeRuns(): [number, number][] {
    const ranges: [number, number][] = [];
    for (let i = 0; i < this.#ranges.length; i += 2) ranges.push([this.#ranges[i]!, this.#ranges[i + 1]!]);
    this.#ranges = [];
    const runs: [number, number][] = [];
    let done = 0;
    for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
      for (let row = Math.max(from, done); row < to; row++) {
        if (!this.keepsEqual && !this.#differs(row)) continue;
        const last = runs.at(-1);
        if (last?.[1] === row) last[1]++;
        else runs.push([row, row + 1]);
      }
      done = Math.max(done, to);
    }
    return runs;
  }

  #differs(row: number): boolean {
    const first = row * this.#perRow;
    for (let i = first; i < first + this.#perRow; i++) if (this.view.words[i] !== this.#known[i]) return true;
    return false;
  }
}

/** Limit and callbacks for reading rows. */
export interface RowReader {
  /** Only rows below this may be written. */
  readonly rowCount: number;
  readonly refuse: (message: string) => never;
  readonly changed: (row: number) => void;
}

/**
 * Reads what `ChangedRows.write` wrote, except the column's index. Calls `changed` for each row once its words are
 * written.
 */
export function readChangedRows(input: ByteReader, view: View<Fields>, { rowCount, refuse, changed }: RowReader): void {
  const perRow = view.struct.size / 4;
  let row = 0;
  for (let run = input.length(); run > 0; run--) {
    row += input.count();
    const end = row + input.length();
    if (end > rowCount) refuse(`writes row ${end - 1} of ${rowCount}`);
    for (; row < end; row++) {
      const mask = input.byte();
      if (mask >>> perRow !== 0) refuse(`a row of ${perRow} words has more`);
      for (let i = 0; i < perRow; i++) if ((mask >>> i) & 1) view.words[row * perRow + i] = input.word();
      changed(row);
    }
  }
}
