import { fail } from '../errors.ts';
import type { Backend } from '../frame/backend.ts';
import { VERTEX_BYTES } from '../frame/gpu-memory.ts';
import { pageSize } from '../frame/page-size.ts';
import { Page } from '../frame/page.ts';
import type { CrowdType } from '../frame/types.ts';

export interface PageSetOptions {
  readonly capacity: number;
  readonly motionCapacity: number;
  /** Bytes that the vertices of all pages may take. */
  readonly vertexMemory: number;
}

/** The pages of a crowd: as many as its characters need, each sized for those that come with its first one. */
export class PageSet {
  readonly list: Page[] = [];
  readonly #backend: Backend;
  readonly #types: readonly CrowdType[];
  readonly #options: PageSetOptions;

  constructor(backend: Backend, types: readonly CrowdType[], options: PageSetOptions) {
    this.#backend = backend;
    this.#types = types;
    this.#options = options;
  }

  /**
   * Gives a character room in a page, in a new one if need be; returns it.
   * @param crowd how many characters are coming, this one included, and how many live already
   * @throws ManipleError CROWD_FULL, DEVICE_LIMIT
   */
  add(type: CrowdType, character: number, crowd: { coming: number; living: number }): Page {
    const known = this.list.findLast((page) => page.add(type, character));
    if (known) return known;
    const { capacity, motionCapacity, vertexMemory } = this.#options;
    const used = this.list.reduce((sum, { size }) => sum + size.vertexCapacity, 0);
    const budget = Math.floor(vertexMemory / VERTEX_BYTES) - used;
    const demand = { type, types: this.#types, ...crowd, capacity };
    const size = pageSize(demand, budget, this.#backend.pageLimit);
    if (!size) {
      const { name, vertexCount } = type.character;
      const message = `no vertex memory for another ${vertexCount} vertices (${used * VERTEX_BYTES} bytes in use).`;
      fail('CROWD_FULL', name, message, 'Create the crowd with more vertexMemory, or spawn fewer characters.');
    }
    const page = new Page(size, motionCapacity);
    this.#backend.addPage(page);
    this.list.push(page);
    page.add(type, character);
    return page;
  }
}
