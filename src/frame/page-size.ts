import { SLOT_COPIES, placeSize, type PageSize } from './page.ts';
import type { CrowdType } from './types.ts';

/** Who needs a page. */
export interface PageDemand {
  readonly type: CrowdType;
  /** All types that may come to live in the page. */
  readonly types: readonly CrowdType[];
  /** Characters of the type that are being spawned together. */
  readonly coming: number;
  /** Characters that live already. */
  readonly living: number;
  /** Characters that the crowd can hold. */
  readonly capacity: number;
}

/** Places in a page at least, as far as the crowd's capacity leaves any: characters that come one by one share pages. */
const LEAST_PLACES = 16;

/**
 * The size of a new page: as large as what comes needs, and, so that a crowd that grows one by one has few pages, as
 * all that lives already. Undefined where not even one character fits.
 *
 * @param vertexBudget Vertices that the crowd may still allocate.
 */
export function pageSize(
  { type, types, coming, living, capacity }: PageDemand,
  vertexBudget: number,
  limit: PageSize,
): PageSize | undefined {
  const { slotCapacity, paletteRows } = placeSize(type);
  const slot = SLOT_COPIES * slotCapacity;
  const wanted = Math.min(Math.max(coming, living, LEAST_PLACES), capacity - living);
  const vertices = Math.min(vertexBudget, limit.vertexCapacity);
  const places = Math.min(
    wanted,
    Math.floor(vertices / slot),
    Math.floor(limit.paletteRowCapacity / paletteRows),
    limit.visibleCapacity,
  );
  if (places < 1) return undefined;
  // others may take the places later: the smallest types fit more often
  const smallest = Math.min(...types.map((other) => SLOT_COPIES * placeSize(other).slotCapacity));
  const longest = Math.max(...types.map((other) => placeSize(other).paletteRows));
  const visible = Math.ceil((places * slot) / smallest);
  return {
    vertexCapacity: places * slot,
    paletteRowCapacity: Math.min(places * longest, limit.paletteRowCapacity),
    visibleCapacity: Math.min(visible, capacity, limit.visibleCapacity),
  };
}
