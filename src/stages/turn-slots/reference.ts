import type { View } from '../../layout/index.ts';
import { SLOT_FRESH, type FrameParams, type SlotState, type VisibleCharacter } from '../layout.ts';

export interface TurnSlotsViews {
  readonly params: View<(typeof FrameParams)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly slots: View<(typeof SlotState)['fields']>;
}

/** Twin of turn-slots: every visible character writes the copy of its slot that it did not write last. */
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
