import { type Block, coordinate, element, line, text } from './svg.ts';
import { fit, short, textWidth } from './text.ts';
import * as theme from './theme.ts';
import type { ShownChild } from './tree-plane.ts';

const SIZE = 11;
const PLOT_HEIGHT = 46;
const ROW_HEIGHT = 17;
const GAP = 12;

/** A 1D tree: over a line with its thresholds, the weight of each child; below, their names. */
export function drawThresholds(children: readonly ShownChild[]): Block {
  const sorted = [...children].sort((a, b) => a.at[0]! - b.at[0]!);
  const width = Math.min(560, Math.max(300, sorted.length * 74));
  const values = sorted.map((child) => child.at[0]!).filter(Number.isFinite);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low;
  const place = (value: number): number => {
    const share = span > 0 && Number.isFinite(span) && Number.isFinite(value) ? (value - low) / span : 0.5;
    return 14 + share * (width - 28);
  };
  const xs = sorted.map((child) => place(child.at[0]!));
  const hills = sorted.map((_, i) => {
    const [x, before, behind] = [xs[i]!, xs[i - 1] ?? 0, xs[i + 1] ?? width];
    const base = PLOT_HEIGHT - 2;
    const points = [
      [before, i === 0 ? 2 : base],
      [x, 2],
      [behind, i === xs.length - 1 ? 2 : base],
      ...(i === xs.length - 1 ? [[behind, base]] : []),
      ...(i === 0 ? [[before, base]] : []),
    ];
    const fill = theme.SERIES[i % theme.SERIES.length];
    const list = points.map(([a, b]) => `${coordinate(a!)},${coordinate(b!)}`).join(' ');
    return element('polygon', { points: list, fill, 'fill-opacity': '0.28', stroke: fill, 'stroke-width': 1.2 });
  });

  const rowEnds: number[] = [];
  const names: string[] = [];
  const leaders: string[] = [];
  for (const [i, child] of sorted.entries()) {
    const value = short(child.at[0]!);
    const name = fit(child.name, 170, SIZE);
    const valueWidth = textWidth(value, SIZE, true);
    const own = valueWidth + 5 + textWidth(name, SIZE);
    const left = Math.max(0, Math.min(width - own, xs[i]! - own / 2));
    const free = rowEnds.findIndex((end) => end + GAP <= left);
    const row = free >= 0 ? free : rowEnds.length;
    rowEnds[row] = left + own;
    const y = PLOT_HEIGHT + 20 + row * ROW_HEIGHT;
    const stroke = theme.SERIES[i % theme.SERIES.length];
    leaders.push(
      line(xs[i]!, PLOT_HEIGHT, xs[i]!, y - 10, { stroke, 'stroke-dasharray': row > 0 ? '2 2' : undefined }),
    );
    leaders.push(element('circle', { cx: xs[i], cy: PLOT_HEIGHT - 2, r: 3.5, fill: stroke, 'data-clip': child.clip }));
    const back = element('rect', { x: left - 2, y: y - 10, width: own + 4, height: 14, fill: '#fbfcfd' });
    const number = text(left, y, value, { size: SIZE, bold: true, fill: theme.MUTED });
    names.push(back + number + text(left + valueWidth + 5, y, name, { size: SIZE }));
  }
  const axis = line(0, PLOT_HEIGHT - 2, width, PLOT_HEIGHT - 2, { stroke: theme.AXIS });
  return {
    width,
    height: PLOT_HEIGHT + 14 + rowEnds.length * ROW_HEIGHT,
    svg: [...hills, axis, ...leaders, ...names].join(''),
  };
}
