import { createKernelGroup, type BuffersOf, type Dispatch, type IndirectGroups } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { linkKeeps } from '../link-providers.ts';
import { keptProviderBindings } from '../provider-layout.ts';
import { memoryOf, type ProviderBuffers } from '../provider-resources.ts';
import type { VertexProvider } from '../providers.ts';
import { keepPalettesBindings } from './layout.ts';
import type { KeepPlan } from './plan.ts';

/** `dispatch` are the plan's ranges, `kept` is a page's slots. */
type KeepPalettesBuffers = BuffersOf<typeof keepPalettesBindings> & {
  /** Memory of providers, for types with providers. */
  readonly providers?: ProviderBuffers | undefined;
};

export interface KeepPalettes {
  /** Creates the pipeline of a plan before the first frame. */
  prepare(plan: Pick<KeepPlan, 'provided'>): void;
  bind(plan: Pick<KeepPlan, 'provided'>, buffers: KeepPalettesBuffers, groupCount: IndirectGroups): Dispatch;
}

/**
 * Copies the palettes of posed characters to their slots, for types that are skinned where they are drawn. Reads
 * visible and palettes, writes a page: 16 bytes per row. One workgroup per character.
 */
export function createKeepPalettes(device: GPUDevice, providers: readonly VertexProvider[] = []): KeepPalettes {
  const label = 'keep-palettes';
  const groupFor = ({ provided }: Pick<KeepPlan, 'provided'>) => {
    if (!provided) return createKernelGroup(device, { label, code: kernels.base, groups: [keepPalettesBindings] });
    const { code } = linkKeeps(kernels.base, providers);
    const groups = [keepPalettesBindings, keptProviderBindings];
    return createKernelGroup(device, { label, part: 'providers', code, key: code, groups });
  };
  return {
    prepare: (plan) => void groupFor(plan).kernel('keepPalettes'),
    bind: (plan, { providers: provided, ...buffers }, groupCount) => {
      const group = groupFor(plan);
      const groups = group.bind({ ...buffers, ...memoryOf(provided) });
      return { kernel: group.kernel('keepPalettes'), groups, groupCount };
    },
  };
}
