import * as theme from './theme.ts';
import type { SimulatedStep } from './simulated-step.ts';
import { parameterStrips, stateStrip, stripHeading, stripName, weightStrip } from './strips.ts';
import { at, type Block, file, rect, stack, text, coordinate, element, line, tooltip } from './svg.ts';
import { clean, short } from './text.ts';
import { drawAxis, timeScale, type TimeScale } from './time-scale.ts';

const MARGIN = 24;
const LAYER_LIMIT = 16;

export interface SimulationPlotOptions {
  /** Default 'Simulation'. */
  readonly title?: string;
  /** Pixels, 600 to 4,000; default 1,200. */
  readonly width?: number;
  /** Seconds at which the first step begins; default: as long before its end as the second one takes. */
  readonly start?: number;
  /** When which trigger was set, in seconds. */
  readonly triggers?: readonly { readonly time: number; readonly name: string }[];
}

/**
 * Simulated steps as one SVG file: for each layer its states and the weights of its motions over time, then parameters,
 * triggers and events, all over one time axis.
 *
 * Every step is shown over the time from the previous step to its own. Where several fall into one pixel, weights are
 * their mean and numbers their range. More than three changes of state are marked as such. So the size of the file
 * does not depend on the number of steps. Layers beyond 16 and parameters beyond 32 are counted in a note.
 */
export function simulationPlot(steps: readonly SimulatedStep[], options: SimulationPlotOptions = {}): string {
  const { title = 'Simulation', triggers = [] } = options;
  const width = Math.round(Math.min(4000, Math.max(600, options.width ?? 1200)));
  const times = steps.map(({ time }) => time);
  const scale = timeScale(times, width - 2 * MARGIN, options.start);
  const length = steps.length === 0 ? 'no steps' : `${steps.length} steps, ${short(scale.end)} s`;
  const head: Block = {
    width: scale.width,
    height: 52,
    svg: text(0, 22, title, { size: 20, bold: true, width: scale.width }) + text(0, 42, length, { fill: theme.MUTED }),
  };
  const strips = steps.length === 0 ? [] : stripsOf(steps, scale, triggers);
  const content = stack(strips, 16);
  const top = head.height + 30;
  const bottom = top + content.height + 20;
  const { left, right } = scale;
  const ground = rect(left, top, right - left, bottom - top, { fill: theme.PANEL });
  const axis = steps.length === 0 ? '' : ground + drawAxis(scale, top, bottom);
  const svg = at(head, 0, 0) + axis + at(content, 0, top + 10);
  const whole: Block = { width: scale.width, height: bottom + 24, svg };
  const framed = { width, height: whole.height + 2 * MARGIN, svg: at(whole, MARGIN, MARGIN) };
  return file(framed, clean(title), `States, motion weights, parameters and events over time: ${length}.`);
}

function stripsOf(
  steps: readonly SimulatedStep[],
  scale: TimeScale,
  triggers: NonNullable<SimulationPlotOptions['triggers']>,
): Block[] {
  const layers = steps[0]!.layers;
  const strips = layers.slice(0, LAYER_LIMIT).map((layer, i) => {
    const name = stripHeading(`${i}  ${clean(layer.name)}`, 150);
    return stack([name, stateStrip(steps, i, scale), weightStrip(steps, i, scale)], 7);
  });
  if (layers.length > LAYER_LIMIT) {
    strips.push(stripHeading(`… ${layers.length - LAYER_LIMIT} more layers`, 150));
  }
  const parameters = parameterStrips(steps, scale);
  if (parameters.length > 0) strips.push(stack([stripHeading('Parameters', 150), ...parameters], 4));
  if (triggers.length > 0) {
    const rows = tickStrips(triggers, scale, theme.PARAMETER_COLOURS.trigger);
    strips.push(stack([stripHeading('Triggers', 150), rows], 4));
  }
  const events = steps.flatMap(({ time, events: fired }) =>
    fired.map(({ name, weight }): Moment => ({ name, time, weight })),
  );
  if (events.length > 0) {
    strips.push(stack([stripHeading('Events', 150), tickStrips(events, scale, '#6a4fb0')], 4));
  }
  return strips;
}

const TICKS_HEIGHT = 20;
const ROW_LIMIT = 16;

/** Something that happened at a moment. */
interface Moment {
  readonly name: string;
  readonly time: number;
  /** 0 … 1, default 1: lighter ones are paler. */
  readonly weight?: number;
}

/** A row of ticks for each name, in the order of their first; names beyond 16 share the last row. */
function tickStrips(moments: readonly Moment[], scale: TimeScale, colour: string): Block {
  const rows = new Map<string, Moment[]>();
  for (const moment of moments) {
    const known = rows.get(moment.name);
    if (known) known.push(moment);
    else rows.set(moment.name, [moment]);
  }
  const named = [...rows];
  const shown = named.length > ROW_LIMIT ? named.slice(0, ROW_LIMIT - 1) : named;
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
  const base = line(scale.left, 17, scale.right, 17, { stroke: theme.GRID });
  const svg = [
    stripName(name, 14, `×${moments.length}`),
    base,
    element('g', { class: 'ticks' }, tooltip(`${name}: ${moments.length}`), ...ticks),
  ];
  return { width: scale.width, height: TICKS_HEIGHT, svg: svg.join('') };
}
