import { providerLayout, providerSections } from '../../src/stages/provider-layout.ts';
import { ProviderMemoryView, type ProviderViews } from '../../src/stages/provider-twins.ts';

/** Providers as a test has them: global rows alone, one after the other. */
export type SceneProviders = Pick<ProviderViews, 'list' | 'time' | 'frame' | 'rows'> & { readonly dt?: number };

/** The memory of providers with every one of them on, for so many characters that live since frame 1. */
export function providerMemory({ rows, dt = 0, ...views }: SceneProviders, capacity: number): ProviderMemoryView {
  const layout = providerLayout(views.list);
  const memory = new Float32Array(4 * providerSections(layout, capacity).rowCount);
  memory.set(rows);
  const words = new Uint32Array(memory.buffer);
  views.list.forEach(({ views: mask = 0xffffffff }, index) => (words[4 * layout.maskRow + index] = mask));
  for (let character = 0; character < capacity; character++) {
    words.set([0xff, 1], 4 * (layout.globalCount + character * layout.characterStride));
  }
  return new ProviderMemoryView({ ...views, dt, capacity, rows: memory });
}
