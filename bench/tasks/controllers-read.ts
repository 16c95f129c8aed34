import { MACHINE_FROZEN, MACHINE_IN_TRANSITION } from '../../src/controller/eval/layout.ts';
import type { GpuSoldiers } from './controllers-crowd.ts';
import type { SoldierScene } from './controllers-scene.ts';

export async function readWords(
  device: GPUDevice,
  buffer: GPUBuffer,
  offset: number,
  size: number,
): Promise<Uint32Array<ArrayBuffer>> {
  const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, offset, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(copy.getMappedRange().slice(0));
  copy.destroy();
  return words;
}

/** Shares of a machine's states, and of those that are in a transition, or in one out of a frozen blend. */
export interface Spread {
  readonly states: Readonly<Record<string, number>>;
  readonly inTransition: number;
  readonly frozen: number;
}

/** Where the machines of a crowd stand, from up to a million of its first characters. */
export async function readSpread(
  device: GPUDevice,
  { tables }: SoldierScene,
  { plan, animators, count }: GpuSoldiers,
): Promise<Spread[]> {
  const sample = Math.min(count, 1_000_000);
  const { machines } = tables.types[0]!.character.controller!;
  const spreads: Spread[] = [];
  for (const [index, { states }] of machines.entries()) {
    const firstRow = plan.regions.get(0, 'machineRow') + 2 * index * count;
    const words = await readWords(device, animators, 16 * firstRow, 16 * sample);
    const counts = states.map(() => 0);
    let [inTransition, frozen] = [0, 0];
    for (let c = 0; c < sample; c++) {
      const flags = words[4 * c + 1]! >>> 16;
      counts[words[4 * c]! & 0xffff]!++;
      if (flags & MACHINE_IN_TRANSITION) inTransition++;
      if (flags & MACHINE_FROZEN) frozen++;
    }
    spreads.push({
      states: Object.fromEntries(states.map((name, s) => [name, counts[s]! / sample])),
      inTransition: inTransition / sample,
      frozen: frozen / sample,
    });
  }
  return spreads;
}
