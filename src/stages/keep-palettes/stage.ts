import { createKernelGroup, type BuffersOf, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { linkKeeps } from '../link-providers.ts';
import { keptProviderBindings } from '../provider-layout.ts';
import { memoryOf, type ProviderBuffers } from '../provider-resources.ts';
import type { VertexProvider } from '../providers.ts';
import { keepPalettesBindings } from './layout.ts';
import type { KeepPlan } from './plan.ts';

/** `dispatch` are the plan's ranges, `kept` is a page's slots. */
type KeepPalettesBuffers = BuffersOf<typeof keepPalettesBindings> & {
  readonly providers?: ProviderBuffers | undefined;
};

type Plan = Pick<KeepPlan, 'provided'>;
/**
 * Copies the palettes of posed characters to their slots, for types that are skinned where they are drawn. Reads
 * visible and palettes, writes a page: 16 bytes per row. One workgroup per character.
 */
export function createKeepPalettes(device: GPUDevice, providers: readonly VertexProvider[] = []) {
  const label = 'keep-palettes';
  const groupFor = ({ provided }: Plan) => {
    if (!provided) return createKernelGroup(device, { label, code: kernels.base, groups: [keepPalettesBindings] });
    const { code } = linkKeeps(kernels.base, providers);
    const groups = [keepPalettesBindings, keptProviderBindings];
    return createKernelGroup(device, { label, part: 'providers', code, key: code, groups });
  };
  return {
    /** Creates the pipeline of a plan before the first frame. */
    prepare: (plan: Plan): void => void groupFor(plan).kernel('keepPalettes'),
    bind(
      plan: Plan,
      { providers: provided, ...buffers }: KeepPalettesBuffers,
      groupCount: Dispatch['groupCount'] = 0,
    ): Dispatch {
      const group = groupFor(plan);
      const groups = group.bind({ ...buffers, ...memoryOf(provided) });
      return { kernel: group.kernel('keepPalettes'), groups, groupCount };
    },
  };
}
