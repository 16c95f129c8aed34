import type { LayoutOptions } from '@dagrejs/dagre';

/** A graph in ranks while the layout library orders each of them; edges run through one helper node in each rank they pass. */
type RankedGraph = Parameters<NonNullable<LayoutOptions['customOrder']>>[0];
type OrderRanks = Parameters<NonNullable<LayoutOptions['customOrder']>>[1];

/** Two helper nodes of one rank. The first belongs to the transition that is tried earlier. */
interface Pair {
  readonly left: string;
  readonly right: string;
}

/**
 * Orders ranks so that few edges cross. The edges that leave a box keep the order in which they are tried: from top to
 * bottom, or from left to right.
 *
 * @param sourceOf Box that an edge leaves, by the edge's name; names are numbers in the order of trying.
 * @param edgeOf Edge that a label's box belongs to.
 */
export function orderByPriority(
  ranked: RankedGraph,
  order: OrderRanks,
  sourceOf: (edge: number) => string,
  edgeOf: (node: string) => number | undefined,
): void {
  order(ranked, {});
  const pairs = priorityPairs(ranked, sourceOf, edgeOf);
  if (pairs.length === 0) return;
  const free = ordersOf(ranked);
  order(ranked, { constraints: pairs });
  if (!isWhole(ranked)) apply(ranked, free);
}

/** Neighbours among the edges that leave one box, by their labels and by where they pass the next rank. */
function priorityPairs(
  ranked: RankedGraph,
  sourceOf: (edge: number) => string,
  edgeOf: (node: string) => number | undefined,
): Pair[] {
  const leaving = new Map<string, { readonly edge: number; readonly node: string }[]>();
  for (const node of ranked.nodes()) {
    const { edgeObj, rank } = ranked.node(node);
    const label = edgeOf(node);
    const edge = label ?? Number(edgeObj?.name ?? Number.NaN);
    if (!Number.isInteger(edge)) continue;
    const source = sourceOf(edge);
    const isBeside = Math.abs(rank! - (ranked.node(source).rank ?? Number.NaN)) === 1;
    if (label === undefined && !isBeside) continue;
    // nodes in different boxes cannot be compared
    const side = JSON.stringify([rank, source, ranked.parent(node)]);
    leaving.set(side, [...(leaving.get(side) ?? []), { edge, node }]);
  }
  return [...leaving.values()].flatMap((nodes) => {
    const sorted = nodes.sort((a, b) => a.edge - b.edge);
    return sorted.slice(1).map(({ node }, i) => ({ left: sorted[i]!.node, right: node }));
  });
}

type Orders = ReadonlyMap<string, number>;

/** Places in ranks. Boxes around others have none. */
function ordersOf(ranked: RankedGraph): Orders {
  return new Map(
    ranked.nodes().flatMap((node) => {
      const { order } = ranked.node(node);
      return order === undefined ? [] : [[node, order]];
    }),
  );
}

/** Returns true if no two nodes share a place. The library loses some where pairs contradict the boxes around them. */
function isWhole(ranked: RankedGraph): boolean {
  const orders = ordersOf(ranked);
  return new Set(Array.from(orders, ([node, order]) => `${ranked.node(node).rank} ${order}`)).size === orders.size;
}

function apply(ranked: RankedGraph, orders: Orders): void {
  for (const [node, order] of orders) ranked.node(node).order = order;
}
