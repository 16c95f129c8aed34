import { line, text } from './svg.ts';
import * as theme from './theme.ts';

/** Room at the left of all strips, for names. */
export const GUTTER = 168;
export const RIGHT_MARGIN = 34;

/** Steps that share a place on the time axis: one each, or as many as fall into a pixel. */
export interface Column {
  /** Indices of steps, the last excluded. */
  readonly from: number;
  readonly to: number;
  /** Where the first of them begins, and where the last ends. */
  readonly x0: number;
  readonly x1: number;
}

export interface TimeScale {
  readonly start: number;
  readonly end: number;
  readonly width: number;
  /** Where the first step begins, and where the last ends. */
  readonly left: number;
  readonly right: number;
  /** Pixels from the left edge of the picture. */
  readonly x: (time: number) => number;
  readonly columns: readonly Column[];
  readonly ticks: readonly { readonly x: number; readonly label: string }[];
}

/**
 * Each step lasts from the time of the one before it to its own; times never run backwards. Where the first one begins
 * is `start`, or else taken to be as far from it as the second one.
 */
export function timeScale(times: readonly number[], width: number, start?: number): TimeScale {
  const ends = monotone(times);
  const first = ends[0] ?? 0;
  const guess = Math.max(0, first - (ends.length > 1 ? Math.max(ends[1]! - first, 0) : first));
  const begin = start ?? (first - guess > 0 && guess < 1e-9 ? 0 : guess);
  const end = Math.max(ends.at(-1) ?? 1, begin + 1e-6);
  const room = width - GUTTER - RIGHT_MARGIN;
  const x = (time: number) => GUTTER + (Math.min(Math.max((time - begin) / (end - begin), 0), 1) || 0) * room;
  const [columns, ticks] = [columnsOf(ends, begin, x, room), ticksOf(begin, end, x, room)];
  return { start: begin, end, width, left: x(begin), right: x(end), x, columns, ticks };
}

function monotone(times: readonly number[]): number[] {
  let last = 0;
  return times.map((time) => (last = Number.isFinite(time) ? Math.max(last, time) : last));
}

function columnsOf(ends: readonly number[], start: number, x: (time: number) => number, room: number): Column[] {
  if (ends.length <= 2 * room) {
    return ends.map((end, i) => ({ from: i, to: i + 1, x0: x(i === 0 ? start : ends[i - 1]!), x1: x(end) }));
  }
  const columns: Column[] = [];
  for (let from = 0; from < ends.length;) {
    let to = from + 1;
    const pixel = Math.floor(x(ends[from]!));
    while (to < ends.length && Math.floor(x(ends[to]!)) === pixel) to++;
    columns.push({ from, to, x0: x(from === 0 ? start : ends[from - 1]!), x1: x(ends[to - 1]!) });
    from = to;
  }
  return columns;
}

function ticksOf(start: number, end: number, x: (time: number) => number, room: number): TimeScale['ticks'] {
  const least = ((end - start) * 95) / room;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const ticks: { x: number; label: string }[] = [];
  for (let i = Math.ceil(start / step - 1e-6); i * step <= end + step * 1e-6 && ticks.length < 50; i++) {
    ticks.push({ x: x(i * step), label: `${(i * step).toFixed(digits)} s` });
  }
  return ticks;
}

/** Vertical lines through everything, and the times at the top and at the bottom. */
export function drawAxis({ ticks, left, right }: TimeScale, top: number, bottom: number): string {
  const lines = ticks.map((tick) => line(tick.x, top, tick.x, bottom, { stroke: theme.PANEL_EDGE }));
  const labels = ticks.flatMap((tick) =>
    [top - 7, bottom + 17].map((y) => text(tick.x, y, tick.label, { size: 11, fill: theme.MUTED, anchor: 'middle' })),
  );
  const bars = [top, bottom].map((y) => line(left, y, right, y, { stroke: theme.AXIS }));
  return [...lines, ...bars, ...labels].join('');
}
