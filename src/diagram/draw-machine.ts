import { arrowHead, smoothPath } from './curve.ts';
import { LABEL_SIZE, type LabelLine, LINE_HEIGHT, lineStarts, plainLines } from './labels.ts';
import { clock } from './legend.ts';
import type { GraphEdge, GraphNode, MachineGraph } from './machine-graph.ts';
import type { Box, Point } from './box.ts';
import type { Placement, PlacedEdge } from './graph-layout.ts';
import { type Block, coordinate, element, escapeXml, rect, text, tooltip } from './svg.ts';
import { clean, fit, textWidth } from './text.ts';
import * as theme from './theme.ts';

/** Draws clusters first, then arrows, boxes and labels, so that no line crosses text. */
export function drawMachine(graph: MachineGraph, placement: Placement): Block {
  const names = new Map(graph.nodes.map((node) => [node.id, node.path]));
  const clusters = graph.clusters.map((cluster) => {
    const box = placement.clusters.get(cluster.id)!;
    const [x, y] = [box.x - box.width / 2, box.y - box.height / 2];
    const fill = theme.CLUSTERS[Math.min(cluster.depth, theme.CLUSTERS.length) - 1];
    const name = fit(cluster.name, box.width - 20, 12, true);
    return {
      box: element(
        'g',
        { class: 'machine' },
        tooltip(cluster.path),
        rect(x, y, box.width, box.height, { rx: 10, fill, stroke: theme.CLUSTER_EDGE }),
      ),
      title: element(
        'g',
        { class: 'machine-name' },
        rect(x + 6, y + 4, textWidth(name, 12, true) + 8, 18, { rx: 4, fill }),
        text(x + 10, y + 17, name, { bold: true, fill: theme.MUTED }),
      ),
    };
  });
  const arrows = placement.edges.map((placed) => drawArrow(placed, placement, names));
  const boxes = graph.nodes.map((node) => drawNode(node, placement.nodes.get(node.id)!));
  const labels = placement.edges.map(({ edge, label }) => drawLabel(edge, label));
  return {
    width: placement.width,
    height: placement.height,
    svg: [
      ...clusters.map(({ box }) => box),
      ...arrows,
      ...boxes,
      ...clusters.map(({ title }) => title),
      ...labels,
    ].join(''),
  };
}

const COLOURS: Readonly<Record<GraphNode['kind'], theme.BoxColours>> = {
  state: theme.STATE,
  entry: theme.ENTRY,
  any: theme.ANY,
  exit: theme.EXIT,
  missing: theme.MISSING,
};

/** A box around its centre. */
export function drawNode(node: GraphNode, box: Box): string {
  const colours = node.isDefault ? theme.DEFAULT_STATE : COLOURS[node.kind];
  const isPseudo = node.kind !== 'state' && node.kind !== 'missing';
  const top = box.y - (18 + 15 * node.lines.length) / 2;
  const lines = node.lines.map((content, i) =>
    text(box.x, top + 29 + 15 * i, content, { size: LABEL_SIZE, anchor: 'middle', fill: colours.muted }),
  );
  return element(
    'g',
    { class: `node ${node.kind}${node.isDefault ? ' default' : ''}`, 'data-id': clean(node.id) },
    tooltip([`${node.path}${node.isDefault ? ' (default state)' : ''}`, ...node.lines].join(' · ')),
    rect(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height, {
      rx: isPseudo ? 12 : 6,
      fill: colours.fill,
      stroke: colours.edge,
      'stroke-width': node.isDefault ? 2 : 1.2,
      'stroke-dasharray': node.kind === 'missing' ? '5 3' : undefined,
    }),
    text(box.x, top + 13.5, node.name, {
      size: 13,
      bold: true,
      anchor: 'middle',
      fill: colours.ink,
      width: box.width - 14,
    }),
    ...lines,
  );
}

