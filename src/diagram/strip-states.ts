import type { SimulatedLayer, SimulatedStep } from './simulated-step.ts';
import { type Block, element, rect, stack, text, tooltip } from './svg.ts';
import { legend, polygon, share, stripName, STRIP_TEXT, tint } from './strips.ts';
import { clean, fit, textWidth } from './text.ts';
import * as theme from './theme.ts';
import type { TimeScale } from './time-scale.ts';

const HEIGHT = 30;
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
    if (busy) return busyShape(segment);
    if (layer.next !== null) return wedge(segment, colourOf(layer.state), colourOf(layer.next));
    const width = segment.x1 - segment.x0;
    const name = labelOf(layer.state, width);
    if (name !== '') labelled.add(layer.state);
    return element(
      'g',
      { class: 'state' },
      tooltip(layer.state),
      rect(segment.x0, 0, width, HEIGHT, { fill: colourOf(layer.state) }),
      name === '' ? '' : text((segment.x0 + segment.x1) / 2, 19, name, { anchor: 'middle' }),
    );
  });
  const unlabelled = [...colours].filter(([name]) => !labelled.has(name));
  const entries = unlabelled.slice(0, LEGEND_LIMIT).map(([name, colour]) => ({ name: name || '(empty)', colour }));
  const over = unlabelled.length - LEGEND_LIMIT;
  if (over > 0) entries.push({ name: `… ${over} more`, colour: theme.PANEL });
  if (segments.some(({ busy }) => busy)) entries.push({ name: 'many changes within a pixel', colour: theme.MUTED });
  const band = { width: scale.width, height: HEIGHT, svg: stripName('state', 19) + shapes.join('') };
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
    segment.progress.push([x1, share(last.progress)]);
  }
  return segments;
}

function busyShape({ x0, x1 }: Segment): string {
  return rect(x0, 0, x1 - x0, HEIGHT, { fill: theme.MUTED });
}

/** Old above, new below, parted by the progress; a frozen old pose is paler. */
function wedge({ layer, x0, x1, progress }: Segment, old: string, young: string): string {
  const border = [[x0, 0] as const, ...progress].map(([x, p]): [number, number] => [x, HEIGHT * (1 - p)]);
  const width = x1 - x0;
  const name = `${clean(layer.state)} → ${clean(layer.next ?? '')}`;
  return element(
    'g',
    { class: 'transition' },
    tooltip(`${name}${layer.frozen ? ' (from a frozen pose)' : ''}`),
    rect(x0, 0, width, HEIGHT, { fill: young }),
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
