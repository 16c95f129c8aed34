import { median } from '../statistics.ts';

/** One dispatch to be timed. */
export interface Step {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly groups: readonly [x: number, y: number];
}

export interface Timed {
  /** Median milliseconds of each step, and of the whole sequence. */
  readonly steps: number[];
  readonly total: number;
  /** Milliseconds of the whole sequence, for each repeat. */
  readonly totals: readonly number[];
}

/** A GPU reaches its full clock only under load: milliseconds of work before anything is measured. */
export const WARM_UP = 500;

/** Times a sequence of dispatches by timestamp queries: medians over `repeats`, after a warm-up of half a second. */
export async function timeSteps(device: GPUDevice, steps: readonly Step[], repeats = 20): Promise<Timed> {
  const queries = 2 * steps.length * repeats;
  const querySet = device.createQuerySet({ type: 'timestamp', count: queries });
  const resolved = device.createBuffer({
    size: 8 * queries,
    usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
  });
  const copy = device.createBuffer({ size: 8 * queries, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const start = performance.now();
  for (let round = 0; round < 2 || performance.now() - start < WARM_UP; round++) {
    const encoder = device.createCommandEncoder();
    let query = 0;
    for (let r = 0; r < repeats; r++) {
      for (const { pipeline, group, groups } of steps) {
        const pass = encoder.beginComputePass({
          timestampWrites: { querySet, beginningOfPassWriteIndex: query++, endOfPassWriteIndex: query++ },
        });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(...groups);
        pass.end();
      }
    }
    encoder.resolveQuerySet(querySet, 0, queries, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, copy, 0, 8 * queries);
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
  }
  await copy.mapAsync(GPUMapMode.READ);
  const times = new BigInt64Array(copy.getMappedRange().slice(0));
  for (const owned of [querySet, resolved, copy]) owned.destroy();
  const at = (repeat: number, step: number, end: 0 | 1) =>
    Number(times[2 * (repeat * steps.length + step) + end]!) / 1e6;
  const runs = Array.from({ length: repeats }, (_, r) => r);
  const totals = runs.map((r) => at(r, steps.length - 1, 1) - at(r, 0, 0));
  return {
    steps: steps.map((_, s) => median(runs.map((r) => at(r, s, 1) - at(r, s, 0)))),
    total: median(totals),
    totals,
  };
}
