/**
 * Work in steps of a few milliseconds at most. Each `yield` is a place where the work can be interrupted, or ended. The
 * generator returns the result.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Takes all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
