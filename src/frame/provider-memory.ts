import { struct, View } from '../layout/index.ts';
import { ProviderFrame } from '../stages/skin-vertices/layout.ts';
import { providerRows, type VertexProvider } from '../stages/skin-vertices/providers.ts';
import type { ProviderBuffers } from '../stages/skin-vertices/stage.ts';
import { Column } from './column.ts';
import { createBuffer } from './gpu-memory.ts';

/** A row that a provider keeps. */
const ProviderRow = struct('ProviderRow', { value: 'vec4f' });

export type ProviderRows = Column<(typeof ProviderRow)['fields']>;

/** The rows of all providers, in the order of their list. */
export function createProviderRows(providers: readonly VertexProvider[]): ProviderRows {
  return new Column(ProviderRow, providerRows(providers).at(-1)!);
}

/** Modulo 2¹² seconds, of 32.32 fixed point: half a millisecond still counts in a float. */
const TIME_MASK = 2n ** 44n - 1n;

/** The crowd's clock as providers see it: seconds modulo 4,096, a float. */
export function providerSeconds(time: bigint): number {
  return Math.fround(Number(time & TIME_MASK) * 2 ** -32);
}

/** What kernels with providers read. */
export class ProviderMemory {
  readonly buffers: ProviderBuffers;

  constructor(device: GPUDevice, providers: readonly VertexProvider[]) {
    const rowBytes = providerRows(providers).at(-1)! * ProviderRow.size;
    const { UNIFORM, STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
    this.buffers = {
      providerFrame: createBuffer(device, 'provider frame', UNIFORM | COPY_DST | COPY_SRC, ProviderFrame.size),
      providerRows: createBuffer(device, 'provider rows', STORAGE | COPY_DST | COPY_SRC, rowBytes),
    };
  }

  get byteLength(): number {
    return this.buffers.providerFrame.size + this.buffers.providerRows.size;
  }

  destroy(): void {
    for (const buffer of Object.values(this.buffers)) buffer.destroy();
  }
}

/** The uniform of one frame. */
export function providerFrame(time: bigint, frame: number): View<(typeof ProviderFrame)['fields']> {
  const view = new View(ProviderFrame, 1);
  view.assign(0, { time: providerSeconds(time), frame });
  return view;
}
