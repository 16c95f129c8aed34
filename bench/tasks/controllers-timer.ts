import { encodeDispatch, type Dispatch } from '../../src/stages/kernel.ts';
import { WARM_UP } from '../../src/bench/gpu/gpu-timer.ts';
import { median } from '../../src/bench/statistics.ts';

/** One pass; without a name it is not timed. */
export interface TimedPass {
  readonly name?: string;
  readonly dispatches: readonly Dispatch[];
}

/** Rounds per readback of times. */
export const ROUNDS = 20;

/**
 * Median milliseconds of each named pass over twenty rounds, after half a second of rounds back to back.
 * @param beforeRound Records, or writes, what a round of passes finds.
 */
export async function timePasses(
  device: GPUDevice,
  passes: readonly TimedPass[],
  warmUp: number = WARM_UP,
  beforeRound?: (encoder: GPUCommandEncoder, round: number) => void,
): Promise<Record<string, number>> {
  const names = passes.flatMap(({ name }) => name ?? []);
  const queries = 2 * names.length * ROUNDS;
  const querySet = device.createQuerySet({ type: 'timestamp', count: queries });
  const size = 8 * queries;
  const resolved = device.createBuffer({ size, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const start = performance.now();
  do {
    const encoder = device.createCommandEncoder();
    let query = 0;
    for (let round = 0; round < ROUNDS; round++) {
      beforeRound?.(encoder, round);
      for (const { name, dispatches } of passes) {
        const timestampWrites = { querySet, beginningOfPassWriteIndex: query, endOfPassWriteIndex: query + 1 };
        const pass = encoder.beginComputePass(name === undefined ? {} : { timestampWrites });
        if (name !== undefined) query += 2;
        dispatches.forEach((dispatch) => encodeDispatch(pass, dispatch));
        pass.end();
      }
    }
    encoder.resolveQuerySet(querySet, 0, queries, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, copy, 0, size);
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
  } while (performance.now() - start < warmUp);
  await copy.mapAsync(GPUMapMode.READ);
  const times = new BigInt64Array(copy.getMappedRange().slice(0));
  for (const owned of [querySet, resolved, copy]) owned.destroy();
  const spans = Array.from(
    { length: names.length * ROUNDS },
    (_, i) => Number(times[2 * i + 1]! - times[2 * i]!) / 1e6,
  );
  return Object.fromEntries(
    names.map((name, index) => [name, median(spans.filter((_, i) => i % names.length === index))]),
  );
}
