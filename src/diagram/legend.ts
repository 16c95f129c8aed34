import { arrowHead, Axes, type Block, element, flow, line, rect, text } from './svg.ts';
import { LABEL_SIZE } from './labels.ts';
import { textWidth } from './text.ts';
import * as theme from './theme.ts';

const HEIGHT = 18;
const SIGN = 34;

/** The meaning of boxes, arrows and the words on them. */
export function legend(width: number): Block {
  const entries = [
    entry('entry of a machine', box(theme.ENTRY)),
    entry('default state', box(theme.DEFAULT_STATE)),
    entry('state', box(theme.STATE)),
    entry('from any state, tried first', box(theme.ANY)),
    entry('exit of a machine', box(theme.EXIT)),
    entry('where no other holds', arrow('5 4')),
    entry('order in which transitions of one box are tried', words('1 2')),
    entry('parameter is not set', words('!a')),
    entry('exit time, in cycles', clock(SIGN - 12, 9)),
    entry('blend, in seconds or of the source state', words('s  %')),
  ];
  const block = flow(entries, width, 18);
  return { ...block, svg: element('g', { class: 'legend' }, block.svg) };
}

function entry(meaning: string, sign: string): Block {
  const own = text(SIGN, 13, meaning, { size: LABEL_SIZE, fill: theme.MUTED });
  return { width: SIGN + Math.ceil(textWidth(meaning, LABEL_SIZE)), height: HEIGHT, svg: sign + own };
}

function box({ fill, edge }: theme.BoxColours): string {
  return rect(8.5, 3, 18, 12, { rx: 4, fill, stroke: edge, 'stroke-width': 1.4 });
}

function arrow(dashes: string): string {
  const stroke = theme.EDGES.entry;
  const tip = { x: SIGN - 6, y: 9 };
  return (
    line(0, 9, tip.x - 6, 9, { stroke, 'stroke-width': 1.4, 'stroke-dasharray': dashes }) +
    element('path', { d: arrowHead(tip, { x: 0, y: 9 }, new Axes(true)), fill: stroke })
  );
}

function words(content: string): string {
  return text(SIGN - 6, 13, content, { size: LABEL_SIZE, anchor: 'end' });
}

/** A clock around a point, the sign of an exit time. */
export function clock(x: number, y: number): string {
  const stroke = theme.MUTED;
  return [
    element('circle', { cx: x, cy: y, r: 4.5, fill: 'none', stroke, 'stroke-width': 1.2 }),
    line(x, y, x, y - 3, { stroke }),
    line(x, y, x + 2.2, y, { stroke }),
  ].join('');
}
