import { bindings, struct, uniform, writes } from '../../layout/index.ts';
import { Transform } from '../layout.ts';

/** Moves of the origin that one frame can make up for. */
export const MOVE_LIMIT = 16;

export const ShiftParams = struct('ShiftParams', {
  /** How far the origin has moved, one move after the other: x, y, z. */
  moves: ['vec4f', MOVE_LIMIT],
  moveCount: 'u32',
  characterCount: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

export const shiftTransformsBindings = bindings(0, {
  params: uniform(ShiftParams),
  transforms: writes(Transform),
  previousTransforms: writes(Transform),
});
