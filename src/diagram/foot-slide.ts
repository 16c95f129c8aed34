import { at, type Block, coordinate, element, file, line, rect, stack, text, tooltip } from './svg.ts';
import { short } from './text.ts';
import * as theme from './theme.ts';

/** One foot over a clip. */
export interface FootCurve {
  /** Seconds between samples; the first is at 0. */
  readonly step: number;
  /** First and last sample of each time in which the foot is planted. */
  readonly planted: readonly { readonly first: number; readonly last: number }[];
  /** Metres from its place on the ground, one per sample; NaN where the foot is not planted. */
  readonly slide: ArrayLike<number>;
  /** The same, if feet were not held. */
  readonly freeSlide: ArrayLike<number>;
}

export interface FootCurves {
  readonly left: FootCurve;
  readonly right: FootCurve;
}

const GUTTER = 112;
const MARGIN = 16;
const HEIGHT = 74;
/** Metres: a slide that people see. */
const SEEN = 0.03;
/** Colours of both curves. */
const [HELD, FREE] = ['#1a6d8c', '#c9605b'];
const PLANTED = '#e3ecdf';

/** Foot slide as one SVG file: see {@link footSlideBlock}. @param width Pixels, 300 to 4,000. */
export function footSlideChart(clip: string, feet: FootCurves, width = 800): string {
  const inner = Math.min(4000, Math.max(300, width)) - 32;
  const block = stack([heading(clip, inner), footSlideBlock(feet, inner)], 8);
  const framed = { width: inner + 32, height: block.height + 32, svg: at(block, 16, 16) };
  return file(framed, `${clip}: foot slide`, 'Distance of planted feet from their places over time.');
}

function heading(clip: string, width: number): Block {
  return { width, height: 20, svg: text(0, 14, clip, { size: 14, bold: true, width }) };
}

/**
 * How far each foot is from its place on the ground over time, in centimetres of a character of 1.8 m, before and after it
 * was held. Times in which it is planted are shaded. The hidden line of class `now` is for the time that a page shows.
 */
export function footSlideBlock({ left, right }: FootCurves, width: number): Block {
  const samples = Math.max(left.slide.length, right.slide.length, 2);
  const end = (samples - 1) * left.step;
  const most = Math.max(SEEN, ...[left, right].flatMap(({ slide, freeSlide }) => [largest(slide), largest(freeSlide)]));
  const strips = [strip('left foot', left, { width, end, most }), strip('right foot', right, { width, end, most })];
  const feet = stack(strips, 6);
  const bottom = feet.height + 18;
  const room = width - GUTTER - MARGIN;
  const ticks = ticksOf(end, room).map(({ x, label }) => text(GUTTER + x, bottom - 4, label, AXIS_TEXT));
  const now = line(GUTTER, 0, GUTTER, feet.height, { class: 'now', stroke: theme.INK, 'stroke-width': 1.5, visibility: 'hidden' }); // prettier-ignore
  const curves = { width, height: bottom, svg: feet.svg + ticks.join('') + now };
  return stack([curves, key(width)], 4);
}

const AXIS_TEXT = { size: 11, fill: theme.MUTED, anchor: 'middle' } as const;

function largest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((most, value) => (value > most ? value : most), 0);
}

interface Scale {
  readonly width: number;
  /** Seconds. */
  readonly end: number;
  /** Metres at the top. */
  readonly most: number;
}

function strip(name: string, { planted, slide, freeSlide, step }: FootCurve, { width, end, most }: Scale): Block {
  const room = width - GUTTER - MARGIN;
  const x = (sample: number): number => GUTTER + (end > 0 ? (sample * step) / end : 0) * room;
  const y = (metres: number): number => HEIGHT - 4 - ((HEIGHT - 10) * metres) / most;
  const spans = planted.map(({ first, last }) =>
    element(
      'g',
      {},
      tooltip(`planted from ${short(first * step)} to ${short(last * step)} s`),
      rect(x(first), 0, Math.max(1, x(last) - x(first)), HEIGHT, { fill: PLANTED }),
    ),
  );
  const curve = (values: ArrayLike<number>, colour: string, dashes?: string): string => {
    const stride = Math.max(1, Math.floor((end > 0 ? end / step : 1) / room));
    const d = planted.map(({ first, last }) => {
      const points: string[] = [];
      // of samples that share a pixel, the largest
      for (let i = first; i <= last; i += stride) {
        const most = Array.from({ length: Math.min(stride, last + 1 - i) }, (_, k) => values[i + k]!);
        points.push(`${coordinate(x(i))} ${coordinate(y(Math.max(...most)))}`);
      }
      return `M${points.join('L')}`;
    });
    if (d.length === 0) return '';
    return element('path', { d: d.join(''), fill: 'none', stroke: colour, 'stroke-width': 1.8, 'stroke-dasharray': dashes }); // prettier-ignore
  };
  const level = (metres: number): string =>
    line(GUTTER, y(metres), width - MARGIN, y(metres), { stroke: theme.GRID }) +
    text(GUTTER - 6, y(metres) + 4, `${short(100 * metres)} cm`, { size: 10, fill: theme.MUTED, anchor: 'end' });
  const svg = [
    rect(GUTTER, 0, room, HEIGHT, { class: 'times', fill: theme.PANEL, stroke: theme.PANEL_EDGE }),
    ...spans,
    level(0),
    level(SEEN),
    curve(freeSlide, FREE!, '4 3'),
    curve(slide, HELD!),
    text(0, HEIGHT / 2, name, { size: 11, bold: true, width: 66 }),
    ...(planted.length === 0
      ? [text(GUTTER + room / 2, HEIGHT / 2, 'never planted', { size: 11, fill: theme.MUTED, anchor: 'middle' })]
      : []),
  ];
  return { width, height: HEIGHT, svg: svg.join('') };
}

function ticksOf(end: number, room: number): { x: number; label: string }[] {
  if (!(end > 0)) return [{ x: 0, label: '0 s' }];
  const least = (end * 70) / room;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  const count = Math.min(50, Math.floor(end / step + 1e-6));
  return Array.from({ length: count + 1 }, (_, i) => ({ x: (room * i * step) / end, label: `${short(i * step)} s` }));
}

function key(width: number): Block {
  const swatch = (x: number, colour: string, dashes: string | undefined, content: string): string =>
    line(x, 8, x + 22, 8, { stroke: colour, 'stroke-width': 1.8, 'stroke-dasharray': dashes }) +
    text(x + 28, 12, content, { size: 11, fill: theme.MUTED });
  const svg = [
    swatch(GUTTER, HELD!, undefined, 'held'),
    swatch(GUTTER + 72, FREE!, '4 3', 'not held'),
    rect(GUTTER + 158, 2, 22, 12, { fill: PLANTED }),
    text(GUTTER + 186, 12, 'planted', { size: 11, fill: theme.MUTED }),
  ];
  return { width, height: 16, svg: svg.join('') };
}
