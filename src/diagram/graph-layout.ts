import { Graph, layout } from '@dagrejs/dagre';
import type { Cluster, GraphEdge, GraphNode, MachineGraph } from './machine-graph.ts';
import { orderByPriority } from './order.ts';
import { Axes, type Box, type Point } from './svg.ts';

/** Boxes by their centres, in pixels from the top left corner. */
export interface Placement {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Box>;
  readonly clusters: ReadonlyMap<string, Box>;
  readonly edges: readonly PlacedEdge[];
  readonly axes: Axes;
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
    const across = placeAlong(graph, order, new Axes(true));
    if (across.width <= PAGE_WIDTH || graph.edges.length > SECOND_LAYOUT_LIMIT) return across;
    const down = placeAlong(graph, order, new Axes(false));
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

function placeAlong(graph: MachineGraph, order: ReadonlyMap<string, number>, axes: Axes): Placement {
  const laidOut = graphToLayOut(graph, ({ from, to }) => order.get(from)! <= order.get(to)!, axes);
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
  return readPlacement(laidOut, graph, axes);
}

function graphToLayOut(graph: MachineGraph, isForward: IsForward, axes: Axes): Graph {
  const g = new Graph({ compound: graph.clusters.length > 0, multigraph: true });
  g.setGraph({
    rankdir: axes.horizontal ? 'LR' : 'TB',
    nodesep: 30,
    edgesep: 16,
    ranksep: axes.horizontal ? 38 : 30,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  for (const { id } of graph.clusters) g.setNode(id, {});
  for (const node of graph.nodes) g.setNode(node.id, roomFor(node, graph.edges, isForward, axes));
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

function readPlacement(g: Graph, graph: MachineGraph, axes: Axes): Placement {
  const boxOf = (id: string) => boxIn(g, id);
  const nodes = new Map(graph.nodes.map(({ id }) => [id, boxOf(id)]));
  const clusters = new Map(graph.clusters.map(({ id }) => [id, withTitle(boxOf(id), levelsIn(graph.clusters, id))]));
  const middles = new Map(
    graph.edges.flatMap((edge, i) => (hasLabelBox(edge) ? [[labelId(i), boxOf(labelId(i))] as const] : [])),
  );
  const ranks = rankHalves([...nodes.values(), ...middles.values()], axes);
  // labels that are shorter than their rank go to its beginning
  const labels = new Map(
    Array.from(middles, ([id, box]) => {
      const spare = ranks(box) - axes.lengthAlong(box) / 2;
      return [id, { ...box, ...axes.point(axes.along(box) - spare, axes.across(box)) }];
    }),
  );
  const lines = linesOf(g, graph.edges);
  const ported = withPorts(lines, new Map([...nodes, ...labels]), axes);
  const routes = straightened(ported, new Map([...nodes, ...middles]), ranks, axes).values();
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
  return enclosed({ width, height, nodes, clusters, edges, axes });
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
  { horizontal }: Axes,
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
function rankHalves(boxes: readonly Box[], axes: Axes): (point: Point) => number {
  const key = (point: Point) => Math.round(axes.along(point) * 2);
  const halves = new Map<number, number>();
  for (const box of boxes) {
    const half = axes.lengthAlong(box) / 2;
    halves.set(key(box), Math.max(halves.get(key(box)) ?? 0, half));
  }
  return (point) => halves.get(key(point)) ?? 0;
}

/** Leads each line straight through the ranks that it passes and out of those where it ends, so that it bends only between them. */
function straightened(
  lines: readonly Line[],
  boxes: ReadonlyMap<string, Box>,
  halfOf: (point: Point) => number,
  axes: Axes,
): readonly Line[] {
  const moved = (point: Point, by: number) => axes.point(axes.along(point) + by, axes.across(point));
  return lines.map((line) => {
    const { from, to, points } = line;
    const [first, last] = [points[0]!, points.at(-1)!];
    const direction = axes.along(last) >= axes.along(first) ? 1 : -1;
    const through = points.slice(1, -1).flatMap((point): Point[] => {
      const half = halfOf(point) * direction;
      return half === 0 ? [point] : [moved(point, -half), moved(point, half)];
    });
    /** The edge of a rank, where what the line leaves or meets is shorter than the rank. */
    const edgeOf = (end: Point, id: string, side: number): Point[] => {
      const by = axes.along(boxes.get(id)!) + side * halfOf(boxes.get(id)!) - axes.along(end);
      return Math.abs(by) < 1 ? [] : [moved(end, by)];
    };
    return {
      ...line,
      points: [first, ...edgeOf(first, from, direction), ...through, ...edgeOf(last, to, -direction), last],
    };
  });
}

/** Gives the ends of lines their places on the sides of boxes, in the order in which they arrive. */
function withPorts(lines: readonly Line[], boxes: ReadonlyMap<string, Box>, axes: Axes): readonly Line[] {
  const ends = lines.map(({ points }) => [...points]);
  const sides = new Map<string, { line: number; end: 0 | -1; at: number; other: number }[]>();
  for (const [line, { from, to, points }] of lines.entries()) {
    for (const [end, id, neighbour, other] of [
      [0, from, points[1]!, to],
      [-1, to, points.at(-2)!, from],
    ] as const) {
      const side = `${axes.along(neighbour) >= axes.along(boxes.get(id)!)} ${id}`;
      const arrival = { line, end, at: axes.across(neighbour), other: axes.across(boxes.get(other)!) };
      sides.set(side, [...(sides.get(side) ?? []), arrival]);
    }
  }
  for (const [side, arrivals] of sides) {
    const box = boxes.get(side.slice(side.indexOf(' ') + 1))!;
    const behind = side.startsWith('true');
    const reach = ((behind ? 1 : -1) / 2) * axes.lengthAlong(box);
    const room = axes.lengthAcross(box) - 16;
    const gap = arrivals.length > 1 ? Math.min(PORT_GAP + 3, room / (arrivals.length - 1)) : 0;
    arrivals.sort((a, b) => a.at - b.at || a.other - b.other || a.line - b.line);
    for (const [i, { line, end }] of arrivals.entries()) {
      const offset = (i - (arrivals.length - 1) / 2) * gap;
      const port = axes.point(axes.along(box) + reach, axes.across(box) + offset);
      ends[line]!.splice(end === 0 ? 0 : -1, 1, port);
    }
  }
  return lines.map((line, i) => ({ ...line, points: ends[i]! }));
}

/** Pixels above what is in a cluster: its name. */
const TITLE_ROOM = 14;
/** Pixels between a name and what lies above it. */
const TITLE_GAP = 4;

/** A cluster with the room for its name, and for the names of the clusters in it. */
export function withTitle({ x, y, width, height }: Box, levels: number): Box {
  const room = TITLE_ROOM * levels;
  return { x, y: y - room / 2, width, height: height + room };
}

/** How many clusters lie in each other inside of one, it included. */
export function levelsIn(clusters: readonly Cluster[], id: string): number {
  const inside = clusters.filter(({ cluster }) => cluster === id);
  return 1 + inside.reduce((most, inner) => Math.max(most, levelsIn(clusters, inner.id)), 0);
}

/**
 * Makes room for the names of clusters, because the layout library keeps none. Where a name would cover a box or a
 * label outside, everything below moves down. Boxes keep their order and their ranks.
 */
export function makeRoomForTitles(g: Graph, { clusters }: MachineGraph): void {
  const topOf = ({ y, height }: Box) => y - height / 2;
  const ids = clusters.map(({ id }) => id).sort((a, b) => topOf(boxIn(g, a)) - topOf(boxIn(g, b)));
  for (const id of ids) {
    const box = boxIn(g, id);
    const edge = topOf(box);
    const top = edge - TITLE_ROOM * levelsIn(clusters, id) - TITLE_GAP;
    const isAbove = (other: Box) => Math.abs(other.x - box.x) < (other.width + box.width) / 2 && other.y < edge;
    const bottoms = g
      .nodes()
      .filter((node) => g.children(node).length === 0)
      .map((node) => boxIn(g, node))
      .filter(isAbove)
      .map(({ y, height }) => y + height / 2);
    const missing = Math.max(0, ...bottoms) - top;
    if (missing > 0) moveDown(g, edge, missing);
  }
}

const boxIn = (g: Graph, id: string): Box => g.node(id) as Box;

/** Moves what has its centre below a line; clusters that the line crosses grow. */
function moveDown(g: Graph, line: number, by: number): void {
  const shift = (y: number) => (y < line ? 0 : by);
  const shifts = new Map<string, number>();
  for (const id of g.nodes()) {
    const box = boxIn(g, id) as { y: number; height: number };
    const [above, below] = [shift(box.y - box.height / 2), shift(box.y + box.height / 2)];
    shifts.set(id, shift(box.y));
    if (g.children(id).length === 0) box.y += shift(box.y);
    else Object.assign(box, { y: box.y + (above + below) / 2, height: box.height + below - above });
  }
  for (const { v, w, name } of g.edges()) {
    const edge = g.edge(v, w, name) as { points: Point[]; y?: number };
    // a loop stays at its box
    const of = v === w ? () => shifts.get(v)! : shift;
    edge.points = edge.points.map(({ x, y }) => ({ x, y: y + of(y) }));
    if (edge.y !== undefined) edge.y += of(edge.y);
  }
  const size = g.graph() as { height: number };
  size.height += by;
}
