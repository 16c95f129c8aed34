import * as theme from './theme.ts';
import type { SimulatedLayer, SimulatedStep } from './simulated-step.ts';
import { type Block, coordinate, element, flow, line, pair, rect, stack, text, tooltip } from './svg.ts';
import { clean, fit, short, shortReference, textWidth } from './text.ts';
import { GUTTER, RIGHT_MARGIN, type TimeScale } from './time-scale.ts';

/** Parts that all strips of a plot share. */

const STRIP_TEXT = 11;

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
function tint(colour: string, share: number): string {
  const mixed = [1, 3, 5].map((i) => {
    const channel = Number.parseInt(colour.slice(i, i + 2), 16);
    return Math.round(255 - (255 - channel) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${mixed.join('')}`;
}

/** Names next to their colours, in rows under a strip. */
function legend(entries: readonly { readonly name: string; readonly colour: string }[], scale: TimeScale): Block {
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
function polygon(points: readonly (readonly [number, number])[], attributes: Record<string, string | number>): string {
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
  return kept.map(([x, y]) => pair({ x, y }));
}

const STATE_HEIGHT = 30;
/** From this many changes within a pixel on, these are marked as such, and no state is shown. */
const BUSY = 4;
const LEGEND_LIMIT = 24;

/** A stretch of time in which a layer stays in a state, or in one transition. */
interface Segment {
  readonly key: string;
  readonly busy: boolean;
  readonly layer: SimulatedLayer;
  readonly x0: number;
  x1: number;
  /** Right edge of each step, and how far the transition is then. */
  readonly progress: [number, number][];
}

/** A band with the layer's states; in a transition the new state rises from below as the old one shrinks. */
export function stateStrip(steps: readonly SimulatedStep[], index: number, scale: TimeScale): Block {
  const segments = segmentsOf(steps, index, scale);
  const colours = new Map<string, string>();
  const colourOf = (state: string): string => {
    if (!colours.has(state)) colours.set(state, tint(theme.SERIES[colours.size % theme.SERIES.length]!, 0.55));
    return colours.get(state)!;
  };
  const labelled = new Set<string>();
  const shapes = segments.map((segment) => {
    const { layer, busy } = segment;
    if (busy) return rect(segment.x0, 0, segment.x1 - segment.x0, STATE_HEIGHT, { fill: theme.MUTED });
    if (layer.next !== null) return wedge(segment, colourOf(layer.state), colourOf(layer.next));
    const width = segment.x1 - segment.x0;
    const name = labelOf(layer.state, width);
    if (name !== '') labelled.add(layer.state);
    return element(
      'g',
      { class: 'state' },
      tooltip(layer.state),
      rect(segment.x0, 0, width, STATE_HEIGHT, { fill: colourOf(layer.state) }),
      name === '' ? '' : text((segment.x0 + segment.x1) / 2, 19, name, { anchor: 'middle' }),
    );
  });
  const unlabelled = [...colours].filter(([name]) => !labelled.has(name));
  const entries = unlabelled.slice(0, LEGEND_LIMIT).map(([name, colour]) => ({ name: name || '(empty)', colour }));
  const over = unlabelled.length - LEGEND_LIMIT;
  if (over > 0) entries.push({ name: `… ${over} more`, colour: theme.PANEL });
  if (segments.some(({ busy }) => busy)) entries.push({ name: 'many changes within a pixel', colour: theme.MUTED });
  const band = { width: scale.width, height: STATE_HEIGHT, svg: stripName('state', 19) + shapes.join('') };
  return stack([band, legend(entries, scale)], 5);
}

function labelOf(state: string, width: number): string {
  const name = clean(state) || '(empty)';
  if (textWidth(name, 12) + 8 <= width) return name;
  return width >= 60 ? fit(name, width - 8, 12) : '';
}

function segmentsOf(steps: readonly SimulatedStep[], index: number, { columns }: TimeScale): Segment[] {
  const segments: Segment[] = [];
  for (const { from, to, x0, x1 } of columns) {
    let changes = 0;
    let last: SimulatedLayer | undefined;
    for (let i = from; i < to; i++) {
      const layer = steps[i]!.layers[index];
      if (!layer) continue;
      if (last && (last.state !== layer.state || last.next !== layer.next)) changes++;
      last = layer;
    }
    if (!last) continue;
    const busy = changes >= BUSY;
    const key = busy ? 'busy' : JSON.stringify([last.state, last.next, last.next !== null && last.frozen]);
    let segment = segments.at(-1);
    if (segment?.key === key && Math.abs(segment.x1 - x0) < 0.01) segment.x1 = x1;
    else segments.push((segment = { key, busy, layer: last, x0, x1, progress: [] }));
    const progress = Number.isFinite(last.progress) ? Math.min(1, Math.max(0, last.progress)) : 0;
    segment.progress.push([x1, progress]);
  }
  return segments;
}

/** Old above, new below, parted by the progress; a frozen old pose is paler. */
function wedge({ layer, x0, x1, progress }: Segment, old: string, young: string): string {
  const border = [[x0, 0] as const, ...progress].map(([x, p]): [number, number] => [x, STATE_HEIGHT * (1 - p)]);
  const width = x1 - x0;
  const name = `${clean(layer.state)} → ${clean(layer.next ?? '')}`;
  return element(
    'g',
    { class: 'transition' },
    tooltip(`${name}${layer.frozen ? ' (from a frozen pose)' : ''}`),
    rect(x0, 0, width, STATE_HEIGHT, { fill: young }),
    polygon([[x0, 0], ...border, [x1, 0]], {
      fill: layer.frozen ? theme.PANEL_EDGE : old,
      stroke: theme.MUTED,
      'stroke-width': 0.6,
    }),
    textWidth(name, STRIP_TEXT) + 10 > width
      ? ''
      : text((x0 + x1) / 2, 19, name, { size: STRIP_TEXT, anchor: 'middle', fill: theme.INK }),
  );
}

const WEIGHTS_HEIGHT = 64;
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
  const border = () =>
    bases.map((base, c): [number, number] => [scale.columns[c]!.x1, WEIGHTS_HEIGHT * (1 - base / top)]);
  const areas = Array.from({ length: count }, (_, area) => {
    const bottoms = border();
    for (const [c, sums] of rows.entries()) bases[c]! += sums[area]!;
    const tops = border();
    const x0 = scale.columns[0]!.x0;
    const outline: [number, number][] = [[x0, tops[0]![1]], ...tops, ...bottoms.reverse()];
    outline.push([x0, outline.at(-1)![1]]);
    return polygon(outline, { fill: colourOf(area, own.length) });
  });
  const entries = own.map((name, i) => ({ name: shortReference(name), colour: colourOf(i, own.length) }));
  if (hasOthers) entries.push({ name: `${clips.size - own.length} other clips`, colour: OTHERS });
  const { left, right } = scale;
  const frame = [
    rect(left, 0, right - left, WEIGHTS_HEIGHT, { fill: 'none', stroke: theme.PANEL_EDGE }),
    line(left, WEIGHTS_HEIGHT, right, WEIGHTS_HEIGHT, { stroke: theme.AXIS }),
    text(right + 5, 10, short(top), { size: STRIP_TEXT, fill: theme.MUTED, width: 28 }),
    text(right + 5, WEIGHTS_HEIGHT, '0', { size: STRIP_TEXT, fill: theme.MUTED }),
  ];
  const chart = `<g class="weights">${tooltip('weights of motions')}${areas.join('')}</g>`;
  const svg = stripName('motion weights', WEIGHTS_HEIGHT / 2 + 4) + chart + frame.join('');
  return stack([{ width: scale.width, height: WEIGHTS_HEIGHT, svg }, legend(entries, scale)], 6);
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

const NUMBER_HEIGHT = 32;
const FLAG_HEIGHT = 16;
const PARAMETER_LIMIT = 32;

/** A line for each number and a bar for each flag; values hold for the whole of their step. */
export function parameterStrips(steps: readonly SimulatedStep[], scale: TimeScale): Block[] {
  const names = new Set<string>();
  for (const { parameters } of steps) for (const name of Object.keys(parameters ?? {})) names.add(name);
  const strips = [...names].slice(0, PARAMETER_LIMIT).map((name) => parameterStrip(name, steps, scale));
  if (names.size > PARAMETER_LIMIT) {
    const more = text(0, 12, `… ${names.size - PARAMETER_LIMIT} more parameters are not shown`, {
      size: STRIP_TEXT,
      fill: theme.MUTED,
    });
    strips.push({ width: scale.width, height: 16, svg: more });
  }
  return strips.length === 0 ? [] : [stack(strips, 6)];
}

function parameterStrip(name: string, steps: readonly SimulatedStep[], scale: TimeScale): Block {
  const values = steps.map(({ parameters }) =>
    parameters && Object.hasOwn(parameters, name) ? parameters[name] : undefined,
  );
  const isFlag = values.every((value) => value === undefined || typeof value === 'boolean');
  return isFlag ? flagStrip(name, values, scale) : numberStrip(name, values.map(Number), scale);
}

function flagStrip(name: string, values: readonly unknown[], scale: TimeScale): Block {
  const runs: { share: number; x0: number; x1: number }[] = [];
  for (const { from, to, x0, x1 } of scale.columns) {
    let count = 0;
    for (let i = from; i < to; i++) count += Number(values[i] === true);
    // where a pixel holds both values the bar is paler
    const share = count === 0 ? 0 : count === to - from ? 0.75 : 0.4;
    const last = runs.at(-1);
    if (last?.share === share && Math.abs(last.x1 - x0) < 0.01) last.x1 = x1;
    else if (share > 0) runs.push({ share, x0, x1 });
  }
  const { left, right } = scale;
  const ground = rect(left, 2, right - left, FLAG_HEIGHT - 4, { fill: theme.GRID });
  const fill = theme.PARAMETER_COLOURS.bool;
  const bars = runs.map(({ share, x0, x1 }) =>
    rect(x0, 2, Math.max(1, x1 - x0), FLAG_HEIGHT - 4, { fill: tint(fill, share) }),
  );
  const svg = stripName(name, 12) + element('g', { class: 'flag' }, tooltip(name), ground, ...bars);
  return { width: scale.width, height: FLAG_HEIGHT, svg };
}

function numberStrip(name: string, values: readonly number[], scale: TimeScale): Block {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const isFlat = !(high - low > 0) || !Number.isFinite(high - low);
  const y = (value: number) =>
    isFlat ? NUMBER_HEIGHT / 2 : 3 + (NUMBER_HEIGHT - 6) * (1 - (value - low) / (high - low));
  let path = '';
  let [lastX, lastY] = ['', ''];
  for (const { from, to, x0, x1 } of scale.columns) {
    let [least, most, last] = [Infinity, -Infinity, NaN];
    for (let i = from; i < to; i++) {
      if (!Number.isFinite(values[i])) continue;
      last = values[i]!;
      least = Math.min(least, last);
      most = Math.max(most, last);
    }
    if (Number.isNaN(last)) {
      lastX = '';
      continue;
    }
    const [begin, end, at] = [coordinate(x0), coordinate(x1), coordinate(y(last))];
    const range = least < most ? `V${coordinate(y(least))}V${coordinate(y(most))}V${at}` : '';
    if (lastX !== begin) path += `M${begin} ${at}${range}H${end}`;
    else if (lastY === at && range === '' && path.endsWith(`H${lastX}`)) path = `${path.slice(0, -lastX.length)}${end}`;
    else path += `${lastY === at ? '' : `V${at}`}${range}H${end}`;
    [lastX, lastY] = [end, at];
  }
  const { left, right } = scale;
  const stroke = theme.PARAMETER_COLOURS.float;
  const style = { size: STRIP_TEXT, fill: theme.MUTED, width: 52 };
  const limits = isFlat
    ? text(right + 5, NUMBER_HEIGHT / 2 + 4, Number.isFinite(low) ? short(low) : '', style)
    : text(right + 5, 11, short(high), style) + text(right + 5, NUMBER_HEIGHT - 1, short(low), style);
  const svg = [
    stripName(name, NUMBER_HEIGHT / 2 + 4),
    line(left, NUMBER_HEIGHT - 0.5, right, NUMBER_HEIGHT - 0.5, { stroke: theme.GRID }),
    element(
      'g',
      { class: 'number' },
      tooltip(name),
      element('path', { d: path || 'M0 0', fill: 'none', stroke, 'stroke-width': 1.5 }),
    ),
    limits,
  ];
  return { width: scale.width, height: NUMBER_HEIGHT, svg: svg.join('') };
}
