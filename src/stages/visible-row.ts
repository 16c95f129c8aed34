import type { View } from '../layout/index.ts';
import { ROW_NONE, type SlotState, type VisibleCharacter } from './layout.ts';

/** A visible list, or a page's part of it. */
export interface VisibleList {
  /** A row per visible character; only the first `visibleCount` are read. */
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly visibleCount: number;
}

/** The visible list of one frame, and the rows of characters in it. */
export interface VisibleRows extends VisibleList {
  readonly slots: View<(typeof SlotState)['fields']>;
}

/** A character's row of the frame's list; undefined when the frame does not list it. */
export function visibleRowOf({ slots, visible, visibleCount }: VisibleRows, character: number): number | undefined {
  const row = slots.get(character, 'visibleRow');
  return row < visibleCount && visible.get(row, 'character') === character ? row : undefined;
}

/**
 * First row of the palette of a listed character, or of its pose source; undefined if it was not posed in this frame.
 */
export function paletteRowOf(rows: VisibleRows, character: number): number | undefined {
  const [slot, held] = [rows.slots.get(character, 'slot'), rows.slots.get(character, 'held')];
  const row = visibleRowOf(rows, slot === 0 && held !== 0 ? held - 1 : character);
  const paletteRow = row === undefined ? ROW_NONE : rows.visible.get(row, 'paletteRow');
  return paletteRow === ROW_NONE ? undefined : paletteRow;
}
