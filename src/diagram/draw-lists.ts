import { drawNode } from './draw-machine.ts';
import { plainLines } from './labels.ts';
import type { GraphNode, MachineGraph } from './machine-graph.ts';
import { type Block, element, flow, stack, text } from './svg.ts';
import { clean, fit, textWidth } from './text.ts';
import * as theme from './theme.ts';

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
      const boxes = nodes.map((node) => boxed(node));
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
