import { roundUp, type Fields, type Struct, type View } from '../../layout/index.ts';

/** Grows a blob of 16-byte rows, section by section. Sections begin on row boundaries. */
export class BlobBuilder {
  #words = new Uint32Array(1024);
  #length = 0;

  /** Appends words and returns the row at which they begin. */
  append(words: Uint32Array): number {
    const row = this.#length / 4;
    this.#reserve(this.#length + words.length);
    this.#words.set(words, this.#length);
    this.#length = roundUp(this.#length + words.length, 4);
    return row;
  }

  appendFloats(floats: Float32Array): number {
    return this.append(new Uint32Array(floats.buffer, floats.byteOffset, floats.length));
  }

  appendView<F extends Fields>(view: View<F>): number {
    return this.append(view.words);
  }

  /** Reserves rows for records that are filled in later. */
  reserve(struct: Struct, count: number): number {
    return this.append(new Uint32Array((struct.size * count) / 4));
  }

  fill<F extends Fields>(row: number, view: View<F>): void {
    this.fillWords(row, view.words);
  }

  fillWords(row: number, words: Uint32Array): void {
    this.#words.set(words, row * 4);
  }

  get byteLength(): number {
    return this.#length * 4;
  }

  finish(): Uint32Array<ArrayBuffer> {
    return this.#words.slice(0, this.#length);
  }

  #reserve(length: number): void {
    if (length <= this.#words.length) return;
    const grown = new Uint32Array(Math.max(length + 4, this.#words.length * 2));
    grown.set(this.#words);
    this.#words = grown;
  }
}
