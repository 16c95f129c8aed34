/**
 * Hands out ranges of a fixed memory by size class, so that ranges which are given back fit the next that ask: no
 * fragmentation between classes, at most 25 % waste inside one.
 */
export class RangePool {
  readonly capacity: number;
  #end = 0;
  readonly #free = new Map<number, number[]>();

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** The offset of `size` free units, or undefined when none are left. `size` must be a size class. */
  take(size: number): number | undefined {
    const free = this.#free.get(size)?.pop();
    if (free !== undefined) return free;
    if (this.#end + size > this.capacity) return undefined;
    this.#end += size;
    return this.#end - size;
  }

  give(offset: number, size: number): void {
    const list = this.#free.get(size);
    if (list) list.push(offset);
    else this.#free.set(size, [offset]);
  }

  /** Forgets all ranges: what a class has given back can serve others again. */
  reset(): void {
    this.#end = 0;
    this.#free.clear();
  }

  /** Units never handed out yet. */
  get untouched(): number {
    return this.capacity - this.#end;
  }
}

const SMALLEST_CLASS = 64;

/** The smallest size class that holds `count`: 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 … */
export function sizeClass(count: number): number {
  if (count <= SMALLEST_CLASS) return SMALLEST_CLASS;
  const power = 2 ** Math.floor(Math.log2(count - 1));
  return [1.25, 1.5, 1.75, 2].map((factor) => power * factor).find((size) => size >= count)!;
}
