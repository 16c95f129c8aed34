import { fail } from '../errors.ts';
import type { Backend } from '../frame/backend.ts';
import { VERTEX_BYTES } from '../frame/gpu-memory.ts';
import { pageSize } from '../frame/page-size.ts';
import { Page, placeSize, SLOT_COPIES } from '../frame/page.ts';
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
  #backend: Backend;
  #types: readonly CrowdType[];
  #options: PageSetOptions;

  constructor(backend: Backend, types: readonly CrowdType[], options: PageSetOptions) {
    this.#backend = backend;
    this.#types = types;
    this.#options = options;
  }

  /** Goes on with other types, or another capacity; the pages stay. */
  reshape(backend: Backend, types: readonly CrowdType[], options: Omit<PageSetOptions, 'vertexMemory'>): void {
    this.#backend = backend;
    this.#types = types;
    this.#options = { ...this.#options, ...options };
  }

  /** Gives up all pages, whoever lives in them. */
  clear(): void {
    for (const page of this.list.splice(0)) this.#backend.removePage(page);
  }

  /**
   * Gives a character room in a page, in a new one if need be; returns it.
   * @param crowd how many characters are coming, this one included, and how many live already
   * @throws ManipleError CROWD_FULL, DEVICE_LIMIT
   */
  add(type: CrowdType, character: number, crowd: { coming: number; living: number }): Page {
    const known = this.list.findLast((page) => page.add(type, character));
    if (known) return known;
    const { capacity, motionCapacity } = this.#options;
    const demand = { type, types: this.#types, ...crowd, capacity };
    const limit = this.#backend.pageLimit;
    const size =
      pageSize(demand, this.#budget, limit) ?? (this.#releaseEmpty() && pageSize(demand, this.#budget, limit));
    if (!size) this.#refuse(type);
    const page = new Page(size, motionCapacity);
    this.#backend.addPage(page);
    this.list.push(page);
    page.add(type, character);
    return page;
  }

  /** Vertices that new pages may have. */
  get #budget(): number {
    return Math.floor(this.#options.vertexMemory / VERTEX_BYTES) - this.#used;
  }

  get #used(): number {
    return this.list.reduce((sum, { size }) => sum + size.vertexCapacity, 0);
  }

  /** Gives up pages in which nobody lives; false when there are none. */
  #releaseEmpty(): boolean {
    const empty = this.list.filter((page) => page.visibleCount === 0);
    for (const page of empty) this.#backend.removePage(page);
    this.list.splice(0, Infinity, ...this.list.filter((page) => page.visibleCount > 0));
    return empty.length > 0;
  }

  #refuse(type: CrowdType): never {
    const { name, vertexCount } = type.character;
    const { slotCapacity, paletteRows } = placeSize(type);
    const { vertexCapacity, paletteRowCapacity } = this.#backend.pageLimit;
    if (SLOT_COPIES * slotCapacity > vertexCapacity || paletteRows > paletteRowCapacity) {
      const message = `${vertexCount} vertices and ${paletteRows} palette rows; a page holds ${vertexCapacity / SLOT_COPIES} and ${paletteRowCapacity}.`;
      fail(
        'DEVICE_LIMIT',
        name,
        message,
        'Request the device with the limits of its adapter, or simplify the character.',
      );
    }
    const message = `no vertex memory for another ${vertexCount} vertices (${this.#used * VERTEX_BYTES} bytes in use).`;
    fail('CROWD_FULL', name, message, 'Create the crowd with more vertexMemory, or spawn fewer characters.');
  }
}
