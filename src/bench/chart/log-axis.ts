import { line, text } from '../../diagram/svg.ts';
import { GRID, MUTED } from '../../diagram/theme.ts';

/** Maps values to pixels by their logarithm, between whole powers of ten. */
export class LogAxis {
  /** Exponents of the first and the last tick. */
  readonly first: number;
  readonly last: number;

  /** @param from Pixel of the first tick. `to`: that of the last one. Values are above 0. */
  constructor(
    values: readonly number[],
    readonly from: number,
    readonly to: number,
  ) {
    this.first = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
    this.last = Math.max(this.first + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  }

  at(value: number): number {
    const share = (Math.log10(value) - this.first) / (this.last - this.first);
    return this.from + share * (this.to - this.from);
  }

  get ticks(): number[] {
    return Array.from({ length: this.last - this.first + 1 }, (_, i) => 10 ** (this.first + i));
  }

  /** Vertical lines at the ticks, with labels above. @param top Of the lines. */
  drawAcross(top: number, bottom: number, label: (value: number) => string): string {
    return this.ticks
      .map((tick) => {
        const x = this.at(tick);
        const name = text(x, top - 8, label(tick), { size: 11, fill: MUTED, anchor: 'middle' });
        return line(x, top, x, bottom, { stroke: GRID }) + name;
      })
      .join('');
  }

  /** Horizontal lines at the ticks, with labels to the left. */
  drawUp(left: number, right: number, label: (value: number) => string): string {
    return this.ticks
      .map((tick) => {
        const y = this.at(tick);
        const name = text(left - 8, y + 4, label(tick), { size: 11, fill: MUTED, anchor: 'end' });
        return line(left, y, right, y, { stroke: GRID }) + name;
      })
      .join('');
  }
}

/** A time on an axis, in a unit without leading zeros. */
export function timeLabel(milliseconds: number): string {
  if (milliseconds >= 1000) return `${milliseconds / 1000} s`;
  return milliseconds >= 0.999
    ? `${Math.round(milliseconds)} ms`
    : `${Number((1000 * milliseconds).toPrecision(6))} µs`;
}

/** A number of characters on an axis. */
export function countLabel(count: number): string {
  if (count >= 1e6) return `${count / 1e6} M`;
  return count >= 1e3 ? `${count / 1e3} k` : String(count);
}
