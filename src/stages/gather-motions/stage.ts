import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { rigBindings } from '../layout.ts';
import { kernels } from './kernel.gen.ts';
import { gatherMotionsBindings } from './layout.ts';

const WORKGROUP_SIZE = 64;

export interface GatherMotionsBuffers {
  readonly params: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly players: GPUBuffer;
  readonly motions: GPUBuffer;
  readonly rig: GPUBuffer;
}

export interface GatherMotions {
  bind(buffers: GatherMotionsBuffers, visibleCount: number): Dispatch;
}

/**
 * Turns what plays on every visible character into its motion list.
 *
 * Reads visible, players, rig; writes motions: up to `motionCapacity` records of 64 bytes per character.
 * One thread per visible character. Places beyond the capacity are ignored: the crowd refuses to fill them.
 */
export function createGatherMotions(device: GPUDevice): GatherMotions {
  const label = 'gather-motions';
  const layout = createStageLayout(device, label, [gatherMotionsBindings, rigBindings]);
  const kernel = createKernel(device, {
    label,
    variant: 'base',
    code: kernels.base,
    entryPoint: 'gatherMotions',
    layout: layout.pipeline,
    constants: { WORKGROUP_SIZE },
  });
  return {
    bind: ({ rig, ...buffers }, visibleCount) => ({
      kernel,
      groups: [
        createBindGroup(device, label, layout.groups[0]!, gatherMotionsBindings, buffers),
        createBindGroup(device, label, layout.groups[1]!, rigBindings, { rig4: rig, rig2: rig }),
      ],
      groupCount: Math.ceil(visibleCount / WORKGROUP_SIZE),
    }),
  };
}
