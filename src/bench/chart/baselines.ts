import { type Block, element, line, text, tooltip } from '../../diagram/svg.ts';
import { GRID, INK, MUTED } from '../../diagram/theme.ts';
import { type BenchRow, MANIPLE } from '../report.ts';
import { milliseconds, times } from '../units.ts';
import { STAGE_COLOUR } from './floors.ts';
import { LogAxis } from './log-axis.ts';

const [ROW, TOP] = [24, 30];
const [NAMES, SCENES, FIGURES] = [336, 116, 190];
const FASTER = '#566273';

/** Stages after a subject's name; other stages are named as they are. */
const SHORT: Readonly<Record<string, string>> = { poses: '', skins: '', step: '', host: ': CPU', gpu: ': GPU' };

/** A baseline's time as a multiple of ours. */
interface Ratio {
  readonly row: BenchRow;
  readonly ours: BenchRow;
  readonly ratio: number;
}

/** Baselines by how many times longer than Maniple they take. */
export function baselinesChart(rows: readonly BenchRow[], width: number): Block {
  const ratios = rows.flatMap((row): Ratio[] => {
    const ours = rows.find(
      ({ scene, count, stage, subject }) =>
        subject === MANIPLE && scene === row.scene && count === row.count && stage === row.stage,
    );
    if (row.subject === MANIPLE || !ours || !(ours.milliseconds > 0) || !(row.milliseconds > 0)) return [];
    return [{ row, ours, ratio: row.milliseconds / ours.milliseconds }];
  });
  if (ratios.length === 0) return { width: 0, height: 0, svg: '' };
  const axis = new LogAxis([1, ...ratios.map(({ ratio }) => ratio)], NAMES + 16, width - FIGURES);
  const bottom = TOP + ratios.length * ROW;
  const grid = axis.drawAcross(TOP - 8, bottom, (tick) =>
    tick === 1 ? 'Maniple' : `${tick >= 1 ? Math.round(tick).toLocaleString('en') : Number(tick.toPrecision(1))} ×`,
  );
  const unit = line(axis.at(1), TOP - 8, axis.at(1), bottom, { stroke: STAGE_COLOUR, 'stroke-width': 2 });
  const svg = ratios.map((ratio, i) => drawRatio(ratio, ratios[i - 1], axis, TOP + (i + 0.5) * ROW, width));
  return { width, height: bottom + 4, svg: grid + unit + svg.join('') };
}

function drawRatio({ row, ours, ratio }: Ratio, before: Ratio | undefined, axis: LogAxis, y: number, width: number) {
  const isNew = row.scene !== before?.row.scene;
  const colour = ratio >= 1 ? INK : FASTER;
  const [one, x] = [axis.at(1), axis.at(ratio)];
  const name =
    row.stage in SHORT ? row.subject + SHORT[row.stage]! : `${row.subject}: ${row.stage.replace('frame, ', '')}`;
  const detail = `${row.scene}, ${row.stage}: ${row.subject} ${milliseconds(row.milliseconds)} ms, Maniple ${milliseconds(ours.milliseconds)} ms`;
  const both = `${milliseconds(row.milliseconds)} : ${milliseconds(ours.milliseconds)} ms`;
  return element(
    'g',
    {},
    tooltip(detail),
    isNew && before ? line(0, y - ROW / 2, width, y - ROW / 2, { stroke: GRID }) : '',
    isNew ? text(0, y + 4, row.scene, { size: 12, bold: true, width: SCENES }) : '',
    text(SCENES, y + 4, name, { size: 12, width: NAMES - SCENES }),
    line(one, y, x, y, { stroke: colour, 'stroke-width': 2 }),
    element('circle', { cx: x, cy: y, r: 5, fill: colour }),
    text(width - 108, y + 4, times(ratio), { size: 12, bold: true, fill: colour, anchor: 'end' }),
    text(width, y + 4, both, { size: 11, fill: MUTED, anchor: 'end' }),
  );
}
