import { countText } from '../numbers.ts';

/** Milliseconds of a frame at 60 frames per second. */
export const FRAME = 1000 / 60;

/** Stages with a cost per pixel, independent of the number of characters. */
const OF_PIXELS: readonly string[] = ['shade-pixels', 'temporal'];

export interface Budget {
  /** Milliseconds of the whole frame, and its part that does not grow with the crowd. */
  readonly total: number;
  readonly fixed: number;
  /** Microseconds for each character. */
  readonly each: number;
  /** Characters for which a frame at 60 per second has time. */
  readonly characters: number;
}

/**
 * Estimates how many characters like these fit into a frame. Assumes that each character costs the same, and that the cost of
 * pixels is constant. Undefined without measurements.
 */
export function budgetOf(times: ReadonlyMap<string, number>, characters: number): Budget | undefined {
  const sum = (names: Iterable<string>) => [...names].reduce((ms, name) => ms + (times.get(name) ?? 0), 0);
  const total = sum(times.keys());
  if (!(total > 0) || characters === 0) return undefined;
  const fixed = sum(OF_PIXELS);
  const growing = total - fixed;
  return {
    total,
    fixed,
    each: (1000 * growing) / characters,
    characters: growing > 0 ? Math.max(0, (characters * (FRAME - fixed)) / growing) : Infinity,
  };
}

/** Formats an estimate with two digits. */
export function roundly(value: number): string {
  if (!Number.isFinite(value)) return '—';
  if (value < 1) return '0';
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return countText(Math.round(value / step) * step);
}
