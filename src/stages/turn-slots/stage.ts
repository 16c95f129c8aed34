import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { turnSlotsBindings } from './layout.ts';

const WORKGROUP_SIZE = 64;

export interface TurnSlotsBuffers {
  readonly params: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly slots: GPUBuffer;
}

export interface TurnSlots {
  /** A dispatch over the page's visible characters. */
  bind(buffers: TurnSlotsBuffers, visibleCount: number): Dispatch;
}

/**
 * Turns the slots of all visible characters over: each writes the copy that it did not write last, and the other
 * becomes its previous position.
 *
 * Reads and writes visible (vertex offsets) and slots. One thread per visible character; 20 bytes read and 16 written for
 * each.
 */
export function createTurnSlots(device: GPUDevice): TurnSlots {
  const label = 'turn-slots';
  const layout = createStageLayout(device, label, [turnSlotsBindings]);
  const kernel = createKernel(device, {
    label,
    variant: 'base',
    code: kernels.base,
    entryPoint: 'turnSlots',
    layout: layout.pipeline,
    constants: { WORKGROUP_SIZE },
  });
  return {
    bind: (buffers, visibleCount) => ({
      kernel,
      groups: [createBindGroup(device, label, layout.groups[0]!, turnSlotsBindings, buffers)],
      groupCount: Math.ceil(visibleCount / WORKGROUP_SIZE),
    }),
  };
}
