import type { LayoutOptions } from '@dagrejs/dagre';

/** A graph in ranks while the layout library orders each of them; edges run through one helper node in each rank they pass. */
type RankedGraph = Parameters<NonNullable<LayoutOptions['customOrder']>>[0];
type OrderRanks = Parameters<NonNullable<LayoutOptions['customOrder']>>[1];

/** Two helper nodes of one rank: the first stands for the transition that is tried earlier. */
interface Pair {
  readonly left: string;
  readonly right: string;
}

/**
 * Orders ranks so that few edges cross, among the orders in which the edges that leave a box follow each other as they are
 * tried: from top to bottom, or from left to right.
 *
 * @param sourceOf Box that an edge leaves, by the edge's name; names are numbers in the order of trying.
 * @param edgeOf Edge whose label a box is.
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

/** Neighbours among the edges that leave one box, by their labels and where they pass the rank beside it. */
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
    // what stands in different boxes cannot be compared
    const side = JSON.stringify([rank, source, ranked.parent(node)]);
    leaving.set(side, [...(leaving.get(side) ?? []), { edge, node }]);
  }
  return [...leaving.values()].flatMap((nodes) => {
    const sorted = nodes.sort((a, b) => a.edge - b.edge);
    return sorted.slice(1).map(({ node }, i) => ({ left: sorted[i]!.node, right: node }));
  });
}

type Orders = ReadonlyMap<string, number>;

/** Places in ranks; boxes around others stand in none. */
function ordersOf(ranked: RankedGraph): Orders {
  return new Map(
    ranked.nodes().flatMap((node) => {
      const { order } = ranked.node(node);
      return order === undefined ? [] : [[node, order]];
    }),
  );
}

/** Whether no two nodes share a place: pairs that contradict boxes around them make the library lose some. */
function isWhole(ranked: RankedGraph): boolean {
  const orders = ordersOf(ranked);
  return new Set(Array.from(orders, ([node, order]) => `${ranked.node(node).rank} ${order}`)).size === orders.size;
}

function apply(ranked: RankedGraph, orders: Orders): void {
  for (const [node, order] of orders) ranked.node(node).order = order;
}
