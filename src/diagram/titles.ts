import type { Graph } from '@dagrejs/dagre';
import type { Box, Point } from './box.ts';
import type { Cluster, MachineGraph } from './machine-graph.ts';

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
