import { animatorBindings } from '../../controller/eval/layout.ts';
import { createItemStage, createKernelGroup, ITEM_GROUP, type BuffersOf, type Dispatch } from '../kernel.ts';
import { rigRowBindings } from '../layout.ts';
import { kernels as countKernels } from './count-dropped.gen.ts';
import { kernels } from './kernel.gen.ts';
import { countDroppedBindings, gatherMotionsBindings, listMotionsBindings } from './layout.ts';
import { kernels as listKernels } from './list.gen.ts';

/** Buffers of a crowd that both kernels read. */
type AnimatorBuffers = BuffersOf<typeof animatorBindings> & { readonly rig: GPUBuffer };
type GatherMotionsBuffers = BuffersOf<typeof gatherMotionsBindings> & AnimatorBuffers;
type ListMotionsBuffers = BuffersOf<typeof listMotionsBindings> & AnimatorBuffers;
/** `counts` are 8 bytes, of zeros. */
type CountDroppedBuffers = BuffersOf<typeof countDroppedBindings>;

/** Traits of a crowd's characters; kernels are built without the rest. */
export interface GatherTraits {
  readonly controllers: boolean;
  readonly root: boolean;
  /** As step-controllers has it. */
  readonly trees: boolean;
}

export type GatherMotions = ReturnType<typeof createGatherMotions>;

/**
 * Turns what every visible character's controller shows, or the clips that play on it, into its motion list.
 *
 * Reads visible, animators, players, modifiers, rig; writes motions: up to `motionCapacity` records of 64 bytes per
 * character. One thread per visible character. Motions beyond the capacity are dropped, the lightest first, and
 * counted. Players beyond it are ignored: the crowd refuses to fill them.
 */
export function createGatherMotions(device: GPUDevice, traits: GatherTraits) {
  const label = 'gather-motions';
  const HAS_TREES = Number(traits.trees);
  const gather = createKernelGroup(device, {
    label,
    code: kernels.base,
    groups: [gatherMotionsBindings, rigRowBindings, animatorBindings],
  });
  const WORKGROUP_SIZE = ITEM_GROUP;
  const HAS_CONTROLLERS = Number(traits.controllers);
  const kernel = gather.kernel('gatherMotions', { WORKGROUP_SIZE, HAS_CONTROLLERS, HAS_TREES });
  // the other kernels are created on request: most frames do not need them
  return {
    bind(buffers: GatherMotionsBuffers, groupCount: Dispatch['groupCount'] = 0): Dispatch {
      return { kernel, groups: gather.bind({ ...buffers, rig4: buffers.rig }), groupCount };
    },
    /** For the CPU: what some characters show, and the state of their machines. */
    list(buffers: ListMotionsBuffers, characterCount: number): Dispatch {
      const stage = createItemStage(device, {
        label: `${label} list`,
        code: listKernels.base,
        entryPoint: 'listMotions',
        groups: [listMotionsBindings, rigRowBindings, animatorBindings],
        constants: { HAS_ROOT: Number(traits.root), HAS_TREES },
      });
      return stage.bind({ ...buffers, rig4: buffers.rig })(characterCount);
    },
    /** For the CPU: how many motions the lists of one frame dropped. `rowCount`: rows of the visible list, or more. */
    countDropped(buffers: CountDroppedBuffers, rowCount: number): Dispatch {
      const stage = createItemStage(device, {
        label: `${label} count-dropped`,
        code: countKernels.base,
        entryPoint: 'countDropped',
        groups: [countDroppedBindings],
      });
      return stage.bind(buffers)(rowCount);
    },
  };
}
