import { bindings, struct, uniform, writes } from '../../layout/index.ts';
import { Transform } from '../layout.ts';

/** Moves of the origin that one frame can apply. */
export const MOVE_LIMIT = 16;

export const ShiftParams = /* @__PURE__ */ struct('ShiftParams', {
  /** Moves of the origin in order: x, y, z. */
  moves: ['vec4f', MOVE_LIMIT],
  moveCount: 'u32',
  characterCount: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

export const shiftTransformsBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(ShiftParams),
  transforms: writes(Transform),
  previousTransforms: writes(Transform),
});
