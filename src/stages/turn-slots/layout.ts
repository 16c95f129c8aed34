import { bindings, uniform, writes } from '../../layout/index.ts';
import { FrameParams, SlotState, VisibleCharacter } from '../layout.ts';

export const turnSlotsBindings = bindings(0, {
  params: uniform(FrameParams),
  visible: writes(VisibleCharacter),
  slots: writes(SlotState),
});
