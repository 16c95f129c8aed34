import { type Block, coordinate, element, flow, rect, text } from './svg.ts';
import { fit, textWidth } from './text.ts';
import * as theme from './theme.ts';
import { GUTTER, RIGHT_MARGIN, type TimeScale } from './time-scale.ts';

/** Parts that all strips of a plot share. */

export const STRIP_TEXT = 11;

/** A strip's name in the gutter, its last line at `baseline`. */
export function stripName(name: string, baseline: number, note = ''): string {
  const style = { size: STRIP_TEXT, anchor: 'end' } as const;
  const noteWidth = note === '' ? 0 : textWidth(note, STRIP_TEXT) + 6;
  const own = text(GUTTER - 12 - noteWidth, baseline, name, { ...style, width: GUTTER - 24 - noteWidth });
  return note === '' ? own : own + text(GUTTER - 12, baseline, note, { ...style, fill: theme.MUTED });
}

export function stripHeading(content: string, width: number): Block {
  return { width, height: 18, svg: text(0, 13, content, { size: 13, bold: true, width }) };
}

/** A colour mixed with white: `share` of it. */
export function tint(colour: string, share: number): string {
  const mixed = [1, 3, 5].map((i) => {
    const channel = Number.parseInt(colour.slice(i, i + 2), 16);
    return Math.round(255 - (255 - channel) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${mixed.join('')}`;
}

/** Names next to their colours, in rows under a strip. */
export function legend(
  entries: readonly { readonly name: string; readonly colour: string }[],
  scale: TimeScale,
): Block {
  const width = scale.width - GUTTER - RIGHT_MARGIN;
  const items = entries.map(({ name, colour }): Block => {
    const shown = fit(name, 200, STRIP_TEXT);
    const swatch = rect(0, 3, 10, 10, { rx: 2, fill: colour });
    return {
      width: 18 + textWidth(shown, STRIP_TEXT),
      height: 16,
      svg: swatch + text(15, 12, shown, { size: STRIP_TEXT, fill: theme.MUTED }),
    };
  });
  const rows = flow(items, width, 12);
  return { width: scale.width, height: rows.height, svg: `<g transform="translate(${GUTTER} 0)">${rows.svg}</g>` };
}

/** An outline round the values of some strip, with straight runs merged. */
export function polygon(
  points: readonly (readonly [number, number])[],
  attributes: Record<string, string | number>,
): string {
  return element('path', { d: `M${withoutStraights(points).join('L')}Z`, ...attributes });
}

function withoutStraights(points: readonly (readonly [number, number])[]): string[] {
  const kept: (readonly [number, number])[] = [];
  for (const point of points) {
    const [a, b] = [kept.at(-2), kept.at(-1)];
    const isFlat = a && b && Math.abs(a[1] - b[1]) < 0.05 && Math.abs(point[1] - b[1]) < 0.05;
    const isSteep = a && b && Math.abs(a[0] - b[0]) < 0.05 && Math.abs(point[0] - b[0]) < 0.05;
    const isSame = b && Math.abs(point[0] - b[0]) < 0.05 && Math.abs(point[1] - b[1]) < 0.05;
    if (isSame) continue;
    if (isFlat || (isSteep && (point[1] - b[1]) * (b[1] - a[1]) > 0)) kept.pop();
    kept.push(point);
  }
  return kept.map(([x, y]) => `${coordinate(x)} ${coordinate(y)}`);
}

/** A number as 0 … 1. */
export const share = (value: number): number => (Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0);
