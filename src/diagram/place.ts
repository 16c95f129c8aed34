import { Graph, layout } from '@dagrejs/dagre';
import type { GraphEdge, GraphNode, MachineGraph } from './machine-graph.ts';
import { orderByPriority } from './order.ts';

/** Boxes by their centres, in pixels from the top left corner. */
export interface Placement {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Box>;
  readonly clusters: ReadonlyMap<string, Box>;
  readonly edges: readonly PlacedEdge[];
  /** Ranks follow each other to the right; else downwards. */
  readonly horizontal: boolean;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** The centre of its label. */
  readonly label: Point;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * More than this is not drawn with arrows: nobody could follow them, and the layout would take too long. `ranks` is the
 * sum of the ranks that all arrows pass.
 */
const ARROW_LIMITS = { nodes: 160, edges: 320, ranks: 5000 } as const;
/** With more arrows than this, a second layout costs more than its shape is worth. */
const SECOND_LAYOUT_LIMIT = 120;
/** A picture that fits a page this wide needs no other direction. */
const PAGE_WIDTH = 1500;
const PORT_GAP = 11;
const MARGIN = 8;

/** Places a graph, or returns undefined where it is too large for arrows. */
export function placeGraph(graph: MachineGraph): Placement | undefined {
  if (graph.nodes.length > ARROW_LIMITS.nodes || graph.edges.length > ARROW_LIMITS.edges) return undefined;
  try {
    const order = reachOrder(graph);
    if (passedRanks(graph, order) > ARROW_LIMITS.ranks) return undefined;
    const across = placeAlong(graph, order, true);
    if (across.width <= PAGE_WIDTH || graph.edges.length > SECOND_LAYOUT_LIMIT) return across;
    const down = placeAlong(graph, order, false);
    return badness(down) < badness(across) ? down : across;
  } catch {
    return undefined; // the layout library gave up; lists show the same machine
  }
}

/** How often the page would have to be turned: width counts twice, because screens scroll downwards. */
function badness({ width, height }: Placement): number {
  return Math.max(1, width / PAGE_WIDTH) ** 2 * Math.max(1, height / 1200);
}

/** Ranks between the ends of all arrows, each box standing as early as its arrows allow. */
function passedRanks(graph: MachineGraph, order: ReadonlyMap<string, number>): number {
  const ways = graph.edges.map(({ from, to }) => {
    const [a, b] = [order.get(from)!, order.get(to)!];
    return [Math.min(a, b), Math.max(a, b)] as const;
  });
  const ranks = new Map<number, number>();
  for (const [a, b] of ways.toSorted((p, q) => p[0] - q[0])) {
    if (a !== b) ranks.set(b, Math.max(ranks.get(b) ?? 0, (ranks.get(a) ?? 0) + 1));
  }
  return ways.reduce((sum, [a, b]) => sum + (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0), 0);
}

function placeAlong(graph: MachineGraph, order: ReadonlyMap<string, number>, horizontal: boolean): Placement {
  const isForward = ({ from, to }: GraphEdge) => order.get(from)! <= order.get(to)!;
  const g = new Graph({ compound: graph.clusters.length > 0, multigraph: true });
  g.setGraph({
    rankdir: horizontal ? 'LR' : 'TB',
    nodesep: 30,
    edgesep: 16,
    ranksep: horizontal ? 76 : 60,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  for (const { id } of graph.clusters) g.setNode(id, {});
  for (const node of graph.nodes) g.setNode(node.id, roomFor(node, graph.edges, isForward, horizontal));
  for (const { id, cluster } of [...graph.clusters, ...graph.nodes])
    if (cluster !== undefined) g.setParent(id, cluster);
  for (const [i, edge] of graph.edges.entries()) {
    const [v, w] = isForward(edge) ? [edge.from, edge.to] : [edge.to, edge.from];
    const weight = edge.dashed || edge.kind === 'any' ? 1 : edge.kind === 'entry' ? 4 : 2;
    g.setEdge(v, w, { width: edge.width, height: edge.height, labelpos: 'c', weight, minlen: 1 }, `${i}`);
  }
  const isSmall = graph.edges.length <= SECOND_LAYOUT_LIMIT;
  layout(g, {
    ...(isSmall && {
      customOrder: (ranked, order) => orderByPriority(ranked, order, (edge) => graph.edges[edge]!.from),
    }),
  });

  const boxOf = (id: string): Box => {
    const { x, y, width, height } = g.node(id) as Box;
    return { x, y, width, height };
  };
  const nodes = new Map(graph.nodes.map(({ id }) => [id, boxOf(id)]));
  const clusters = new Map(graph.clusters.map(({ id }) => [id, boxOf(id)]));
  const routes = graph.edges.map((edge, i): PlacedEdge => {
    const forward = isForward(edge);
    const [v, w] = forward ? [edge.from, edge.to] : [edge.to, edge.from];
    const { points, x, y } = g.edge(v, w, `${i}`) as { points: Point[]; x?: number; y?: number };
    const middle = points[Math.floor(points.length / 2)]!;
    return { edge, points: forward ? points : points.toReversed(), label: { x: x ?? middle.x, y: y ?? middle.y } };
  });
  const size = g.graph() as { width: number; height: number };
  return {
    width: size.width,
    height: size.height,
    nodes,
    clusters,
    edges: withPorts(straightened(routes, nodes, horizontal), nodes, horizontal),
    horizontal,
  };
}

/**
 * How far each box is from where the machine begins. Ways against this order are the ones turned round for ranks: then
 * what is near the beginning stands near it, and few ranks are needed.
 */
function reachOrder(graph: MachineGraph): Map<string, number> {
  const next = new Map<string, string[]>();
  for (const { from, to } of graph.edges) next.set(from, [...(next.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const entries = new Map(graph.nodes.filter(({ kind }) => kind === 'entry').map(({ id, cluster }) => [cluster, id]));
  const clusters = new Map(graph.nodes.map(({ id, cluster }) => [id, cluster]));
  const pending: string[] = [];
  const add = (id: string): void => {
    if (order.has(id)) return;
    order.set(id, order.size);
    pending.push(id);
  };
  /** A machine begins with its Entry, whatever leads into it. */
  const reach = (id: string): void => {
    const entry = entries.get(clusters.get(id));
    if (entry !== undefined) add(entry);
    add(id);
  };
  const begins = [...graph.nodes].sort((a, b) => beginning(a) - beginning(b));
  // Any State is tried first: its arrows leave from where the machine begins
  for (const { id, kind } of begins) if (id === 'entry ' || kind === 'any') add(id);
  for (const { id } of begins) {
    for (let at = pending.shift(); at !== undefined; at = pending.shift()) next.get(at)?.forEach(reach);
    reach(id);
  }
  return order;
}

function beginning({ id, kind }: GraphNode): number {
  if (id === 'entry ') return 0;
  return kind === 'any' ? 1 : kind === 'exit' ? 3 : 2;
}

/** A box with many ways on one side is longer, so that each way has a place of its own. */
function roomFor(
  node: GraphNode,
  edges: readonly GraphEdge[],
  isForward: (edge: GraphEdge) => boolean,
  horizontal: boolean,
): { width: number; height: number } {
  let [before, behind] = [0, 0];
  for (const edge of edges) {
    if (edge.from === edge.to) continue;
    const forward = isForward(edge);
    const isBehind = forward ? edge.from === node.id : edge.to === node.id;
    const isBefore = forward ? edge.to === node.id : edge.from === node.id;
    behind += Number(isBehind);
    before += Number(isBefore);
  }
  const least = 18 + PORT_GAP * Math.min(14, Math.max(before, behind) - 1);
  return horizontal
    ? { width: node.width, height: Math.max(node.height, least) }
    : { width: Math.max(node.width, least), height: node.height };
}

/** Leads each way straight through the ranks that it passes, so that it bends only between them. */
function straightened(
  routes: readonly PlacedEdge[],
  nodes: ReadonlyMap<string, Box>,
  horizontal: boolean,
): readonly PlacedEdge[] {
  const main = ({ x, y }: Point) => (horizontal ? x : y);
  const key = (point: Point) => Math.round(main(point) * 2);
  const halves = new Map<number, number>();
  const widen = (point: Point, size: number) => halves.set(key(point), Math.max(halves.get(key(point)) ?? 0, size / 2));
  for (const box of nodes.values()) widen(box, horizontal ? box.width : box.height);
  for (const { edge, label } of routes) if (edge.from !== edge.to) widen(label, horizontal ? edge.width : edge.height);
  return routes.map((route) => {
    const { points, edge } = route;
    if (edge.from === edge.to) return route;
    const direction = main(points.at(-1)!) >= main(points[0]!) ? 1 : -1;
    const through = points.slice(1, -1).flatMap((point): Point[] => {
      const half = (halves.get(key(point)) ?? 0) * direction;
      if (half === 0) return [point];
      return horizontal
        ? [
            { x: point.x - half, y: point.y },
            { x: point.x + half, y: point.y },
          ]
        : [
            { x: point.x, y: point.y - half },
            { x: point.x, y: point.y + half },
          ];
    });
    return { ...route, points: [points[0]!, ...through, points.at(-1)!] };
  });
}

/** Gives the ends of ways their places on the sides of boxes, in the order in which they arrive. */
function withPorts(
  routes: readonly PlacedEdge[],
  nodes: ReadonlyMap<string, Box>,
  horizontal: boolean,
): readonly PlacedEdge[] {
  const cross = ({ x, y }: Point) => (horizontal ? y : x);
  const main = ({ x, y }: Point) => (horizontal ? x : y);
  const ends = routes.map(({ points }) => [...points]);
  const sides = new Map<string, { route: number; end: 0 | -1; at: number; label: number }[]>();
  for (const [route, { edge, points, label }] of routes.entries()) {
    if (edge.from === edge.to) continue;
    for (const [end, id, neighbour] of [
      [0, edge.from, points[1]!],
      [-1, edge.to, points.at(-2)!],
    ] as const) {
      const side = `${main(neighbour) >= main(nodes.get(id)!)} ${id}`;
      sides.set(side, [...(sides.get(side) ?? []), { route, end, at: cross(neighbour), label: cross(label) }]);
    }
  }
  for (const [side, arrivals] of sides) {
    const box = nodes.get(side.slice(side.indexOf(' ') + 1))!;
    const behind = side.startsWith('true');
    const length = horizontal ? box.height : box.width;
    const gap = arrivals.length > 1 ? Math.min(PORT_GAP + 3, (length - 16) / (arrivals.length - 1)) : 0;
    arrivals.sort((a, b) => a.at - b.at || a.label - b.label || a.route - b.route);
    for (const [i, { route, end }] of arrivals.entries()) {
      const offset = (i - (arrivals.length - 1) / 2) * gap;
      const reach = (behind ? 1 : -1) / 2;
      const port = horizontal
        ? { x: box.x + reach * box.width, y: box.y + offset }
        : { x: box.x + offset, y: box.y + reach * box.height };
      ends[route]!.splice(end === 0 ? 0 : -1, 1, port);
    }
  }
  return routes.map((route, i) => ({ ...route, points: ends[i]! }));
}
