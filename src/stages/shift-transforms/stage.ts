import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { shiftTransformsBindings } from './layout.ts';

const WORKGROUP_SIZE = 64;

export interface ShiftTransformsBuffers {
  readonly params: GPUBuffer;
  readonly transforms: GPUBuffer;
  readonly previousTransforms: GPUBuffer;
}

export interface ShiftTransforms {
  bind(buffers: ShiftTransformsBuffers): (characterCount: number) => Dispatch;
}

/** Makes positions relative to a moved origin. Reads and writes both columns of transforms; one thread per character. */
export function createShiftTransforms(device: GPUDevice): ShiftTransforms {
  const label = 'shift-transforms';
  const layout = createStageLayout(device, label, [shiftTransformsBindings]);
  const kernel = createKernel(device, {
    label,
    variant: 'base',
    code: kernels.base,
    entryPoint: 'shiftTransforms',
    layout: layout.pipeline,
    constants: { WORKGROUP_SIZE },
  });
  return {
    bind(buffers) {
      const groups = [createBindGroup(device, label, layout.groups[0]!, shiftTransformsBindings, { ...buffers })];
      return (characterCount) => ({ kernel, groups, groupCount: Math.ceil(characterCount / WORKGROUP_SIZE) });
    },
  };
}
