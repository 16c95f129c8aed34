import type { SimulatedStep } from './simulated-step.ts';
import { type Block, line, rect, stack, text, tooltip } from './svg.ts';
import { legend, polygon, stripName, STRIP_TEXT, tint } from './strips.ts';
import { short, shortReference } from './text.ts';
import * as theme from './theme.ts';
import type { TimeScale } from './time-scale.ts';

const HEIGHT = 64;
/** Clips with an area of their own; lighter ones share one. */
const OWN_AREAS = 9;
const OTHERS = '#b9c1cb';

/** The weights of a layer's motions on top of each other; within a pixel, their mean. */
export function weightStrip(steps: readonly SimulatedStep[], index: number, scale: TimeScale): Block {
  const clips = heaviest(steps, index);
  if (clips.size === 0) return { width: 0, height: 0, svg: '' };
  const own = [...clips.keys()].slice(0, OWN_AREAS);
  const areaOf = new Map(own.map((clip, i) => [clip, i]));
  const hasOthers = clips.size > own.length;
  const count = own.length + Number(hasOthers);

  const rows = scale.columns.map(({ from, to }) => {
    const sums = new Float64Array(count);
    for (let i = from; i < to; i++) {
      for (const { clip, weight } of steps[i]!.layers[index]?.motions ?? []) {
        if (weight > 0 && Number.isFinite(weight)) sums[areaOf.get(clip) ?? own.length]! += weight / (to - from);
      }
    }
    return sums;
  });
  const top = Math.max(1, ...rows.map((sums) => sums.reduce((a, b) => a + b, 0)));
  const bases = rows.map(() => 0);
  const areas = Array.from({ length: count }, (_, area) => {
    const bottoms = bases.map((base, c): [number, number] => [scale.columns[c]!.x1, yOf(base / top)]);
    for (const [c, sums] of rows.entries()) bases[c]! += sums[area]!;
    const tops = bases.map((base, c): [number, number] => [scale.columns[c]!.x1, yOf(base / top)]);
    const x0 = scale.columns[0]!.x0;
    const outline: [number, number][] = [[x0, tops[0]![1]], ...tops, ...bottoms.reverse()];
    outline.push([x0, outline.at(-1)![1]]);
    return polygon(outline, { fill: colourOf(area, own.length) });
  });
  const entries = own.map((name, i) => ({ name: shortReference(name), colour: colourOf(i, own.length) }));
  if (hasOthers) entries.push({ name: `${clips.size - own.length} other clips`, colour: OTHERS });
  const [left, right] = [scale.x(scale.start), scale.x(scale.end)];
  const frame = [
    rect(left, 0, right - left, HEIGHT, { fill: 'none', stroke: theme.PANEL_EDGE }),
    line(left, HEIGHT, right, HEIGHT, { stroke: theme.AXIS }),
    text(right + 5, 10, short(top), { size: STRIP_TEXT, fill: theme.MUTED, width: 28 }),
    text(right + 5, HEIGHT, '0', { size: STRIP_TEXT, fill: theme.MUTED }),
  ];
  const chart = `<g class="weights">${tooltip('weights of motions')}${areas.join('')}</g>`;
  const svg = stripName('motion weights', HEIGHT / 2 + 4) + chart + frame.join('');
  return stack([{ width: scale.width, height: HEIGHT, svg }, legend(entries, scale)], 6);
}

function yOf(share: number): number {
  return HEIGHT * (1 - share);
}

function colourOf(area: number, ownCount: number): string {
  return area < ownCount ? tint(theme.SERIES[area % theme.SERIES.length]!, 0.8) : OTHERS;
}

/** All clips with the sum of their weights, in the order in which areas lie: the heaviest below. */
function heaviest(steps: readonly SimulatedStep[], index: number): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { layers } of steps) {
    for (const { clip, weight } of layers[index]?.motions ?? []) {
      if (weight > 0 && Number.isFinite(weight)) sums.set(clip, (sums.get(clip) ?? 0) + weight);
    }
  }
  return new Map([...sums].sort((a, b) => b[1] - a[1]));
}
