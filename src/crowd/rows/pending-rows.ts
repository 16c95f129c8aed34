/** Which characters have been through a frame: until then nothing of theirs can be read back. */
export class PendingRows {
  /** By row, the frame before the first one: of those that no frame has stepped yet, and of those that none has shown. */
  readonly #unstepped = new Map<number, number>();
  readonly #unseen = new Map<number, number>();

  spawned(row: number, frame: number): void {
    for (const waiting of [this.#unstepped, this.#unseen]) {
      // to the end: rows are in the order of their frames
      waiting.delete(row);
      waiting.set(row, frame);
    }
  }

  /** A restored character, which earlier frames have stepped; no new frame has shown it. */
  restored(row: number, frame: number): void {
    this.#unseen.delete(row);
    this.#unseen.set(row, frame);
  }

  left(row: number): void {
    this.#unstepped.delete(row);
    this.#unseen.delete(row);
  }

  /** A frame has been submitted. */
  submitted(frame: number, seen: boolean): void {
    for (const waiting of seen ? [this.#unstepped, this.#unseen] : [this.#unstepped]) {
      for (const [row, before] of waiting) {
        if (before >= frame) break;
        waiting.delete(row);
      }
    }
  }

  isStepped(row: number): boolean {
    return !this.#unstepped.has(row);
  }

  isSeen(row: number): boolean {
    return !this.#unseen.has(row);
  }
}
