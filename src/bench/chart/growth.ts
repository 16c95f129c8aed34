import { type Block, coordinate, element, line, text } from '../../diagram/svg.ts';
import { AXIS, GRID, MUTED, PANEL } from '../../diagram/theme.ts';
import { type BenchRow, MANIPLE } from '../report.ts';
import { countLabel, LogAxis, timeLabel } from './log-axis.ts';

/** A line of a plot. */
interface Curve {
  readonly name: string;
  readonly rows: readonly BenchRow[];
}

/** Dark enough for thin lines and for text of the same colour. */
const COLOURS = ['#b4540a', '#1a6d8c', '#2c7a4b', '#6a4fb0', '#a03568', '#566273', '#7d6608'];
const [PLOT_HEIGHT, LEFT, LABELS, TOP] = [250, 52, 118, 46];
const LABEL_STEP = 15;
/** Time of a frame at 60 frames per second. */
const FRAME = 1000 / 60;

/** How times grow with the number of characters: stages of the scene with most numbers, and frames of all scenes. */
export function growthChart(rows: readonly BenchRow[], width: number): Block {
  const ours = rows.filter(({ subject, milliseconds }) => subject === MANIPLE && milliseconds > 0);
  const curvesOf = (pick: (row: BenchRow) => string | undefined): Curve[] => {
    const curves = new Map<string, BenchRow[]>();
    for (const row of ours) {
      const name = pick(row);
      if (name !== undefined) curves.set(name, [...(curves.get(name) ?? []), row]);
    }
    return Array.from(curves, ([name, found]) => ({ name, rows: found.sort((a, b) => a.count - b.count) })).filter(
      (curve) => curve.rows.length > 1,
    );
  };
  const frames = curvesOf(({ stage, scene }) => (stage === 'frame' ? scene : undefined));
  // the scene with most numbers of characters, and of those the one with the largest
  const [longest] = [...frames].sort((a, b) => b.rows.length - a.rows.length || largestOf(b) - largestOf(a));
  const stages = curvesOf(({ stage, scene }) => (scene === longest?.name && stage !== 'frame' ? stage : undefined));
  if (!longest) return { width: 0, height: 0, svg: '' };
  const half = (width - 40) / 2;
  const left = drawPlot(`Stages of “${longest.name}”`, stages, half);
  const right = drawPlot('Whole frames, by scene', frames, half);
  const svg = `${left.svg}<g transform="translate(${coordinate(half + 40)} 0)">${right.svg}</g>`;
  return { width, height: Math.max(left.height, right.height), svg };
}

/** A label that lines may cross. */
function haloed(x: number, y: number, label: string): string {
  const halo = { 'paint-order': 'stroke', stroke: PANEL, 'stroke-width': 4 };
  return element('text', { x, y, 'font-size': 11, fill: MUTED, ...halo }, label);
}

function largestOf({ rows }: Curve): number {
  return rows.at(-1)!.count;
}

function drawPlot(title: string, curves: readonly Curve[], width: number): Block {
  const all = curves.flatMap(({ rows }) => rows);
  const x = new LogAxis(
    all.map(({ count }) => count),
    LEFT,
    width - LABELS,
  );
  const y = new LogAxis(
    all.map(({ milliseconds }) => milliseconds),
    TOP + PLOT_HEIGHT,
    TOP,
  );
  const bottom = TOP + PLOT_HEIGHT;
  const counts = x.ticks
    .map((tick) => text(x.at(tick), bottom + 18, countLabel(tick), { size: 11, fill: MUTED, anchor: 'middle' }))
    .join('');
  const hasFrame = FRAME >= 10 ** y.first && FRAME <= 10 ** y.last;
  const frame = hasFrame
    ? line(LEFT, y.at(FRAME), width - LABELS, y.at(FRAME), { stroke: AXIS, 'stroke-dasharray': '2 4' }) +
      haloed(LEFT + 6, y.at(FRAME) - 5, '60 frames per second')
    : '';
  const svg = [
    text(0, 18, title, { size: 13, bold: true }),
    y.drawUp(LEFT, width - LABELS, timeLabel),
    line(LEFT, bottom, width - LABELS, bottom, { stroke: GRID }),
    counts,
    text((LEFT + width - LABELS) / 2, bottom + 36, 'characters', { size: 11, fill: MUTED, anchor: 'middle' }),
    drawCurves(curves, x, y, width),
    frame,
  ];
  return { width, height: bottom + 40, svg: svg.join('') };
}

function drawCurves(curves: readonly Curve[], x: LogAxis, y: LogAxis, width: number): string {
  const ends = curves.map(({ name, rows }, index) => {
    const last = rows.at(-1)!;
    return { name, index, x: x.at(last.count), y: y.at(last.milliseconds) };
  });
  const labels = spreadApart(ends.map((end) => end.y));
  const lines = curves.map(({ rows }, index) => {
    const colour = COLOURS[index % COLOURS.length]!;
    const points = rows.map((row) => [x.at(row.count), y.at(row.milliseconds)] as const);
    const path = points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${coordinate(px)} ${coordinate(py)}`).join('');
    const dots = points.map(([cx, cy]) => element('circle', { cx, cy, r: 3, fill: colour }));
    return element('path', { d: path, fill: 'none', stroke: colour, 'stroke-width': 2 }) + dots.join('');
  });
  const names = ends.map((end) => {
    const colour = COLOURS[end.index % COLOURS.length]!;
    const [from, to] = [end.x + 5, width - LABELS + 6];
    const leader =
      to - from > 8 || Math.abs(labels[end.index]! - end.y) > 3
        ? line(from, end.y, to, labels[end.index]!, { stroke: colour, 'stroke-opacity': '0.35' })
        : '';
    return leader + text(to + 4, labels[end.index]! + 4, end.name, { size: 11, fill: colour });
  });
  return lines.join('') + names.join('');
}

/** Positions as near to the wanted ones as labels that do not overlap can be, in the same order. */
export function spreadApart(wanted: readonly number[]): number[] {
  const order = [...wanted.keys()].sort((a, b) => wanted[a]! - wanted[b]!);
  // runs of labels that touch are centred where their labels want to be, on average
  const runs: { first: number; members: number[] }[] = [];
  for (const index of order) {
    runs.push({ first: wanted[index]!, members: [index] });
    while (runs.length > 1) {
      const [above, last] = [runs.at(-2)!, runs.at(-1)!];
      if (above.first + above.members.length * LABEL_STEP <= last.first) break;
      const members = [...above.members, ...last.members];
      const mean = members.reduce((sum, member) => sum + wanted[member]!, 0) / members.length;
      runs.splice(-2, 2, { first: mean - ((members.length - 1) * LABEL_STEP) / 2, members });
    }
  }
  const placed = Array.from({ length: wanted.length }, () => 0);
  for (const { first, members } of runs) members.forEach((member, i) => (placed[member] = first + i * LABEL_STEP));
  return placed;
}
