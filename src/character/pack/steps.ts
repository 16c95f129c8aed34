/**
 * Work in steps of a few milliseconds. It can be interrupted or cancelled at each `yield`. Returns the result. A step that
 * yields a promise has nothing to do before it resolves; only work that others share yields them.
 */
export type Steps<T> = Generator<Promise<void> | undefined, T, undefined>;

/** Milliseconds of work before other tasks of the thread run. */
const SLICE_MS = 5;

/** Does the first work, and a step of the second whenever the first has nothing to do; then the rest of the second. */
export function* together<A, B>(first: Steps<A>, second: Steps<B>): Steps<readonly [A, B]> {
  let other: IteratorResult<Promise<void> | undefined, B> | undefined;
  for (;;) {
    const step = first.next();
    if (step.done) return [step.value, other?.done ? other.value : yield* second];
    if (!step.value || other?.done) yield step.value;
    else {
      other = second.next();
      yield;
    }
  }
}

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Lets other tasks run every 5 ms, or after a longer step. @throws what a step throws, and the reason of the signal */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (let end = performance.now() + SLICE_MS; ;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value) await step.value;
    if (performance.now() < end) continue;
    await nextTask();
    end = performance.now() + SLICE_MS;
  }
}

/** Resolves after other tasks have run. Timers would do so too, but browsers delay them. */
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
