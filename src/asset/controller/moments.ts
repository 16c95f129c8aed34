import type { Rows } from './rows.ts';
import { EVENTS_ANYTIME, INDEX_NONE, STATE_MOMENTS_SHIFTED } from './tables.ts';

/**
 * When a state's clips have events. A kernel that finds its clock between two of these moments need not look at a clip;
 * where it comes by one, an event may be due or not: weights, ends of clips and repeats are told apart afterwards.
 */

/** Where a state's clock stands, in 0.32 fixed point, when a clip that it plays has an event. */
export interface Moment {
  readonly phase: number;
  /** The clip loops: the state's cycle offset moves it. */
  readonly loops: boolean;
}

const CYCLE = 2 ** 32;

/**
 * Moments of a clip's events.
 *
 * @param phases Of the events, in 0.32 fixed point.
 * @param leaf How the clip is played: its offset in 0.32 fixed point; direction −1 plays it mirrored in time, 0 not at all.
 */
export function clipMoments(
  phases: readonly number[],
  { loops, offset, direction }: { readonly loops: boolean; readonly offset: number; readonly direction: number },
): Moment[] {
  if (direction === 0) return [];
  return phases.map((at) => {
    const played = direction < 0 ? CYCLE - at : at;
    return { phase: wrap(loops ? played - offset : played), loops };
  });
}

/** How a state moves its looping clips against its clock; parameters as indices. */
interface StateOffset {
  readonly cycleOffset: number;
  readonly cycleParameter: number;
  readonly timeParameter: number;
}

/** Fields of a state's record, and the flags that belong to them. */
export interface StateMoments {
  readonly momentRow: number;
  readonly momentRowCount: number;
  readonly flags: number;
}

/** Writes a state's moments: each once, the last one again until the row is full. */
export function writeMoments(rows: Rows, moments: readonly Moment[], offset: StateOffset): StateMoments {
  const { timeParameter, cycleParameter } = offset;
  const cycleOffset = timeParameter === INDEX_NONE && cycleParameter === INDEX_NONE ? offset.cycleOffset : 0;
  const moves = timeParameter === INDEX_NONE && cycleParameter !== INDEX_NONE;
  const looping = moments.filter(({ loops }) => loops).length;
  if (moves && looping > 0 && looping < moments.length) {
    return { momentRow: 0, momentRowCount: EVENTS_ANYTIME, flags: 0 };
  }
  const phases = [...new Set(moments.map(({ phase, loops }) => wrap(loops ? phase - cycleOffset : phase)))];
  const momentRowCount = Math.ceil(phases.length / 4);
  const momentRow = rows.reserve(momentRowCount);
  for (let i = 0; i < 4 * momentRowCount; i++) rows.setWord(momentRow, i, phases[Math.min(i, phases.length - 1)]!);
  return { momentRow, momentRowCount, flags: moves && looping > 0 ? STATE_MOMENTS_SHIFTED : 0 };
}

function wrap(phase: number): number {
  return ((phase % CYCLE) + CYCLE) % CYCLE;
}
