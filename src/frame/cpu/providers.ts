import { ProviderMemoryView } from '../../stages/provider-twins.ts';
import { providerLayout, providerSections, type ProviderLayout } from '../../stages/provider-layout.ts';
import type { FrameInputs } from '../backend.ts';
import { providerChanges, providerSeconds, stateBytes } from '../tables/provider-memory.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';

/** The memory of providers for twins, identical to that of kernels byte for byte. */
export class CpuProviders {
  readonly rows: Float32Array<ArrayBuffer>;
  readonly #layout: ProviderLayout;
  readonly #state: Uint32Array<ArrayBuffer>;

  constructor(readonly shape: Pick<CrowdLayout, 'providers' | 'capacity'>) {
    this.#layout = providerLayout(shape.providers);
    this.rows = new Float32Array(4 * providerSections(this.#layout, shape.capacity).rowCount);
    this.#state = new Uint32Array(this.rows.buffer, stateBytes(this.#layout, shape.capacity)[0]);
  }

  get byteLength(): number {
    return this.rows.byteLength;
  }

  /** Copies global rows, and rows of the first `count` characters, from the memory of a crowd with another capacity. */
  takeOver(rows: Float32Array, count: number): void {
    const { globalCount, characterStride } = this.#layout;
    this.rows.set(rows.subarray(0, 4 * (globalCount + count * characterStride)));
  }

  takeChanges({ providers }: FrameInputs): void {
    for (const { byteOffset, bytes } of providerChanges(providers, this.#layout)) {
      new Uint8Array(this.rows.buffer).set(bytes, byteOffset);
    }
  }

  /** The view for twins in a frame; undefined if there are no providers. */
  view({ time, frame, animators: { dt } }: FrameInputs): ProviderMemoryView | undefined {
    const { providers: list, capacity } = this.shape;
    if (list.length === 0) return undefined;
    const clock = { time: providerSeconds(time), frame, dt: Math.fround(dt) };
    return new ProviderMemoryView({ list, ...clock, capacity, rows: this.rows });
  }

  /** Copies the state of updates to `states`. */
  save(states: Uint32Array): void {
    states.set(this.#state.subarray(0, states.length));
  }

  restore(states: Uint32Array): void {
    this.#state.set(states);
  }
}
