import type { View } from '../../layout/index.ts';
import { SLOT_FRESH, type FrameParams, type SlotState, type VisibleCharacter } from '../layout.ts';

/** What {@link turnSlots} reads and writes, as the kernel binds it: a page's visible list and the crowd's slots. */
export interface TurnSlotsViews {
  /** One row: `frame` and `visibleCount` are read. */
  readonly params: View<(typeof FrameParams)['fields']>;
  /** A row per visible character, each character once; offsets are vertices. */
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  /** A row per character of the crowd, by `character`; `SLOT_FRESH` (2³² − 1) as `frame` before its first. */
  readonly slots: View<(typeof SlotState)['fields']>;
}

/**
 * Twin of turn-slots: every visible character writes the copy of its slot that it did not write last.
 *
 * The first stage of a frame, and once a frame: it writes both vertex offsets of `visible`, which skinVertices and
 * renderers read. Some 2 µs per character.
 */
export function turnSlots({ params, visible, slots }: TurnSlotsViews): void {
  const frame = params.get(0, 'frame');
  for (let i = 0; i < params.get(0, 'visibleCount'); i++) {
    const character = visible.get(i, 'character');
    const first = visible.get(i, 'slotOffset');
    const second = first + visible.get(i, 'slotCapacity');
    const last = slots.get(character, 'currentVertexOffset');
    const lastFrame = slots.get(character, 'frame');
    const fresh = lastFrame === SLOT_FRESH;
    const current = !fresh && last === first ? second : first;
    const previous = !fresh && (lastFrame + 1) >>> 0 === frame ? last : current;
    visible.assign(i, { currentVertexOffset: current, previousVertexOffset: previous });
    slots.assign(character, { currentVertexOffset: current, frame });
  }
}
