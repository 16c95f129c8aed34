import { animatorBindings } from '../../controller/eval/layout.ts';
import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { rigRowBindings } from '../layout.ts';
import { kernels as countKernels } from './count-dropped.gen.ts';
import { kernels } from './kernel.gen.ts';
import { countDroppedBindings, gatherMotionsBindings, listMotionsBindings } from './layout.ts';
import { kernels as listKernels } from './list.gen.ts';

/** Visible characters that one workgroup looks at. */
export const GATHER_GROUP = 64;
const WORKGROUP_SIZE = GATHER_GROUP;

/** Buffers of a crowd that both kernels read. */
interface AnimatorBuffers {
  readonly rig: GPUBuffer;
  readonly regions: GPUBuffer;
  readonly animators: GPUBuffer;
}

export interface GatherMotionsBuffers extends AnimatorBuffers {
  readonly params: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly players: GPUBuffer;
  readonly modifiers: GPUBuffer;
  readonly motions: GPUBuffer;
}

export interface ListMotionsBuffers extends AnimatorBuffers {
  readonly params: GPUBuffer;
  readonly characters: GPUBuffer;
  readonly lists: GPUBuffer;
}

export interface CountDroppedBuffers {
  readonly params: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly animators: GPUBuffer;
  /** 8 bytes, of zeros. */
  readonly counts: GPUBuffer;
}

/** Traits of a crowd's characters; kernels are built without the rest. */
export interface GatherTraits {
  readonly controllers: boolean;
  readonly root: boolean;
  /** Both as step-controllers has them. */
  readonly trees: boolean;
  readonly large: boolean;
}

export interface GatherMotions {
  bind(buffers: GatherMotionsBuffers, groupCount: Dispatch['groupCount']): Dispatch;
  /** For the CPU: what some characters show, and the state of their machines. */
  list(buffers: ListMotionsBuffers, characterCount: number): Dispatch;
  /** For the CPU: how many motions the lists of one frame dropped. `rowCount`: rows of the visible list, or more. */
  countDropped(buffers: CountDroppedBuffers, rowCount: number): Dispatch;
}

/**
 * Turns what every visible character's controller shows, or the clips that play on it, into its motion list.
 *
 * Reads visible, animators, players, modifiers, rig; writes motions: up to `motionCapacity` records of 64 bytes per
 * character. One thread per visible character. Motions beyond the capacity are dropped, the lightest first, and
 * counted. Players beyond it are ignored: the crowd refuses to fill them.
 */
export function createGatherMotions(device: GPUDevice, traits: GatherTraits): GatherMotions {
  const label = 'gather-motions';
  const variant = traits.large ? 'large' : 'base';
  const layout = createStageLayout(device, label, [gatherMotionsBindings, rigRowBindings, animatorBindings]);
  const kernel = createKernel(device, {
    label,
    variant,
    code: kernels[variant],
    entryPoint: 'gatherMotions',
    layout: layout.pipeline,
    constants: { WORKGROUP_SIZE, HAS_CONTROLLERS: Number(traits.controllers), HAS_TREES: Number(traits.trees) },
  });
  const listLabel = 'gather-motions list';
  const listLayout = createStageLayout(device, listLabel, [listMotionsBindings, rigRowBindings, animatorBindings]);
  // created on request: most frames do not need it
  const listKernel = () =>
    createKernel(device, {
      label: listLabel,
      variant,
      code: listKernels[variant],
      entryPoint: 'listMotions',
      layout: listLayout.pipeline,
      constants: { WORKGROUP_SIZE, HAS_ROOT: Number(traits.root), HAS_TREES: Number(traits.trees) },
    });
  const shared = (groups: readonly GPUBindGroupLayout[], { rig, regions, animators }: AnimatorBuffers) => [
    createBindGroup(device, label, groups[1]!, rigRowBindings, { rig4: rig }),
    createBindGroup(device, label, groups[2]!, animatorBindings, { regions, animators }),
  ];
  return {
    bind: (buffers, groupCount) => ({
      kernel,
      groups: [
        createBindGroup(device, label, layout.groups[0]!, gatherMotionsBindings, buffers),
        ...shared(layout.groups, buffers),
      ],
      groupCount,
    }),
    list: (buffers, characterCount) => ({
      kernel: listKernel(),
      groups: [
        createBindGroup(device, listLabel, listLayout.groups[0]!, listMotionsBindings, buffers),
        ...shared(listLayout.groups, buffers),
      ],
      groupCount: Math.ceil(characterCount / WORKGROUP_SIZE),
    }),
    countDropped(buffers, rowCount) {
      const countLabel = 'gather-motions count-dropped';
      const { groups, pipeline } = createStageLayout(device, countLabel, [countDroppedBindings]);
      return {
        kernel: createKernel(device, {
          label: countLabel,
          variant: 'base',
          code: countKernels.base,
          entryPoint: 'countDropped',
          layout: pipeline,
          constants: { WORKGROUP_SIZE },
        }),
        groups: [createBindGroup(device, countLabel, groups[0]!, countDroppedBindings, buffers)],
        groupCount: Math.ceil(rowCount / WORKGROUP_SIZE),
      };
    },
  };
}
