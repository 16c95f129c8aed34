import { Graph, layout } from '@dagrejs/dagre';
import type { Box, Point } from './box.ts';
import type { GraphEdge, GraphNode, MachineGraph } from './machine-graph.ts';
import { orderByPriority } from './order.ts';
import { levelsIn, makeRoomForTitles, withTitle } from './titles.ts';

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

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** From the box to the label; empty without one, and in loops. */
  readonly lead: readonly Point[];
  /** From the label, or from the box, to the other box. */
  readonly points: readonly Point[];
  /** The centre of its label. */
  readonly label: Point;
}

/** A line between two boxes, or between a box and a label. */
interface Line {
  /** Ids of what it leads from and to. */
  readonly from: string;
  readonly to: string;
  readonly points: readonly Point[];
}

/**
 * A graph over these limits is not drawn with arrows, which would be unreadable and slow to lay out. `ranks` is the sum
 * of the ranks that all arrows pass.
 */
const ARROW_LIMITS = { nodes: 160, edges: 320, ranks: 5000 } as const;
/** With more arrows than this, a second layout costs more than its shape is worth. */
const SECOND_LAYOUT_LIMIT = 120;
/** A picture that fits a page this wide needs no other direction. */
const PAGE_WIDTH = 1500;
const PORT_GAP = 11;
const MARGIN = 8;
/** Keeps labels next to the box that their arrow leaves. */
const LEAD_WEIGHT = 16;

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

/** Ranks between the ends of all arrows. Each box is in the earliest rank that its arrows allow. */
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

/** A label is a box of its own, in the rank after the box that its arrow leaves, at the beginning of that rank. */
const labelId = (edge: number): string => `label ${edge}`;
const hasLabelBox = ({ from, to, lines }: GraphEdge): boolean => from !== to && lines.length > 0;

type IsForward = (edge: GraphEdge) => boolean;

function placeAlong(graph: MachineGraph, order: ReadonlyMap<string, number>, horizontal: boolean): Placement {
  const laidOut = graphToLayOut(graph, ({ from, to }) => order.get(from)! <= order.get(to)!, horizontal);
  const edgeOfLabel = new Map(graph.edges.map((_, i) => [labelId(i), i]));
  const isSmall = graph.edges.length <= SECOND_LAYOUT_LIMIT;
  layout(laidOut, {
    ...(isSmall && {
      customOrder: (ranked, sort) =>
        orderByPriority(
          ranked,
          sort,
          (edge) => graph.edges[edge]!.from,
          (node) => edgeOfLabel.get(node),
        ),
    }),
  });
  makeRoomForTitles(laidOut, graph);
  return readPlacement(laidOut, graph, horizontal);
}

