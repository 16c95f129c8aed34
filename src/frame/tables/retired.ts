interface Owned {
  destroy(): void;
}

/** Memory that no future frame needs. It is freed when a later frame with views is submitted. */
export class Retired {
  readonly #isLate: boolean;
  readonly #owned: Owned[];
  /** Memory retired one frame earlier, which may still be drawn. */
  #late: Owned[] = [];

  /**
   * @param isLate True if frames may be drawn after the next one is recorded: then memory is kept for one frame more.
   * @param before Memory that another backend retired.
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

  /** Called once a frame with views is recorded. Returns memory to free once it is submitted. */
  take(): readonly Owned[] {
    const due = this.#owned.splice(0);
    if (!this.#isLate) return due;
    const late = this.#late;
    this.#late = due;
    return late;
  }
}
