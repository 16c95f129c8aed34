import type { Rows } from './rows.ts';
import {
  ControllerEvent,
  ControllerMoment,
  INDEX_NONE,
  STATE_MOMENTS_ANYTIME,
  STATE_MOMENTS_SHIFTED,
} from './tables.ts';

/**
 * Clock phases of a state at which its clips have events. A kernel need not read any clip while the clock stays between
 * two of these moments. When the clock passes one, an event may be due: ends of clips, repeats and weights are checked
 * afterwards.
 */

/** The phase of a state's clock, in 0.32 fixed point, at which a clip of the state has an event. */
export interface Moment {
  readonly phase: number;
  /** True if the clip loops: the state's cycle offset then shifts it. */
  readonly loops: boolean;
  readonly leaf: number;
  readonly leafRow: number;
  readonly eventRow: number;
  /** A bit for each leaf of the motion that silences this one when it is heavier. Default: none. */
  readonly rivals?: number;
}

/** Moments of one motion, and the layer that shows it. */
export interface LayerMoments {
  readonly layer: number;
  readonly motionRow: number;
  readonly moments: readonly Moment[];
}

const CYCLE = 2 ** 32;

interface PlayedLeaf {
  readonly leaf: number;
  readonly leafRow: number;
  /** In 0.32 fixed point. */
  readonly offset: number;
  /** −1: mirrored in time; 0: not played. */
  readonly direction: number;
  readonly clip: { readonly loops: boolean; readonly eventRow: number; readonly eventPhases: readonly number[] };
}

/** Moments of one clip of a motion. */
export function leafMoments({ leaf, leafRow, offset, direction, clip }: PlayedLeaf): Moment[] {
  if (direction === 0) return [];
  return clip.eventPhases.map((at, event) => {
    const played = direction < 0 ? CYCLE - at : at;
    const eventRow = clip.eventRow + (ControllerEvent.size / 16) * event;
    return { phase: wrap(clip.loops ? played - offset : played), loops: clip.loops, leaf, leafRow, eventRow };
  });
}

interface RivalLeaf {
  readonly direction: number;
  readonly clip: { readonly loops: boolean; readonly eventNames: readonly string[] };
}

/**
 * Leaves that report the same step as an event of one leaf, a bit each. Their clips have an event of that name, loop
 * alike, and play in the same direction: their phases are synchronised.
 */
export function rivalsOf(leaves: readonly RivalLeaf[], leaf: number, event: number): number {
  const { direction, clip } = leaves[leaf]!;
  const name = clip.eventNames[event]!;
  return leaves.reduce((mask, other, index) => {
    const isTogether = other.direction * direction > 0 && other.clip.loops === clip.loops;
    const isRival = index !== leaf && isTogether && other.clip.eventNames.includes(name);
    return isRival ? (mask | (1 << index)) >>> 0 : mask;
  }, 0);
}

/** The offset of a state's looping clips from its clock; parameters as indices. */
interface StateOffset {
  readonly cycleOffset: number;
  readonly cycleParameter: number;
  readonly timeParameter: number;
}

/**
 * Writes a state's moments: each phase once, then the phases of all moments, their records, and each mask of rivals
 * once. Returns fields of the state's record, and the flags for them.
 */
export function writeMoments(rows: Rows, shown: readonly LayerMoments[], offset: StateOffset) {
  const { timeParameter, cycleParameter } = offset;
  const list = shown.flatMap(({ layer, motionRow, moments }) =>
    moments.map((moment) => ({ ...moment, motionRow, layer })),
  );
  const cycleOffset = timeParameter === INDEX_NONE && cycleParameter === INDEX_NONE ? offset.cycleOffset : 0;
  const moves = timeParameter === INDEX_NONE && cycleParameter !== INDEX_NONE;
  const looping = list.filter(({ loops }) => loops).length;
  const phases = list.map(({ phase, loops }) => wrap(loops ? phase - cycleOffset : phase));
  const distinct = [...new Set(phases)];
  const momentRow = writePhases(rows, distinct);
  writePhases(rows, phases);
  const masks = [...new Set(list.flatMap(({ rivals }) => rivals || []))];
  const records = list.map(({ leafRow, eventRow, motionRow, layer, leaf, rivals }) => {
    const rivalMask = rivals ? 1 + masks.indexOf(rivals) : 0;
    return { leafRow, eventRow, motionRow, layerAndLeaf: (layer | (leaf << 5) | (rivalMask << 10)) >>> 0 };
  });
  rows.add(ControllerMoment, records);
  rows.addWords(masks);
  const isMixed = looping > 0 && looping < list.length;
  const flags = !moves || looping === 0 ? 0 : isMixed ? STATE_MOMENTS_ANYTIME : STATE_MOMENTS_SHIFTED;
  const distinctRowCount = Math.ceil(distinct.length / 4);
  return { momentRow, momentCount: list.length, distinctRowCount, flags };
}

/** Writes phases, four to a row. The last one is repeated until the row is full. */
function writePhases(rows: Rows, phases: readonly number[]): number {
  const length = 4 * Math.ceil(phases.length / 4);
  return rows.addWords(Array.from({ length }, (_, i) => phases[Math.min(i, phases.length - 1)]!));
}

function wrap(phase: number): number {
  return ((phase % CYCLE) + CYCLE) % CYCLE;
}
