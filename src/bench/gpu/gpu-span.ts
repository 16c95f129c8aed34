import { readRanges } from '../../device/read-back.ts';

/** Times all that is recorded between two marks, whatever passes and copies it is. */
export function createSpan(device: GPUDevice) {
  const querySet = device.createQuerySet({ type: 'timestamp', count: 4 });
  const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
  const resolved = device.createBuffer({ size: 32, usage });
  // a pass without any work: its time stamps
  const mark = (encoder: GPUCommandEncoder, at: number) =>
    encoder
      .beginComputePass({
        timestampWrites: { querySet, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 },
      })
      .end();
  return {
    begin: (encoder: GPUCommandEncoder): void => mark(encoder, 0),
    end(encoder: GPUCommandEncoder): void {
      mark(encoder, 2);
      encoder.resolveQuerySet(querySet, 0, 4, resolved, 0);
    },
    /** Milliseconds, once it is submitted. */
    async read(): Promise<number> {
      const [bytes] = await readRanges(device, [[resolved, 0, 32]]);
      const times = new BigUint64Array(bytes!);
      return Number(times[2]! - times[1]!) / 1e6;
    },
  };
}
