import type { View } from '../../layout/index.ts';
import type { FrameParams, Resident, SlotState, Transform, VisibleCharacter } from '../layout.ts';
import type { PlayingViews } from '../player-at.ts';
import type { BinRecord, CullParams, Decision, Kinds, ShareParams, SlotClass, SlotExtent, SlotMove } from './layout.ts';

export interface ShareViews extends PlayingViews {
  /** One row. */
  readonly params: View<(typeof ShareParams)['fields']>;
  /** By character: the row of its type's first shared pose, or SHARES_NONE. */
  readonly sharers: Uint32Array;
}

export interface PlayedViews extends PlayingViews {
  /** One row: clock and capacities are read. */
  readonly clock: View<(typeof FrameParams)['fields']>;
}

/** Data that the twins of cull-characters read and write, as the kernels bind it. */
export interface CullViews {
  /** One row. */
  readonly params: View<(typeof CullParams)['fields']>;
  /** Rows by character: `characterCount` of them are looked at. */
  readonly residents: View<(typeof Resident)['fields']>;
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly kinds: Kinds;
  /** Words in pairs: class and place among the grants of that class, slot. */
  readonly grants: Uint32Array;
  readonly classes: View<(typeof SlotClass)['fields']>;
  readonly rings: Uint32Array;
  readonly extents: View<(typeof SlotExtent)['fields']>;
  /** One row. */
  readonly moves: View<(typeof SlotMove)['fields']>;
  readonly slots: View<(typeof SlotState)['fields']>;
  readonly decisions: View<(typeof Decision)['fields']>;
  /** Written: a record per run of the visible list, one for characters that are not drawn, one for the whole list. */
  readonly bins: View<(typeof BinRecord)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  /** Far characters share poses. */
  readonly share?: ShareViews | undefined;
}

/**
 * Receives how clear a decision was: the distance to the opposite decision, divided by the numbers that went in (by 1
 * if they are smaller).
 */
export type OnMargin = (character: number, margin: number) => void;
