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
 * Orders ranks so that few edges cross, and of such orders one in which the edges that leave a box follow each other as
 * they are tried: from top to bottom, or from left to right.
 *
 * @param sourceOf Box that an edge leaves, by the edge's name; names are numbers in the order of trying.
 */
export function orderByPriority(ranked: RankedGraph, order: OrderRanks, sourceOf: (edge: number) => string): void {
  order(ranked, {});
  const pairs = priorityPairs(ranked, sourceOf);
  if (pairs.length === 0) return;
  const free = ordersOf(ranked);
  const crossings = countCrossings(ranked);
  order(ranked, { constraints: pairs });
  if (isWhole(ranked) && countCrossings(ranked) <= crossings) return;
  const turned = pairs.filter(({ left, right }) => free.get(left)! > free.get(right)!).length;
  // boxes around others have a left and a right border
  const canMirror = ranked.nodes().every((node) => ranked.children(node).length === 0);
  apply(ranked, canMirror && turned * 2 > pairs.length ? mirrored(ranked, free) : free);
}

/** Neighbours among the edges that leave one box, by where they pass the rank beside it. */
function priorityPairs(ranked: RankedGraph, sourceOf: (edge: number) => string): Pair[] {
  const leaving = new Map<string, { readonly edge: number; readonly node: string }[]>();
  for (const node of ranked.nodes()) {
    const { edgeObj, rank } = ranked.node(node);
    const edge = Number(edgeObj?.name ?? Number.NaN);
    if (!Number.isInteger(edge)) continue;
    const source = sourceOf(edge);
    if (Math.abs(rank! - (ranked.node(source).rank ?? Number.NaN)) !== 1) continue;
    const side = `${rank} ${source}`;
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

function mirrored(ranked: RankedGraph, orders: Orders): Orders {
  const last = new Map<number, number>();
  for (const [node, order] of orders) {
    const { rank = 0 } = ranked.node(node);
    last.set(rank, Math.max(last.get(rank) ?? 0, order));
  }
  return new Map(Array.from(orders, ([node, order]) => [node, last.get(ranked.node(node).rank ?? 0)! - order]));
}

/** Crossings between neighbouring ranks, each by the weights of its edges. */
function countCrossings(ranked: RankedGraph): number {
  const gaps = new Map<number, { from: number; to: number; weight: number }[]>();
  for (const { v, w, name } of ranked.edges()) {
    const [from, to] = [ranked.node(v), ranked.node(w)];
    const gap = gaps.get(from.rank!) ?? [];
    gap.push({ from: from.order!, to: to.order!, weight: ranked.edge(v, w, name).weight ?? 1 });
    gaps.set(from.rank!, gap);
  }
  let crossings = 0;
  for (const gap of gaps.values()) {
    for (const [i, a] of gap.entries()) {
      for (const b of gap.slice(i + 1)) if ((a.from - b.from) * (a.to - b.to) < 0) crossings += a.weight * b.weight;
    }
  }
  return crossings;
}
