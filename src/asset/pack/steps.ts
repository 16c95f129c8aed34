/**
 * Work in steps of a few milliseconds at most. Each `yield` is a place where the work can be interrupted, or ended. The
 * generator returns the result.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Milliseconds that work keeps a thread before other tasks have it. */
const SLICE_MS = 5;

/** Takes all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Takes all steps, and lets other tasks of the thread run in between: every 5 ms, or after the step that was longer.
 *
 * @throws whatever a step throws, and the signal's reason
 */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (let end = performance.now() + SLICE_MS; ;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < end) continue;
    await nextTask();
    end = performance.now() + SLICE_MS;
  }
}

/** Resolves once other tasks have run. Timers would do so too, but browsers delay them. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => {
        port1.close();
        resolve();
      });
      port1.start();
      port2.postMessage(undefined);
    }
  });
}
