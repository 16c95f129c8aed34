import { type Block, coordinate, element, line, stack, tooltip } from './svg.ts';
import { stripName } from './strips.ts';
import * as theme from './theme.ts';
import type { TimeScale } from './time-scale.ts';

const HEIGHT = 20;
const ROWS = 16;

/** Something that happened at a moment. */
export interface Moment {
  readonly name: string;
  readonly time: number;
  /** 0 … 1, default 1: lighter ones are paler. */
  readonly weight?: number;
}

/** A row of ticks for each name, in the order of their first; names beyond 16 share the last row. */
export function tickStrips(moments: readonly Moment[], scale: TimeScale, colour: string): Block {
  const rows = new Map<string, Moment[]>();
  for (const moment of moments) {
    const known = rows.get(moment.name);
    if (known) known.push(moment);
    else rows.set(moment.name, [moment]);
  }
  const named = [...rows];
  const shown = named.length > ROWS ? named.slice(0, ROWS - 1) : named;
  const rest = named.slice(shown.length);
  if (rest.length > 0) shown.push([`${rest.length} others`, rest.flatMap(([, list]) => list)]);
  return stack(
    shown.map(([name, list]) => row(name, list, scale, colour)),
    3,
  );
}

function row(name: string, moments: readonly Moment[], scale: TimeScale, colour: string): Block {
  // the heaviest of those that would be drawn on the same half pixel
  const weights = new Map<number, number>();
  for (const { time, weight = 1 } of moments) {
    const place = Math.round(scale.x(time) * 2);
    weights.set(place, Math.max(weights.get(place) ?? 0, weight));
  }
  const paths = new Map<number, string>();
  for (const [place, weight] of weights) {
    const opacity = weight >= 0.75 ? 1 : weight >= 0.25 ? 0.65 : 0.4;
    const x = place / 2;
    const flag = `M${coordinate(x)} 3v14M${coordinate(x - 3)} 3h6`;
    paths.set(opacity, (paths.get(opacity) ?? '') + flag);
  }
  const ticks = Array.from(paths, ([opacity, d]) =>
    element('path', { d, stroke: colour, 'stroke-width': 1.6, fill: 'none', 'stroke-opacity': `${opacity}` }),
  );
  const base = line(scale.x(scale.start), 17, scale.x(scale.end), 17, { stroke: theme.GRID });
  const svg = [
    stripName(name, 14, `×${moments.length}`),
    base,
    element('g', { class: 'ticks' }, tooltip(`${name}: ${moments.length}`), ...ticks),
  ];
  return { width: scale.width, height: HEIGHT, svg: svg.join('') };
}