function graphToLayOut(graph: MachineGraph, isForward: IsForward, horizontal: boolean): Graph {
  const g = new Graph({ compound: graph.clusters.length > 0, multigraph: true });
  g.setGraph({
    rankdir: horizontal ? 'LR' : 'TB',
    nodesep: 30,
    edgesep: 16,
    ranksep: horizontal ? 38 : 30,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  for (const { id } of graph.clusters) g.setNode(id, {});
  for (const node of graph.nodes) g.setNode(node.id, roomFor(node, graph.edges, isForward, horizontal));
  for (const { id, cluster } of [...graph.clusters, ...graph.nodes])
    if (cluster !== undefined) g.setParent(id, cluster);
  const clusterOf = new Map(graph.nodes.map(({ id, cluster }) => [id, cluster]));
  for (const [i, edge] of graph.edges.entries()) {
    const { from, to, width, height } = edge;
    const weight = edge.dashed || edge.kind === 'any' ? 1 : edge.kind === 'entry' ? 4 : 2;
    if (!hasLabelBox(edge)) {
      const [v, w] = isForward(edge) ? [from, to] : [to, from];
      g.setEdge(v, w, { width, height, labelpos: 'c', weight, minlen: 2 }, `${i}`);
      continue;
    }
    g.setNode(labelId(i), { width, height });
    const cluster = clusterOf.get(from);
    if (cluster !== undefined) g.setParent(labelId(i), cluster);
    g.setEdge(from, labelId(i), { weight: LEAD_WEIGHT }, `${i}`);
    const [v, w] = isForward(edge) ? [labelId(i), to] : [to, labelId(i)];
    g.setEdge(v, w, { weight }, `rest ${i}`);
  }
  return g;
}

function readPlacement(g: Graph, graph: MachineGraph, horizontal: boolean): Placement {
  const boxOf = (id: string): Box => {
    const { x, y, width, height } = g.node(id) as Box;
    return { x, y, width, height };
  };
  const nodes = new Map(graph.nodes.map(({ id }) => [id, boxOf(id)]));
  const clusters = new Map(graph.clusters.map(({ id }) => [id, withTitle(boxOf(id), levelsIn(graph.clusters, id))]));
  const middles = new Map(
    graph.edges.flatMap((edge, i) => (hasLabelBox(edge) ? [[labelId(i), boxOf(labelId(i))] as const] : [])),
  );
  const ranks = rankHalves([...nodes.values(), ...middles.values()], horizontal);
  // labels that are shorter than their rank go to its beginning
  const labels = new Map(
    Array.from(middles, ([id, box]) => {
      const spare = ranks(box) - (horizontal ? box.width : box.height) / 2;
      return [id, horizontal ? { ...box, x: box.x - spare } : { ...box, y: box.y - spare }];
    }),
  );
  const lines = linesOf(g, graph.edges);
  const ported = withPorts(lines, new Map([...nodes, ...labels]), horizontal);
  const routes = straightened(ported, new Map([...nodes, ...middles]), ranks, horizontal).values();
  const next = () => routes.next().value!.points;
  const edges = graph.edges.map((edge, i): PlacedEdge => {
    if (edge.from === edge.to) {
      const { points, x, y } = g.edge(edge.from, edge.to, `${i}`) as { points: Point[]; x?: number; y?: number };
      const middle = points[Math.floor(points.length / 2)]!;
      return { edge, lead: [], points, label: { x: x ?? middle.x, y: y ?? middle.y } };
    }
    const lead = hasLabelBox(edge) ? next() : [];
    const points = next();
    return { edge, lead, points, label: labels.get(labelId(i)) ?? points[0]! };
  });
  const { width, height } = g.graph() as { width: number; height: number };
  return enclosed({ width, height, nodes, clusters, edges, horizontal });
}

/** Lines of all edges except loops: one, or one to the label and one from it. */
function linesOf(g: Graph, edges: readonly GraphEdge[]): Line[] {
  const lineOf = (from: string, to: string, name: string): Line => {
    const forward = g.edge(from, to, name) as { points: Point[] } | undefined;
    const { points } = forward ?? (g.edge(to, from, name) as { points: Point[] });
    return { from, to, points: forward ? points : points.toReversed() };
  };
  return edges.flatMap((edge, i): Line[] => {
    if (edge.from === edge.to) return [];
    if (!hasLabelBox(edge)) return [lineOf(edge.from, edge.to, `${i}`)];
    const { points, ...lead } = lineOf(edge.from, labelId(i), `${i}`);
    // no box is in between
    return [{ ...lead, points: [points[0]!, points.at(-1)!] }, lineOf(labelId(i), edge.to, `rest ${i}`)];
  });
}

/** Moves a placement so that lines and names of clusters, of which the layout library takes no account, are inside as well. */
function enclosed(placement: Placement): Placement {
  const { width, height, nodes, clusters, edges } = placement;
  const corners = Array.from(clusters.values(), (box) => ({ x: box.x - box.width / 2, y: box.y - box.height / 2 }));
  const points = [...corners, ...edges.flatMap(({ lead, points: line }) => [...lead, ...line])];
  const low = (pick: (point: Point) => number) => points.reduce((least, p) => Math.min(least, pick(p) - MARGIN), 0);
  const high = (pick: (point: Point) => number, end: number) =>
    points.reduce((most, p) => Math.max(most, pick(p) + MARGIN), end);
  const [left, top] = [low(({ x }) => x), low(({ y }) => y)];
  const moved = <T extends Point>(point: T): T => ({ ...point, x: point.x - left, y: point.y - top });
  const movedAll = (boxes: ReadonlyMap<string, Box>) => new Map(Array.from(boxes, ([id, box]) => [id, moved(box)]));
  return {
    ...placement,
    width: high(({ x }) => x, width) - left,
    height: high(({ y }) => y, height) - top,
    nodes: movedAll(nodes),
    clusters: movedAll(clusters),
    edges: edges.map((edge) => ({
      ...edge,
      lead: edge.lead.map(moved),
      points: edge.points.map(moved),
      label: moved(edge.label),
    })),
  };
}

/**
 * How far each box is from where the machine begins. Edges against this order are the ones reversed for ranks. This
 * keeps near boxes near the beginning, and ranks few.
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
  isForward: IsForward,
  horizontal: boolean,
): { width: number; height: number } {
  let [before, behind] = [0, 0];
  for (const edge of edges) {
    if (edge.from === edge.to) continue;
    const forward = isForward(edge);
    const leavesBehind = forward || hasLabelBox(edge);
    behind += Number(edge.from === node.id && leavesBehind) + Number(edge.to === node.id && !forward);
    before += Number(edge.from === node.id && !leavesBehind) + Number(edge.to === node.id && forward);
  }
  const least = 18 + PORT_GAP * Math.min(14, Math.max(before, behind) - 1);
  return horizontal
    ? { width: node.width, height: Math.max(node.height, least) }
    : { width: Math.max(node.width, least), height: node.height };
}

/** Half the length of the longest box in each rank, along the ranks, by the rank's position. */
function rankHalves(boxes: readonly Box[], horizontal: boolean): (point: Point) => number {
  const key = ({ x, y }: Point) => Math.round((horizontal ? x : y) * 2);
  const halves = new Map<number, number>();
  for (const box of boxes) {
    const half = (horizontal ? box.width : box.height) / 2;
    halves.set(key(box), Math.max(halves.get(key(box)) ?? 0, half));
  }
  return (point) => halves.get(key(point)) ?? 0;
}

/** Leads each line straight through the ranks that it passes and out of those where it ends, so that it bends only between them. */
function straightened(
  lines: readonly Line[],
  boxes: ReadonlyMap<string, Box>,
  halfOf: (point: Point) => number,
  horizontal: boolean,
): readonly Line[] {
  const main = ({ x, y }: Point) => (horizontal ? x : y);
  const moved = ({ x, y }: Point, along: number): Point => (horizontal ? { x: x + along, y } : { x, y: y + along });
  return lines.map((line) => {
    const { from, to, points } = line;
    const [first, last] = [points[0]!, points.at(-1)!];
    const direction = main(last) >= main(first) ? 1 : -1;
    const through = points.slice(1, -1).flatMap((point): Point[] => {
      const half = halfOf(point) * direction;
      return half === 0 ? [point] : [moved(point, -half), moved(point, half)];
    });
    /** The edge of a rank, where what the line leaves or meets is shorter than the rank. */
    const edgeOf = (end: Point, id: string, side: number): Point[] => {
      const along = main(boxes.get(id)!) + side * halfOf(boxes.get(id)!) - main(end);
      return Math.abs(along) < 1 ? [] : [moved(end, along)];
    };
    return {
      ...line,
      points: [first, ...edgeOf(first, from, direction), ...through, ...edgeOf(last, to, -direction), last],
    };
  });
}

/** Gives the ends of lines their places on the sides of boxes, in the order in which they arrive. */
function withPorts(lines: readonly Line[], boxes: ReadonlyMap<string, Box>, horizontal: boolean): readonly Line[] {
  const cross = ({ x, y }: Point) => (horizontal ? y : x);
  const main = ({ x, y }: Point) => (horizontal ? x : y);
  const ends = lines.map(({ points }) => [...points]);
  const sides = new Map<string, { line: number; end: 0 | -1; at: number; other: number }[]>();
  for (const [line, { from, to, points }] of lines.entries()) {
    for (const [end, id, neighbour, other] of [
      [0, from, points[1]!, to],
      [-1, to, points.at(-2)!, from],
    ] as const) {
      const side = `${main(neighbour) >= main(boxes.get(id)!)} ${id}`;
      sides.set(side, [
        ...(sides.get(side) ?? []),
        { line, end, at: cross(neighbour), other: cross(boxes.get(other)!) },
      ]);
    }
  }
  for (const [side, arrivals] of sides) {
    const box = boxes.get(side.slice(side.indexOf(' ') + 1))!;
    const behind = side.startsWith('true');
    const length = horizontal ? box.height : box.width;
    const gap = arrivals.length > 1 ? Math.min(PORT_GAP + 3, (length - 16) / (arrivals.length - 1)) : 0;
    arrivals.sort((a, b) => a.at - b.at || a.other - b.other || a.line - b.line);
    for (const [i, { line, end }] of arrivals.entries()) {
      const offset = (i - (arrivals.length - 1) / 2) * gap;
      const reach = (behind ? 1 : -1) / 2;
      const port = horizontal
        ? { x: box.x + reach * box.width, y: box.y + offset }
        : { x: box.x + offset, y: box.y + reach * box.height };
      ends[line]!.splice(end === 0 ? 0 : -1, 1, port);
    }
  }
  return lines.map((line, i) => ({ ...line, points: ends[i]! }));
}