function drawArrow(
  { edge, lead, points, label }: PlacedEdge,
  placement: Placement,
  names: ReadonlyMap<string, string>,
): string {
  const { horizontal } = placement;
  const stroke = theme.EDGES[edge.kind];
  const loop = edge.from === edge.to ? selfLoop(placement.nodes.get(edge.from)!, label, horizontal) : undefined;
  const [tip, from] = loop ? [loop.tip, loop.from] : [points.at(-1)!, points.at(-2)!];
  // the line ends inside the head, so that its blunt end does not stick out of the tip
  const sign = horizontal ? Math.sign(tip.x - from.x) : Math.sign(tip.y - from.y);
  const end = horizontal ? { x: tip.x - sign * 6, y: tip.y } : { x: tip.x, y: tip.y - sign * 6 };
  return element(
    'g',
    { class: `arrow ${edge.kind}`, 'data-from': clean(edge.from), 'data-to': clean(edge.to) },
    tooltip(`${names.get(edge.from)} → ${names.get(edge.to)}: ${plainLines(edge.lines) || 'always'}`),
    element('path', {
      d:
        loop?.path ??
        (lead.length > 0 ? smoothPath(lead, horizontal) : '') + smoothPath([...points.slice(0, -1), end], horizontal),
      fill: 'none',
      stroke,
      'stroke-width': 1.4,
      'stroke-dasharray': edge.dashed ? '5 4' : undefined,
    }),
    element('path', { d: arrowHead(tip, from, loop ? !horizontal : horizontal), fill: stroke }),
  );
}

/** A loop from a box through its label and back, on the label's side. */
function selfLoop(box: Box, label: Point, horizontal: boolean): { path: string; tip: Point; from: Point } {
  const out = 16;
  if (horizontal) {
    const side = Math.sign(label.y - box.y) || 1;
    const edge = box.y + (side * box.height) / 2;
    const [left, right] = [box.x - out, box.x + out];
    const [e, l] = [coordinate(edge), coordinate(label.y)];
    const path = `M${coordinate(left)} ${e}L${coordinate(left)} ${l}L${coordinate(right)} ${l}L${coordinate(right)} ${coordinate(edge + side * 6)}`;
    return { path, tip: { x: right, y: edge }, from: { x: right, y: label.y } };
  }
  const side = Math.sign(label.x - box.x) || 1;
  const edge = box.x + (side * box.width) / 2;
  const [top, bottom] = [box.y - out / 2, box.y + out / 2];
  const [e, l] = [coordinate(edge), coordinate(label.x)];
  const path = `M${e} ${coordinate(top)}L${l} ${coordinate(top)}L${l} ${coordinate(bottom)}L${coordinate(edge + side * 6)} ${coordinate(bottom)}`;
  return { path, tip: { x: edge, y: bottom }, from: { x: label.x, y: bottom } };
}

function drawLabel(edge: GraphEdge, centre: Point): string {
  if (edge.lines.length === 0) return '';
  const [x, y] = [centre.x - edge.width / 2, centre.y - edge.height / 2];
  const back = rect(x, y, edge.width, edge.height, { rx: 4, fill: theme.PANEL, stroke: theme.GRID });
  const lines = edge.lines.map((content, i) => drawLine(content, x + 6, y + 13 + i * LINE_HEIGHT));
  return element('g', { class: 'label', 'data-from': clean(edge.from), 'data-to': clean(edge.to) }, back, ...lines);
}

/** A line of a label from its left end; `y` is the baseline. */
function drawLine(content: LabelLine, x: number, y: number): string {
  const starts = lineStarts(content);
  const words = content.words.map(({ text: word, muted, warn }, i) =>
    element(
      'tspan',
      { fill: warn ? theme.WARN : muted ? theme.MUTED : undefined, dx: i === 0 ? undefined : starts.gap },
      escapeXml(clean(word)),
    ),
  );
  const number = content.number ? text(x, y, content.number, { size: LABEL_SIZE, fill: theme.MUTED }) : '';
  const clock = content.clock ? drawClock(x + starts.clock + 5, y - 4) : '';
  const own = element('text', { x: x + starts.words, y, 'font-size': LABEL_SIZE, fill: theme.INK }, ...words);
  return number + clock + own;
}

function drawClock(x: number, y: number): string {
  return element('g', { class: 'exit-time' }, tooltip('exit time'), clock(x, y));
}
