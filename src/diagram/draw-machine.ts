import * as theme from './theme.ts';
import type { PlacedEdge, Placement } from './graph-layout.ts';
import { LABEL_SIZE, type LabelLine, LINE_HEIGHT, lineStarts, plainLines } from './labels.ts';
import { clock } from './legend.ts';
import type { GraphEdge, GraphNode, MachineGraph } from './machine-graph.ts';
import {
  arrowHead,
  Axes,
  type Block,
  type Box,
  element,
  escapeXml,
  flow,
  pair,
  type Point,
  rect,
  smoothPath,
  stack,
  text,
  tooltip,
} from './svg.ts';
import { clean, fit, textWidth } from './text.ts';

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
  const grounds = clusters.map(({ box }) => box);
  const titles = clusters.map(({ title }) => title);
  const { width, height } = placement;
  return { width, height, svg: [...grounds, ...arrows, ...boxes, ...titles, ...labels].join('') };
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
  { axes, nodes }: Placement,
  names: ReadonlyMap<string, string>,
): string {
  const stroke = theme.EDGES[edge.kind];
  const loop = edge.from === edge.to ? selfLoop(nodes.get(edge.from)!, label, axes) : undefined;
  const [tip, from] = loop ? [loop.tip, loop.from] : [points.at(-1)!, points.at(-2)!];
  // the line ends inside the head, so that its blunt end does not stick out of the tip
  const sign = Math.sign(axes.along(tip) - axes.along(from));
  const end = axes.point(axes.along(tip) - sign * 6, axes.across(tip));
  const path = () => (lead.length > 0 ? smoothPath(lead, axes) : '') + smoothPath([...points.slice(0, -1), end], axes);
  return element(
    'g',
    { class: `arrow ${edge.kind}`, 'data-from': clean(edge.from), 'data-to': clean(edge.to) },
    tooltip(`${names.get(edge.from)} → ${names.get(edge.to)}: ${plainLines(edge.lines) || 'always'}`),
    element('path', {
      d: loop?.path ?? path(),
      fill: 'none',
      stroke,
      'stroke-width': 1.4,
      'stroke-dasharray': edge.dashed ? '5 4' : undefined,
    }),
    element('path', { d: arrowHead(tip, from, loop ? new Axes(!axes.horizontal) : axes), fill: stroke }),
  );
}

/** A loop from a box through its label and back, on the label's side. */
function selfLoop(box: Box, label: Point, axes: Axes): { path: string; tip: Point; from: Point } {
  const side = Math.sign(axes.across(label) - axes.across(box)) || 1;
  const edge = axes.across(box) + (side * axes.lengthAcross(box)) / 2;
  const half = axes.horizontal ? 16 : 8;
  const [begin, end] = [axes.along(box) - half, axes.along(box) + half];
  const from = axes.point(end, axes.across(label));
  const corners = [
    axes.point(begin, edge),
    axes.point(begin, axes.across(label)),
    from,
    axes.point(end, edge + side * 6),
  ];
  return { path: `M${corners.map(pair).join('L')}`, tip: axes.point(end, edge), from };
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
  const sign = content.clock ? clock(x + starts.clock + 5, y - 4) : '';
  const own = element('text', { x: x + starts.words, y, 'font-size': LABEL_SIZE, fill: theme.INK }, ...words);
  return number + (sign && element('g', { class: 'exit-time' }, tooltip('exit time'), sign)) + own;
}

const LIST_SIZE = 11;
const LIST_LIMIT = 1500;

/** The states of a machine as rows of boxes, those of machines inside under their paths: no arrows. */
export function drawStates(graph: MachineGraph, width: number): Block {
  const groups = new Map<string | undefined, GraphNode[]>();
  for (const node of graph.nodes) {
    if (node.kind !== 'state') continue;
    groups.set(node.cluster, [...(groups.get(node.cluster) ?? []), node]);
  }
  const paths = new Map(graph.clusters.map(({ id, path }) => [id, path]));
  return stack(
    Array.from(groups, ([cluster, nodes]) => {
      const boxes = nodes.map(boxed);
      const title = cluster === undefined ? [] : [heading(paths.get(cluster) ?? '', width)];
      return stack([...title, flow(boxes, width, 12)], 8);
    }),
    14,
  );
}

function boxed(node: GraphNode): Block {
  const { width, height } = node;
  return {
    width: width + 2,
    height: height + 2,
    svg: drawNode(node, { x: width / 2 + 1, y: height / 2 + 1, width, height }),
  };
}

export function heading(content: string, width: number): Block {
  return {
    width: Math.min(width, textWidth(clean(content), 12, true)),
    height: 16,
    svg: text(0, 12, content, { bold: true, fill: theme.MUTED, width }),
  };
}

/** All ways as lines of text, for machines that are too large for arrows. */
export function drawWays(graph: MachineGraph, width: number): Block {
  const names = new Map(graph.nodes.map((node) => [node.id, clean(node.path)]));
  const columns = Math.max(1, Math.floor(width / 430));
  const columnWidth = width / columns;
  const lines = graph.edges.slice(0, LIST_LIMIT).map((edge) => {
    const label = plainLines(edge.lines);
    return `${names.get(edge.from)} → ${names.get(edge.to)}${label ? `: ${label}` : edge.dashed ? ' (else)' : ''}`;
  });
  if (graph.edges.length > LIST_LIMIT) lines.push(`… ${graph.edges.length - LIST_LIMIT} more`);
  const rows = Math.ceil(lines.length / columns);
  const svg = lines.map((content, i) => {
    const shown = fit(content, columnWidth - 16, LIST_SIZE);
    return text(Math.floor(i / rows) * columnWidth, 12 + (i % rows) * 16, shown, { size: LIST_SIZE });
  });
  return { width, height: rows * 16 + 2, svg: element('g', { class: 'ways' }, ...svg) };
}
