import type { ConditionModel, EntryModel, MotionModel, StateModel, TransitionModel } from '../controller/model.ts';
import { clean, fit, short, shortReference, textWidth } from './text.ts';

/** Size of the text on transitions, in pixels. */
export const LABEL_SIZE = 11;
export const LINE_HEIGHT = 15;
const LINE_WIDTH = 190;
const NAME_WIDTH = 120;
const LINE_LIMIT = 5;
const GAP = 7;
const CLOCK_WIDTH = 15;
const NUMBER_WIDTH = 22;

/** A line of a label. `clock` draws a clock before it, the sign of an exit time. */
export interface LabelLine {
  readonly number?: string;
  readonly clock?: boolean;
  readonly words: readonly { readonly text: string; readonly muted?: boolean; readonly warn?: boolean }[];
}

/** `speed > 0.1`, `attack`, `!dead` */
function conditionText(condition: ConditionModel): string {
  // cut here, so that the comparison after it stays
  const name = fit(condition.parameter, NAME_WIDTH, LABEL_SIZE);
  if ('greater' in condition) return `${name} > ${short(condition.greater)}`;
  if ('less' in condition) return `${name} < ${short(condition.less)}`;
  if ('equals' in condition) return `${name} = ${short(condition.equals)}`;
  if ('notEquals' in condition) return `${name} ≠ ${short(condition.notEquals)}`;
  if ('atLeast' in condition) return `${name} ≥ ${short(condition.atLeast)}`;
  if ('atMost' in condition) return `${name} ≤ ${short(condition.atMost)}`;
  return condition.is === false ? `!${name}` : name;
}

const INTERRUPTIONS = {
  current: 'source',
  next: 'target',
  currentThenNext: 'source, target',
  nextThenCurrent: 'target, source',
} as const;

/** The fields of a transition except its conditions and exit time: `0.25 s`, `25 %`. */
function timingWords(transition: TransitionModel): string[] {
  const { duration = 0, fixed = true, offset = 0, interruption = 'none', ordered = true, toSelf = true } = transition;
  const words: string[] = [];
  if (duration !== 0) words.push(fixed ? `${short(duration)} s` : `${short(duration * 100)} %`);
  if (offset !== 0) words.push(`from ${short(offset * 100)} %`);
  if (interruption !== 'none') words.push(`interrupt by ${INTERRUPTIONS[interruption]}`);
  if (!ordered) words.push('any order');
  if (!toSelf) words.push('not to itself');
  return words;
}

/** A transition as lines of a label; `number` is its place in the list that it is tried in. */
export function transitionLines(transition: TransitionModel, number?: number): LabelLine[] {
  const timing = timingWords(transition).map((text) => ({ text, muted: true }));
  const words = conditionWords(transition);
  const clock = transition.exitTime === undefined ? [] : [{ text: short(transition.exitTime), muted: true }];
  if (words.length === 0 && clock.length === 0) return numbered(broken([{ text: 'never', warn: true }]), number);
  const lines =
    clock.length === 0 ? broken([...words, ...timing]) : [...broken(words), ...broken([...clock, ...timing], true)];
  return numbered(lines, number);
}

function conditionWords({ when = [] }: EntryModel | TransitionModel): LabelLine['words'] {
  return when.slice(0, 32).map((condition, i) => ({ text: `${i === 0 ? '' : '& '}${conditionText(condition)}` }));
}

/** A way that takes no time, as lines; none where it is free. */
export function entryLines(entry: EntryModel, number?: number): LabelLine[] {
  const words = conditionWords(entry);
  return numbered(words.length === 0 && number !== undefined ? broken([{ text: 'always' }]) : broken(words), number);
}

function broken(words: LabelLine['words'], clock = false): LabelLine[] {
  const lines: { clock?: boolean; words: LabelLine['words'][number][] }[] = [];
  let width = Infinity;
  for (const word of words) {
    const text = fit(word.text, LINE_WIDTH - CLOCK_WIDTH, LABEL_SIZE);
    const own = textWidth(text, LABEL_SIZE);
    if (width + GAP + own > LINE_WIDTH) {
      lines.push(clock && lines.length === 0 ? { clock, words: [] } : { words: [] });
      width = clock && lines.length === 1 ? CLOCK_WIDTH - GAP : -GAP;
    }
    width += GAP + own;
    lines.at(-1)!.words.push({ ...word, text });
  }
  return lines;
}

function numbered(lines: readonly LabelLine[], number: number | undefined): LabelLine[] {
  const over = lines.length - LINE_LIMIT;
  const more = { words: [{ text: `… ${over + 1} more lines`, muted: true }] };
  const kept = over > 0 ? [...lines.slice(0, LINE_LIMIT - 1), more] : [...lines];
  return number === undefined ? kept : kept.map((line, i) => ({ ...line, number: i === 0 ? `${number}` : '' }));
}

export function lineWidth({ number, clock, words }: LabelLine): number {
  const indent = (number === undefined ? 0 : NUMBER_WIDTH) + (clock ? CLOCK_WIDTH : 0);
  return words.reduce((sum, { text }) => sum + textWidth(text, LABEL_SIZE) + GAP, indent - GAP);
}

/** Where the parts of a line begin, from its left edge. */
export function lineStarts({ number, clock }: LabelLine): { clock: number; words: number; gap: number } {
  const indent = number === undefined ? 0 : NUMBER_WIDTH;
  return { clock: indent, words: indent + (clock ? CLOCK_WIDTH : 0), gap: GAP };
}

/** The lines as one text, for tooltips and lists. */
export function plainLines(lines: readonly LabelLine[]): string {
  const parts = lines.map(({ number, clock, words }) => {
    const own = words.map(({ text }) => text).join(' ');
    return `${number ? `${number}. ` : ''}${clock ? 'exit time ' : ''}${own}`;
  });
  return parts.join(' ');
}

const TREES = {
  '1d': '1D tree',
  directional: '2D simple directional tree',
  freeformDirectional: '2D directional tree',
  freeformCartesian: '2D cartesian tree',
  direct: 'direct tree',
} as const;

/** Clip name without a prefix that all clips share, or kind of tree. */
export function motionText(motion: MotionModel | undefined, prefix: string): string {
  if (motion === undefined) return 'no motion';
  if (typeof motion === 'string') {
    return clean(shortReference(motion.startsWith(prefix) ? motion.slice(prefix.length) : motion));
  }
  const kind = TREES[motion.blend];
  return motion.name ? `${clean(motion.name)} (${kind})` : kind;
}

/** The settings of a state's motion that are not the default. */
export function stateNotes(state: StateModel): string[] {
  const { speed = 1, speedParameter, timeParameter, cycleOffset = 0, cycleOffsetParameter, mirror } = state;
  const notes: string[] = [];
  const factors: string[] = [];
  if (speed !== 1) factors.push(short(speed));
  if (speedParameter !== undefined) factors.push(clean(speedParameter));
  if (factors.length > 0) notes.push(`speed × ${factors.join(' × ')}`);
  if (timeParameter !== undefined) notes.push(`time = ${clean(timeParameter)}`);
  if (cycleOffsetParameter !== undefined) notes.push(`offset = ${clean(cycleOffsetParameter)}`);
  else if (cycleOffset !== 0) notes.push(`offset ${short(cycleOffset)}`);
  if (state.mirrorParameter !== undefined) notes.push(`mirror = ${clean(state.mirrorParameter)}`);
  else if (mirror) notes.push('mirrored');
  return notes;
}
