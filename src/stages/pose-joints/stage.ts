import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type IndirectGroups, type Kernel } from '../kernel.ts';
import { rigBindings } from '../layout.ts';
import { kernels as serialKernels } from './kernel-serial.gen.ts';
import { kernels as storageKernels } from './kernel-storage.gen.ts';
import { kernels as workgroupKernels } from './kernel.gen.ts';
import { poseJointsBindings } from './layout.ts';
import type { PosePlan } from './plan.ts';

const CODE = { workgroup: workgroupKernels.base, storage: storageKernels.base, serial: serialKernels.base } as const;

export interface PoseJointsBuffers {
  /** The plan's ranges. */
  readonly dispatch: GPUBufferBinding;
  readonly visible: GPUBuffer;
  readonly motions: GPUBuffer;
  readonly palettes: GPUBuffer;
  readonly rig: GPUBuffer;
}

export interface PoseJoints {
  /** Creates the pipeline for a plan before the first frame. */
  prepare(plan: PosePlan): void;
  bind(plan: PosePlan, buffers: PoseJointsBuffers, groupCount: IndirectGroups): Dispatch;
}

/**
 * Samples, blends and composes the joints of all visible characters.
 *
 * Reads visible, motions, rig; writes palettes: 48 bytes per palette entry and 16 per three morph weights.
 * One thread per joint; a workgroup owns whole characters of one type. Up to 256 joints (and thirds of morph weights)
 * run in workgroup memory, up to 4,096 through scratch rows after the palette. Software adapters run one thread per
 * character instead.
 */
export function createPoseJoints(device: GPUDevice): PoseJoints {
  const label = 'pose-joints';
  const layout = createStageLayout(device, label, [poseJointsBindings, rigBindings]);
  const kernelFor = ({ path, traits, workgroupSize }: PosePlan): Kernel =>
    createKernel(device, {
      label,
      variant: path,
      code: CODE[path],
      entryPoint: 'poseJoints',
      layout: layout.pipeline,
      constants: {
        WORKGROUP_SIZE: workgroupSize,
        HAS_EXACT: Number(traits.exact),
        HAS_RATES: Number(traits.rates),
        HAS_SCALES: Number(traits.scales),
        HAS_LAYERS: Number(traits.layers),
        HAS_MIRROR: Number(traits.mirror),
        ...(path === 'workgroup' ? { MODEL_ROWS: traits.scales ? 3 : 2 } : {}),
      },
    });
  return {
    prepare: (plan) => void kernelFor(plan),
    bind: (plan, { rig, ...buffers }, groupCount) => ({
      kernel: kernelFor(plan),
      groups: [
        createBindGroup(device, label, layout.groups[0]!, poseJointsBindings, buffers),
        createBindGroup(device, label, layout.groups[1]!, rigBindings, { rig4: rig, rig2: rig }),
      ],
      groupCount,
    }),
  };
}
