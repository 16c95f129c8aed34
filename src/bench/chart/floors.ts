import { type Block, element, line, text, tooltip } from '../../diagram/svg.ts';
import { GRID, INK, MUTED } from '../../diagram/theme.ts';
import { type BenchRow, MANIPLE, percentOfFloor } from '../report.ts';
import { inUnits, milliseconds } from '../units.ts';
import { LogAxis, timeLabel } from './log-axis.ts';

export const STAGE_COLOUR = '#b4540a';
export const FLOOR_COLOUR = '#5b7fa6';

const [ROW, GROUP_GAP, TOP] = [22, 34, 30];
const [NAMES, FIGURES] = [150, 330];
/** Right ends of the columns of figures, from the right edge. */
const COLUMNS = { time: 236, rate: 76, percent: 0 } as const;

/** Stages and their floors, scene by scene: a line from the floor to the time, on a common axis. */
export function floorsChart(rows: readonly BenchRow[], width: number): Block {
  const groups = largestScenes(rows);
  if (groups.length === 0) return { width: 0, height: 0, svg: '' };
  const shown = groups.flat();
  const axis = new LogAxis(
    shown.flatMap((row) => [row.milliseconds, row.floorMilliseconds!]),
    NAMES + 16,
    width - FIGURES,
  );
  let y = TOP;
  let svg = '';
  for (const group of groups) {
    const { scene, count } = group[0]!;
    svg += text(0, y + 16, scene, { size: 13, bold: true });
    svg += text(width, y + 16, `${count.toLocaleString('en')} characters`, { size: 12, fill: MUTED, anchor: 'end' });
    svg += line(0, y + 25, width, y + 25, { stroke: GRID });
    y += GROUP_GAP;
    for (const row of group) {
      svg += drawRow(row, axis, y + ROW / 2, width);
      y += ROW;
    }
    y += 8;
  }
  const heads = { time: 'time', rate: 'rate', percent: 'of the floor' } as const;
  const head = (['time', 'rate', 'percent'] as const).map((key) =>
    text(width - COLUMNS[key], TOP - 16, heads[key], { size: 11, fill: MUTED, anchor: 'end' }),
  );
  return { width, height: y, svg: axis.drawAcross(TOP - 8, y - 8, timeLabel) + head.join('') + svg };
}

/** Rows with floors, by scene, each with its largest number of characters. */
function largestScenes(rows: readonly BenchRow[]): BenchRow[][] {
  const groups = new Map<string, BenchRow[]>();
  for (const row of rows) {
    if (!(row.floorMilliseconds! > 0) || !(row.milliseconds > 0) || row.subject !== MANIPLE) continue;
    const group = groups.get(row.scene) ?? [];
    const [known] = group;
    if (known && known.count > row.count) continue;
    groups.set(row.scene, known && known.count < row.count ? [row] : [...group, row]);
  }
  // a single stage with a baseline is in the chart of baselines
  return [...groups.values()].filter((group) => group.length > 1);
}

function drawRow(row: BenchRow, axis: LogAxis, y: number, width: number): string {
  const { stage, work, unit, bytes, milliseconds: time, floorMilliseconds: floor } = row;
  const isWhole = stage === 'frame';
  const [from, to] = [axis.at(floor!), axis.at(time)];
  const percent = percentOfFloor(row)!;
  const rate = `${inUnits((1000 * work) / time)} ${unit}/s`;
  const figures = [
    text(width - COLUMNS.time, y + 4, `${milliseconds(time)} ms`, { size: 12, bold: true, anchor: 'end' }),
    text(width - COLUMNS.rate, y + 4, rate, { size: 11, fill: MUTED, anchor: 'end' }),
    text(width, y + 4, `${percent.toFixed(percent < 10 ? 1 : 0)} %`, { size: 12, anchor: 'end' }),
  ];
  const marks = [
    line(from, y, to, y, { stroke: STAGE_COLOUR, 'stroke-width': 2, 'stroke-opacity': '0.35' }),
    element('circle', { cx: from, cy: y, r: 4, fill: '#ffffff', stroke: FLOOR_COLOUR, 'stroke-width': 2 }),
    element('circle', { cx: to, cy: y, r: 5, fill: isWhole ? INK : STAGE_COLOUR }),
  ];
  const name = text(0, y + 4, isWhole ? 'whole frame' : stage, { size: 12, bold: isWhole });
  const detail = `${stage}: ${inUnits(work)} ${unit}, ${inUnits(bytes!, 'B')}, ${milliseconds(time)} ms, floor ${milliseconds(floor!)} ms`;
  return element('g', {}, tooltip(detail), name, ...marks, ...figures);
}
