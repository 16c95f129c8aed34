import {
  LOADER_GENERAL,
  LOADER_MORPH,
  LOADER_PACKED,
  LOADER_VARIABLE,
} from '../../character/format/geometry-layout.ts';
import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type Kernel, type StageLayout } from '../kernel.ts';
import { geometryBindings } from '../layout.ts';
import { perDevice } from '../per-device.ts';
import { kernels } from './kernel.gen.ts';
import { skinVerticesBindings } from './layout.ts';
import { linkProviders } from '../link-providers.ts';
import type { SkinPlan } from './plan.ts';
import type { SkinnedChannel } from '../skinned-channel.ts';
import {
  NO_RESOURCES,
  ResourceGroup,
  resourceLayoutOf,
  providedDispatch,
  textKey,
  usedResources,
  type ProviderBuffers,
} from '../provider-resources.ts';
import { providersOf, type VertexProvider } from '../providers.ts';
import { providerBindings } from '../provider-bindings.ts';

export interface SkinVerticesBuffers {
  /** The plan's ranges. */
  readonly dispatch: GPUBufferBinding;
  readonly visible: GPUBuffer;
  readonly palettes: GPUBuffer;
  readonly skinned: GPUBuffer | GPUBufferBinding;
  readonly skinnedTangents: GPUBuffer | GPUBufferBinding;
  readonly geometry: GPUBuffer;
  /** A ProviderFrame, and the rows of all providers, if the crowd has providers. */
  readonly providers?: ProviderBuffers | undefined;
}

export interface SkinVerticesOptions {
  /** Systems that make or change vertices, at most 8. Meshes name them by their index; missing ones are ignored.
   * See `checkProviders`. */
  readonly providers?: readonly VertexProvider[];
  /** A channel that is also written with every vertex: words in the second half of `skinnedTangents`. */
  readonly skinnedChannel?: SkinnedChannel | undefined;
}

export interface SkinVertices {
  /** Creates the pipeline for a plan before the first frame. */
  prepare(plan: SkinPlan): void;
  bind(plan: SkinPlan, buffers: SkinVerticesBuffers, groupCount: Dispatch['groupCount']): Dispatch;
}

/**
 * Morphs and skins the shown parts of all visible characters into their slots.
 *
 * Reads visible, palettes, geometry; writes 16 bytes (position, octahedral normal) and, where the geometry has
 * tangents, 4 bytes per vertex, in model space. One thread per vertex in batches of 256. Up to four characters share a
 * workgroup, so that each vertex is read once for all of them. Palettes of up to 336 entries are cached in workgroup
 * memory.
 */
export function createSkinVertices(
  device: GPUDevice,
  { providers = [], skinnedChannel }: SkinVerticesOptions = {},
): SkinVertices {
  const label = 'skin-vertices';
  const groups = [skinVerticesBindings, geometryBindings];
  const usedBy = ({ variant }: SkinPlan) => usedResources(providers, providersOf(variant, providers.length), 'vertex');
  const layoutOf = (plan: SkinPlan): StageLayout => {
    if (providersOf(plan.variant, providers.length) === 0) return createStageLayout(device, label, groups);
    const provided = [...groups, providerBindings];
    const used = usedBy(plan);
    return createStageLayout(device, `${label} providers`, provided, resourceLayoutOf(device, label, used));
  };
  /** Numbers of texts with providers: kernels are cached by the name of their variant. */
  const texts = perDevice(device, `${label} provider texts`, () => new Map<string, number>());
  const textOf = (plan: SkinPlan): { variant: string; code: string } => {
    const variant = skinVariantName(plan);
    const mask = providersOf(plan.variant, providers.length);
    if (mask === 0 && !skinnedChannel) return { variant, code: kernels[variant] };
    const { code } = linkProviders(kernels[variant], providers, mask, skinnedChannel);
    const key = textKey(code, usedBy(plan));
    if (!texts.has(key)) texts.set(key, texts.size);
    return { variant: `${variant} with providers ${texts.get(key)}`, code };
  };
  const kernelFor = (plan: SkinPlan): Kernel => {
    return createKernel(device, {
      label,
      ...textOf(plan),
      entryPoint: 'skinVertices',
      layout: layoutOf(plan).pipeline,
      constants: {
        HAS_TANGENTS: Number(plan.traits.tangents),
        HAS_UNMOVED: Number(plan.traits.unmoved),
        NON_UNIFORM: Number(plan.traits.nonUniform),
        HAS_PARTS: Number(plan.traits.parts),
        BATCHES_AT_ONCE: plan.wide ? 2 : 1,
        ...(plan.cached
          ? { SHARED_BY_FOUR: Number(plan.byFour), ALWAYS_FOUR: Number(plan.byFour && !plan.traits.parts) }
          : {}),
      },
    });
  };
  return {
    prepare: (plan) => void kernelFor(plan),
    bind: (plan, { geometry, providers: provided, ...buffers }, groupCount) => {
      const layout = layoutOf(plan);
      const tables = { geometry4: geometry, geometry1: geometry };
      const own = [
        createBindGroup(device, label, layout.groups[0]!, skinVerticesBindings, buffers),
        createBindGroup(device, label, layout.groups[1]!, geometryBindings, tables),
      ];
      const last = layout.groups[2];
      if (!last) return { kernel: kernelFor(plan), groups: own, groupCount };
      if (!provided) throw new Error(`${label}: kernels with providers need their buffers`);
      const { providerFrame, providerRows, resources = NO_RESOURCES } = provided;
      const memory = { providerFrame, providerRows };
      const groups = [...own, createBindGroup(device, label, last, providerBindings, memory)];
      return providedDispatch(
        { kernel: kernelFor(plan), groups, groupCount },
        new ResourceGroup(device, label, usedBy(plan), resources),
      );
    },
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
