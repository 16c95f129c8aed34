import type { Measured } from './run.ts';

const WIDTHS = [18, 10, 10, 10, 10, 10, 10, 10, 10];
const NAMES = ['milliseconds', 'CPU step', 'CPU draw', 'CPU', 'GPU', 'frame', 'pause', 'MB', 'set up s'];

/** Names of `rowOf`'s columns. */
export const HEADER = lineOf(NAMES);

/** A subject's figures as a line. */
export function rowOf(name: string, { step, render, gpu, frame, pause, bytes, setUp }: Measured): string {
  const times = [step, render, step + render, gpu, frame, pause].map((time) => time.toFixed(time < 100 ? 2 : 0));
  return lineOf([name, ...times, (bytes / 1e6).toFixed(1), setUp.toFixed(2)]);
}

function lineOf(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(WIDTHS[i]!) : cell.padStart(WIDTHS[i]!))).join('');
}
