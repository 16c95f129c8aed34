import { fail } from '../errors.ts';

/** Commands that were recorded into an encoder of the caller's. */
export interface Submission {
  /**
   * Call this once the encoder's commands are submitted: only then can memory of uploads be reused and read-backs be mapped.
   * Resolves when the commands have run; rejects with DEVICE_LOST. Later calls return the same promise.
   */
  submitted(): Promise<void>;
}

/** Submissions that can be open at once: recorded, and `submitted` not called. */
const OPEN_LIMIT = 16;

/** Counts open submissions. Without the limit, a loop that never calls `submitted` would run out of memory. */
export class Submissions {
  openCount = 0;

  /** Call this before anything is recorded. @throws ManipleError CROWD_FRAME_OPEN */
  expectFew(limit: number = OPEN_LIMIT): void {
    if (this.openCount < limit) return;
    const message = `${this.openCount} frames are encoded and not known to be submitted.`;
    fail('CROWD_FRAME_OPEN', 'crowd', message, 'Submit them and call submitted() first.');
  }

  /** @param finish Called by the first call of `submitted`. */
  open(finish: () => Promise<void>): Submission['submitted'] {
    this.openCount++;
    let done: Promise<void> | undefined;
    const close = () => {
      this.openCount--;
      return finish();
    };
    return () => (done ??= close());
  }
}
