import { createKernelGroup, type BuffersOf, type Dispatch } from '../kernel.ts';
import { rigBindings } from '../layout.ts';
import { kernels as serialKernels } from './kernel-serial.gen.ts';
import { kernels as storageKernels } from './kernel-storage.gen.ts';
import { kernels as workgroupKernels } from './kernel.gen.ts';
import { poseJointsBindings } from './layout.ts';
import type { PosePlan } from './plan.ts';

const CODE = { workgroup: workgroupKernels.base, storage: storageKernels.base, serial: serialKernels.base } as const;

/** `dispatch` are the plan's ranges. */
type PoseJointsBuffers = BuffersOf<typeof poseJointsBindings> & { readonly rig: GPUBuffer };

/**
 * Samples, blends and composes the joints of all visible characters.
 *
 * Reads visible, motions, rig; writes palettes: 48 bytes per palette entry and 16 per three morph weights.
 * One thread per joint; a workgroup owns whole characters of one type. Up to 256 joints (and thirds of morph weights)
 * run in workgroup memory, up to 4,096 through scratch rows after the palette. Software adapters run one thread per
 * character instead.
 */
export function createPoseJoints(device: GPUDevice) {
  const groupOf = (path: PosePlan['path']) =>
    createKernelGroup(device, {
      label: 'pose-joints',
      variant: path,
      code: CODE[path],
      groups: [poseJointsBindings, rigBindings],
    });
  const groups = { workgroup: groupOf('workgroup'), storage: groupOf('storage'), serial: groupOf('serial') };
  const kernelFor = ({ path, traits, workgroupSize }: PosePlan) =>
    groups[path].kernel('poseJoints', {
      WORKGROUP_SIZE: workgroupSize,
      HAS_EXACT: Number(traits.exact),
      HAS_RATES: Number(traits.rates),
      HAS_SAMPLED: Number(traits.sampled),
      HAS_SCALES: Number(traits.scales),
      HAS_LAYERS: Number(traits.layers),
      HAS_MIRROR: Number(traits.mirror),
      ...(path === 'workgroup' ? { MODEL_ROWS: traits.scales ? 3 : 2 } : {}),
    });
  return {
    /** Creates the pipeline for a plan before the first frame. */
    prepare: (plan: PosePlan): void => void kernelFor(plan),
    bind: (
      plan: PosePlan,
      { rig, ...buffers }: PoseJointsBuffers,
      groupCount: Dispatch['groupCount'] = 0,
    ): Dispatch => ({
      kernel: kernelFor(plan),
      groups: groups[plan.path].bind({ ...buffers, rig4: rig, rig2: rig }),
      groupCount,
    }),
  };
}
