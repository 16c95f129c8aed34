import { LOADER_GENERAL, LOADER_MORPH, LOADER_PACKED, LOADER_VARIABLE } from '../../asset/geometry-layout.ts';
import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type Kernel } from '../kernel.ts';
import { geometryBindings } from '../layout.ts';
import { kernels } from './kernel.gen.ts';
import { skinVerticesBindings } from './layout.ts';
import type { SkinPlan } from './plan.ts';

export interface SkinVerticesBuffers {
  /** The plan's ranges. */
  readonly dispatch: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly palettes: GPUBuffer;
  readonly skinned: GPUBuffer | GPUBufferBinding;
  readonly skinnedTangents: GPUBuffer | GPUBufferBinding;
  readonly geometry: GPUBuffer;
}

export interface SkinVertices {
  /** Creates the pipeline that such a plan needs, ahead of the first frame. */
  prepare(plan: SkinPlan): void;
  bind(plan: SkinPlan, buffers: SkinVerticesBuffers): Dispatch;
}

/**
 * Morphs and skins the shown parts of all visible characters into their slots.
 *
 * Reads visible, palettes, geometry; writes 16 bytes (position, octahedral normal) and, where the geometry has
 * tangents, 4 bytes per vertex, in model space. One thread per vertex in batches of 256; up to four characters share a
 * workgroup, so that each vertex is read once for all of them. Palettes of up to 336 entries are cached in workgroup
 * memory.
 */
export function createSkinVertices(device: GPUDevice): SkinVertices {
  const label = 'skin-vertices';
  const layout = createStageLayout(device, label, [skinVerticesBindings, geometryBindings]);
  const kernelFor = (plan: SkinPlan): Kernel => {
    const variant = skinVariantName(plan);
    return createKernel(device, {
      label,
      variant,
      code: kernels[variant],
      entryPoint: 'skinVertices',
      layout: layout.pipeline,
      constants: {
        HAS_TANGENTS: Number(plan.traits.tangents),
        HAS_UNMOVED: Number(plan.traits.unmoved),
        NON_UNIFORM: Number(plan.traits.nonUniform),
      },
    });
  };
  return {
    prepare: (plan) => void kernelFor(plan),
    bind: (plan, { geometry, ...buffers }) => ({
      kernel: kernelFor(plan),
      groups: [
        createBindGroup(device, label, layout.groups[0]!, skinVerticesBindings, buffers),
        createBindGroup(device, label, layout.groups[1]!, geometryBindings, {
          geometry4: geometry,
          geometry1: geometry,
        }),
      ],
      groupCount: plan.groupCount,
    }),
  };
}

/** The name of the generated variant that a plan needs. */
export function skinVariantName({ cached, variant }: Pick<SkinPlan, 'cached' | 'variant'>): keyof typeof kernels {
  const flags = [
    cached ? 'cached' : '',
    variant & LOADER_VARIABLE ? 'variable' : '',
    variant & LOADER_MORPH ? 'morph' : '',
    variant & LOADER_PACKED ? 'packed' : '',
    variant & LOADER_GENERAL ? 'general' : '',
  ];
  return (flags.filter(Boolean).join('+') || 'base') as keyof typeof kernels;
}
