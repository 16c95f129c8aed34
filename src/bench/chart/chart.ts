import { at, type Block, element, file, rect, stack, text } from '../../diagram/svg.ts';
import { MUTED, PANEL, PANEL_EDGE } from '../../diagram/theme.ts';
import { adapterTitle, type BenchReport } from '../report.ts';
import { baselinesChart } from './baselines.ts';
import { FLOOR_COLOUR, floorsChart, STAGE_COLOUR } from './floors.ts';
import { growthChart } from './growth.ts';

const [WIDTH, MARGIN, PADDING] = [1080, 28, 24];

/** A report as one SVG file: stages and their floors, growth with the number of characters, and baselines. */
export function benchChart({ rows, adapter, maniple, rounds, kind }: BenchReport): string {
  const name = adapterTitle(adapter);
  const inner = WIDTH - 2 * (MARGIN + PADDING);
  const panels = [
    panel('What a frame costs, stage by stage', floorsNote(), floorsChart(rows, inner)),
    panel(
      'Growth',
      plain('Time of one frame: of stages on the GPU, and of the CPU (host). Both axes are logarithmic.'),
      growthChart(rows, inner),
    ),
    panel(
      'Compared with other ways to do the same',
      plain('Time as a multiple of Maniple’s, in the same run.'),
      baselinesChart(rows, inner),
    ),
  ];
  const warning = kind === 'software' ? ' A software adapter: only ratios mean something.' : '';
  const facts = `${name}, maniple ${maniple}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.${warning}`;
  const head: Block = {
    width: WIDTH - 2 * MARGIN,
    height: 56,
    svg: text(0, 24, 'maniple bench', { size: 22, bold: true }) + text(0, 46, facts, { size: 13, fill: MUTED }),
  };
  const content = stack([head, ...panels], 18);
  const framed = { width: WIDTH, height: content.height + 2 * MARGIN, svg: at(content, MARGIN, MARGIN) };
  return file(framed, `maniple bench on ${name}`, 'Times of stages and their floors, their growth, and baselines.');
}

/** A white card with a title and a note; nothing where there is no chart. */
function panel(title: string, note: string, chart: Block): Block {
  if (chart.height === 0) return { width: 0, height: 0, svg: '' };
  const height = chart.height + 2 * PADDING + 52;
  const ground = rect(0, 0, WIDTH - 2 * MARGIN, height, { fill: PANEL, stroke: PANEL_EDGE, rx: 8 });
  const head = text(0, 14, title, { size: 16, bold: true }) + note;
  const inside = { width: chart.width, height, svg: head + at(chart, 0, 52) };
  return { width: WIDTH - 2 * MARGIN, height, svg: ground + at(inside, PADDING, PADDING) };
}

function plain(content: string): string {
  return text(0, 34, content, { size: 12, fill: MUTED });
}

/** The two marks, explained where they are first used. */
function floorsNote(): string {
  return [
    element('circle', { cx: 5, cy: 30, r: 5, fill: STAGE_COLOUR }),
    text(16, 34, 'the stage', { size: 12, fill: MUTED }),
    element('circle', { cx: 91, cy: 30, r: 4, fill: '#ffffff', stroke: FLOOR_COLOUR, 'stroke-width': 2 }),
    text(102, 34, 'its floor: a plain read and write of as many bytes, in the same run', { size: 12, fill: MUTED }),
  ].join('');
}
