import {
  BATCH_VERTICES,
  LOADER_GENERAL,
  LOADER_MORPH,
  LOADER_PACKED,
  LOADER_VARIABLE,
} from '../../character/format/geometry-layout.ts';
import { createKernelGroup, type BuffersOf, type Dispatch } from '../kernel.ts';
import { geometryBindings } from '../layout.ts';
import { linkProviders } from '../link-providers.ts';
import { providerBindings } from '../provider-layout.ts';
import {
  memoryOf,
  providedDispatch,
  resourceLayoutOf,
  textKey,
  usedResources,
  type ProviderBuffers,
} from '../provider-resources.ts';
import { providersOf, type VertexProvider } from '../providers.ts';
import type { SkinnedChannel } from '../skinned-channel.ts';
import { kernels } from './kernel.gen.ts';
import { skinVerticesBindings } from './layout.ts';
import type { SkinPlan } from './plan.ts';

/** `dispatch` are the plan's ranges. */
type SkinVerticesBuffers = BuffersOf<typeof skinVerticesBindings> & {
  readonly geometry: GPUBuffer;
  /** A ProviderFrame, and the rows of all providers, if the crowd has providers. */
  readonly providers?: ProviderBuffers | undefined;
};

export interface SkinVerticesOptions {
  /** Words of attributes per vertex of the crowd's pages: `SlotClasses.attributeWords`. */
  readonly attributeWords: number;
  /** Systems that make or change vertices, at most 8. Meshes name them by their index; missing ones are ignored.
   * See `checkProviders`. */
  readonly providers?: readonly VertexProvider[];
  /** A channel that is also written with every vertex: the third word of its attributes. */
  readonly skinnedChannel?: SkinnedChannel | undefined;
}

export type SkinVertices = ReturnType<typeof createSkinVertices>;

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
  { attributeWords, providers = [], skinnedChannel }: SkinVerticesOptions,
) {
  const label = 'skin-vertices';
  const maskOf = ({ variant }: SkinPlan) => providersOf(variant, providers.length);
  const usedBy = (plan: SkinPlan) => usedResources(providers, maskOf(plan), 'vertex');
  const groupFor = (plan: SkinPlan) => {
    const variant = skinVariantName(plan);
    const mask = maskOf(plan);
    const groups = [skinVerticesBindings, geometryBindings];
    if (mask === 0 && !skinnedChannel) {
      return createKernelGroup(device, { label, variant, code: kernels[variant], groups });
    }
    const { code } = linkProviders(kernels[variant], providers, mask, skinnedChannel);
    const used = usedBy(plan);
    const text = { label, variant: `${variant} with providers`, code, key: textKey(code, used) };
    if (mask === 0) return createKernelGroup(device, { ...text, groups });
    const last = resourceLayoutOf(device, label, used);
    return createKernelGroup(device, { ...text, part: 'providers', groups: [...groups, providerBindings], last });
  };
  const kernelOf = (group: ReturnType<typeof groupFor>, { traits, wide, narrow, cached, byFour }: SkinPlan) =>
    group.kernel('skinVertices', {
      HAS_TANGENTS: Number(traits.tangents),
      ATTRIBUTE_WORDS: attributeWords,
      HAS_UNMOVED: Number(traits.unmoved),
      NON_UNIFORM: Number(traits.nonUniform),
      HAS_PARTS: Number(traits.parts),
      BATCHES_AT_ONCE: wide ? 2 : 1,
      ...(narrow ? { THREADS: BATCH_VERTICES / 2 } : {}),
      ...(cached ? { SHARED_BY_FOUR: Number(byFour), ALWAYS_FOUR: Number(byFour && !traits.parts) } : {}),
    });
  return {
    /** Creates the pipeline for a plan before the first frame. */
    prepare: (plan: SkinPlan): void => void kernelOf(groupFor(plan), plan),
    bind(plan: SkinPlan, all: SkinVerticesBuffers, groupCount: Dispatch['groupCount'] = 0): Dispatch {
      const { geometry, providers: provided, ...buffers } = all;
      const isProvided = maskOf(plan) !== 0;
      if (isProvided && !provided) throw new Error(`${label}: kernels with providers need their buffers`);
      const group = groupFor(plan);
      const tables = { geometry4: geometry, geometry1: geometry };
      const groups = group.bind({ ...buffers, ...tables, ...memoryOf(provided) });
      const dispatch = { kernel: kernelOf(group, plan), groups, groupCount };
      return isProvided ? providedDispatch(device, dispatch, usedBy(plan), provided?.resources) : dispatch;
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
