/**
 * Bytes that are added at the end and may be dropped at the beginning. Places are counted from the first byte ever
 * written.
 */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #begin = 0;
  #used = 0;

  /** Place of the next byte. */
  get end(): number {
    return this.#begin + this.#used;
  }

  get byteLength(): number {
    return this.#used;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#used++] = value;
  }

  /** A whole number below 2⁵³, seven bits to a byte, the lowest first. */
  count(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80);
    this.byte(rest);
  }

  word(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#used, value, true);
    this.#used += 4;
  }

  float(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#used, value, true);
    this.#used += 8;
  }

  /** Appends all bytes of another writer. */
  append(other: ByteWriter): void {
    this.#reserve(other.#used);
    this.#bytes.set(other.#bytes.subarray(0, other.#used), this.#used);
    this.#used += other.#used;
  }

  /** Copies the bytes from a place to the end. */
  since(place: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(place - this.#begin, this.#used);
  }

  /** Drops the bytes before a place. */
  drop(place: number): void {
    const count = place - this.#begin;
    this.#bytes.copyWithin(0, count, this.#used);
    this.#used -= count;
    this.#begin = place;
    if (this.#bytes.length > 4 * Math.max(1024, this.#used)) this.#resize(2 * Math.max(1024, this.#used));
  }

  #reserve(count: number): void {
    if (this.#used + count > this.#bytes.length) this.#resize(2 * (this.#used + count));
  }

  #resize(size: number): void {
    const bytes = new Uint8Array(size);
    bytes.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

/** Reads what a `ByteWriter` wrote. Calls `refuse` for reads beyond the end and for invalid counts. */
export class ByteReader {
  readonly #view: DataView;
  readonly #refuse: (message: string) => never;
  #at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>, refuse: (message: string) => never) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#refuse = refuse;
  }

  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.#view.byteLength - this.#at;
  }

  byte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  count(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (value > Number.MAX_SAFE_INTEGER || factor > 2 ** 49) this.#refuse('a number is too large');
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }

  /** A count of items that take at least one byte each. It cannot exceed the bytes that are left. */
  length(): number {
    const count = this.count();
    if (count > this.left) this.#refuse(`${count} things in ${this.left} bytes`);
    return count;
  }

  word(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  float(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  #take(count: number): number {
    if (count > this.left) this.#refuse('ends in the midst of something');
    this.#at += count;
    return this.#at - count;
  }
}
