interface Owned {
  destroy(): void;
}

/** Memory that frames to come do not need, until it can be freed: when a later frame with views is submitted. */
export class Retired {
  readonly #isLate: boolean;
  readonly #owned: Owned[];
  /** The same of the frame before, which may still be drawn. */
  #late: Owned[] = [];

  /**
   * @param isLate Frames may be drawn after the next one: then memory lives for a frame more.
   * @param before What another backend has left.
   */
  constructor(isLate: boolean, before: readonly Owned[] = []) {
    this.#isLate = isLate;
    this.#owned = [...before];
  }

  get all(): readonly Owned[] {
    return [...this.#owned, ...this.#late];
  }

  push(...owned: readonly Owned[]): void {
    this.#owned.push(...owned);
  }

  /** A frame with views has been recorded: returns what can be freed once it is submitted. */
  take(): readonly Owned[] {
    const due = this.#owned.splice(0);
    if (!this.#isLate) return due;
    const late = this.#late;
    this.#late = due;
    return late;
  }
}
