import { createItemStage, type ItemStage } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { shiftTransformsBindings } from './layout.ts';

export type ShiftTransforms = ItemStage<typeof shiftTransformsBindings>;

/** Makes positions relative to a moved origin. Reads and writes both columns of transforms; one thread per character. */
export function createShiftTransforms(device: GPUDevice): ShiftTransforms {
  return createItemStage(device, {
    label: 'shift-transforms',
    code: kernels.base,
    entryPoint: 'shiftTransforms',
    groups: [shiftTransformsBindings],
  });
}
