// A process that opens a device, uses it, and ends in the way its first argument names: run by device.gpu.test.ts.
import { nodeDevice, type NodeGpuKind } from '../../src/node/node-gpu.ts';

async function main(ending: string, kind: NodeGpuKind): Promise<void> {
  const { device } = await nodeDevice({ kind });
  const buffer = device.createBuffer({ size: 256, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, Uint32Array.of(1, 2, 3));
  globalThis.gc?.(); // a collected Dawn object would abort the process
  if (ending === 'pending') {
    void buffer.mapAsync(GPUMapMode.READ).catch(() => undefined);
    return;
  }
  await buffer.mapAsync(GPUMapMode.READ);
  if (kind !== 'null' && new Uint32Array(buffer.getMappedRange())[2] !== 3) throw new Error('wrong content');
  if (ending === 'destroy') device.destroy();
  if (ending === 'exit') process.exit(0);
}

await main(process.argv[2] ?? 'return', (process.argv[3] ?? 'auto') as NodeGpuKind);
