import { bodyBlock, type MappedHumanoid } from './body-chart.ts';
import { type FootCurves, footSlideBlock } from './foot-slide.ts';
import { stickBlock, type StickFigures } from './stick-figures.ts';
import { at, type Block, file, line, stack, text } from './svg.ts';
import { counted } from './text.ts';
import * as theme from './theme.ts';

/** A clip of one skeleton on another. */
export interface RetargetedClip {
  readonly name: string;
  /** Facts about it in words, such as its method. */
  readonly facts: string;
  /** Seconds of the poses. */
  readonly times: readonly number[];
  readonly source: StickFigures;
  readonly target: StickFigures;
  /** Undefined where no foot was looked at. */
  readonly feet: FootCurves | undefined;
}

/** Clips of a skeleton. */
export interface RetargetedSource {
  readonly humanoid: MappedHumanoid;
  readonly clips: readonly RetargetedClip[];
}

const MARGIN = 24;
const WIDTH = 980;
const CLIP_LIMIT = 24;

/**
 * Clips of other skeletons as one SVG file: for each clip source and target at the same moments, and the slide of feet; for each
 * skeleton its bones. Clips beyond 24 are counted in a note.
 */
export function retargetChart(target: MappedHumanoid, sources: readonly RetargetedSource[]): string {
  const inner = WIDTH - 2 * MARGIN;
  const count = sources.reduce((sum, { clips }) => sum + clips.length, 0);
  const title = `${counted(count, 'clip')} on ${target.name}`;
  let room = CLIP_LIMIT;
  const clips = sources.flatMap((source) => {
    const shown = source.clips.slice(0, room);
    room -= shown.length;
    return shown.map((clip) => clipBlock(clip, inner));
  });
  if (count > CLIP_LIMIT) clips.push(headingBlock(`… ${count - CLIP_LIMIT} more clips`, '', inner));
  const bones = [target, ...sources.map(({ humanoid }) => humanoid)].map((each) => bodyBlock(each, inner));
  const head: Block = { width: inner, height: 26, svg: text(0, 20, title, { size: 20, bold: true, width: inner }) };
  const content = stack([head, ...clips, rule(inner), ...bones], 26);
  const framed = { width: WIDTH, height: content.height + 2 * MARGIN, svg: at(content, MARGIN, MARGIN) };
  return file(framed, title, 'Source and target at the same moments, slide of feet, and bones of both skeletons.');
}

function clipBlock({ name, facts, times, source, target, feet }: RetargetedClip, width: number): Block {
  const parts = [headingBlock(name, facts, width), stickBlock([source, target], times, width)];
  if (feet) parts.push(footSlideBlock(feet, width));
  return stack(parts, 8);
}

function headingBlock(name: string, facts: string, width: number): Block {
  const svg = text(0, 14, name, { size: 15, bold: true, width }) + text(0, 32, facts, { fill: theme.MUTED, width });
  return { width, height: 38, svg };
}

function rule(width: number): Block {
  return { width, height: 1, svg: line(0, 0, width, 0, { stroke: theme.PANEL_EDGE }) };
}
