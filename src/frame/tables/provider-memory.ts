import { struct, type View } from '../../layout/index.ts';
import {
  ProviderFrame,
  providerLayout,
  providerSections,
  stateBytes,
  type ProviderLayout,
  type ProviderSizes,
} from '../../stages/provider-layout.ts';
import type { ResourceSource } from '../../stages/provider-resources.ts';
import { Column, viewOf } from './column.ts';
import { checkSizes, createStorage, createUniform } from './memory.ts';
import type { ProviderBuffers } from '../../stages/provider-resources.ts';

const ProviderRow = /* @__PURE__ */ struct('ProviderRow', { value: 'vec4f' });
const ROW_BYTES = ProviderRow.size;

export type ProviderRows = Column<(typeof ProviderRow)['fields']>;

/** CPU-side inputs of a frame for providers. */
export interface ProviderInputs {
  /** Global rows and view masks. */
  readonly rows: ProviderRows;
  readonly characters: ProviderRows;
  readonly resources: ResourceSource;
}

export function createProviderRows(count: number): ProviderRows {
  return new Column(ProviderRow, count);
}

/** Mask for time modulo 2¹² seconds, in 32.32 fixed point. A float then still resolves half a millisecond. */
const TIME_MASK = 2n ** 44n - 1n;

/** The crowd's clock as providers see it: seconds modulo 4,096, a float. */
export function providerSeconds(time: bigint): number {
  return Math.fround(Number(time & TIME_MASK) * 2 ** -32);
}

/** Changed rows, with byte offsets in the memory of providers. */
export function providerChanges(
  { rows, characters }: ProviderInputs,
  { globalCount }: ProviderLayout,
): { byteOffset: number; bytes: Uint8Array<ArrayBuffer> }[] {
  const moved = characters.takeChanges().map(({ byteOffset, bytes }) => ({
    byteOffset: byteOffset + globalCount * ROW_BYTES,
    bytes,
  }));
  return [...rows.takeChanges(), ...moved];
}

/** GPU memory that kernels with providers read. */
export class ProviderMemory {
  readonly buffers: ProviderBuffers;
  readonly layout: ProviderLayout;

  /** @throws ManipleError DEVICE_LIMIT */
  constructor(
    device: GPUDevice,
    providers: readonly ProviderSizes[],
    readonly capacity: number,
    resources?: ResourceSource,
  ) {
    this.layout = providerLayout(providers);
    const rowBytes = providerSections(this.layout, capacity).rowCount * ROW_BYTES;
    checkSizes(device, { 'provider rows': rowBytes });
    this.buffers = {
      providerFrame: createUniform(device, 'provider frame', ProviderFrame),
      providerRows: createStorage(device, 'provider rows', rowBytes),
      ...(resources ? { resources } : {}),
    };
  }

  /** Copies all data of the first `count` characters from another memory of the same providers. */
  takeOver(encoder: GPUCommandEncoder, from: ProviderMemory, count: number): void {
    const { globalCount, characterStride } = this.layout;
    const [source, target] = [from.buffers.providerRows, this.buffers.providerRows];
    const shared = (globalCount + count * characterStride) * ROW_BYTES;
    if (shared > 0) encoder.copyBufferToBuffer(source, 0, target, 0, shared);
    const [[before, each], [after]] = [stateBytes(from.layout, from.capacity), stateBytes(this.layout, this.capacity)];
    if (count * each > 0) encoder.copyBufferToBuffer(source, before, target, after, count * each);
  }

  get byteLength(): number {
    return this.buffers.providerFrame.size + this.buffers.providerRows.size;
  }

  destroy(): void {
    this.buffers.providerFrame.destroy();
    this.buffers.providerRows.destroy();
  }
}

export function providerFrame(
  { layout, capacity }: Pick<ProviderMemory, 'layout' | 'capacity'>,
  { time, frame, dt }: { readonly time: bigint; readonly frame: number; readonly dt: number },
): View<(typeof ProviderFrame)['fields']> {
  const { characterRow, stateRow } = providerSections(layout, capacity);
  return viewOf(ProviderFrame, [{ time: providerSeconds(time), frame, dt, characterRow, stateRow }]);
}
