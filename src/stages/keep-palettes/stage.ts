import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type IndirectGroups, type Kernel } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { perDevice } from '../per-device.ts';
import { linkKeeps } from '../link-providers.ts';
import type { VertexProvider } from '../providers.ts';
import { keepPalettesBindings } from './layout.ts';
import type { KeepPlan } from './plan.ts';
import { keptProviderBindings } from '../provider-bindings.ts';
import type { ProviderBuffers } from '../provider-resources.ts';

export interface KeepPalettesBuffers {
  /** The plan's ranges. */
  readonly dispatch: GPUBufferBinding;
  readonly visible: GPUBuffer;
  readonly palettes: GPUBuffer;
  /** A page's slots. */
  readonly kept: GPUBufferBinding;
  /** Memory of providers, for types with providers. */
  readonly providers?: ProviderBuffers | undefined;
}

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
  const plain = createStageLayout(device, label, [keepPalettesBindings]);
  const layoutOf = ({ provided }: Pick<KeepPlan, 'provided'>) =>
    provided ? createStageLayout(device, `${label} providers`, [keepPalettesBindings, keptProviderBindings]) : plain;
  const texts = perDevice(device, `${label} provider texts`, () => new Map<string, number>());
  const textOf = ({ provided }: Pick<KeepPlan, 'provided'>) => {
    if (!provided) return { variant: 'base', code: kernels.base };
    const { code } = linkKeeps(kernels.base, providers);
    if (!texts.has(code)) texts.set(code, texts.size);
    return { variant: `base with providers ${texts.get(code)}`, code };
  };
  const kernel = (plan: Pick<KeepPlan, 'provided'>): Kernel =>
    createKernel(device, { label, ...textOf(plan), entryPoint: 'keepPalettes', layout: layoutOf(plan).pipeline });
  return {
    prepare: (plan) => void kernel(plan),
    bind: (plan, { providers: provided, ...buffers }, groupCount) => {
      const layout = layoutOf(plan);
      const own = createBindGroup(device, label, layout.groups[0]!, keepPalettesBindings, buffers);
      const last = layout.groups[1];
      if (!last) return { kernel: kernel(plan), groups: [own], groupCount };
      const { providerFrame, providerRows } = provided!;
      const memory = createBindGroup(device, label, last, keptProviderBindings, { providerFrame, providerRows });
      return { kernel: kernel(plan), groups: [own, memory], groupCount };
    },
  };
}
