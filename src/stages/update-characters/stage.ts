import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type IndirectGroups, type Kernel } from '../kernel.ts';
import { perDevice } from '../per-device.ts';
import { linkUpdates } from '../link-providers.ts';
import {
  NO_RESOURCES,
  providedDispatch,
  ResourceGroup,
  resourceLayoutOf,
  textKey,
  usedResources,
} from '../provider-resources.ts';
import type { VertexProvider } from '../providers.ts';
import { kernels } from './kernel.gen.ts';
import { updateCharactersBindings } from './layout.ts';
import { updateProviderBindings } from '../provider-bindings.ts';
import type { ProviderBuffers } from '../provider-resources.ts';

/** Visible characters per workgroup, the same number as in gather-motions: its indirect arguments dispatch this stage. */
export const UPDATE_GROUP = 64;
const ALL = 0xffffffff;

export interface UpdateCharactersBuffers {
  readonly params: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly transforms: GPUBuffer;
  readonly previousTransforms: GPUBuffer;
  readonly providers: ProviderBuffers;
}

export interface UpdateCharacters {
  /** Creates the pipeline before the first frame. */
  prepare(): void;
  bind(buffers: UpdateCharactersBuffers, groupCount: IndirectGroups): Dispatch;
}

/**
 * Runs the update functions of providers, once per visible character. Reads the visible list, transforms and providers' memory;
 * writes their state. One thread per row of the visible list.
 */
export function createUpdateCharacters(device: GPUDevice, providers: readonly VertexProvider[]): UpdateCharacters {
  const label = 'update-characters';
  const used = usedResources(providers, ALL, 'update');
  const groups = [updateCharactersBindings, updateProviderBindings];
  const layout = createStageLayout(device, label, groups, resourceLayoutOf(device, label, used));
  const texts = perDevice(device, `${label} texts`, () => new Map<string, number>());
  const kernel = (): Kernel => {
    const { code } = linkUpdates(kernels.base, providers);
    const key = textKey(code, used);
    if (!texts.has(key)) texts.set(key, texts.size);
    return createKernel(device, {
      label,
      variant: `providers ${texts.get(key)}`,
      code,
      entryPoint: 'updateCharacters',
      layout: layout.pipeline,
      constants: { WORKGROUP_SIZE: UPDATE_GROUP },
    });
  };
  return {
    prepare: () => void kernel(),
    bind: ({ providers: { providerFrame, providerRows, resources = NO_RESOURCES }, ...buffers }, groupCount) => {
      const memory = { providerFrame, providerRows };
      const own = [
        createBindGroup(device, label, layout.groups[0]!, updateCharactersBindings, buffers),
        createBindGroup(device, label, layout.groups[1]!, updateProviderBindings, memory),
      ];
      return providedDispatch(
        { kernel: kernel(), groups: own, groupCount },
        new ResourceGroup(device, label, used, resources),
      );
    },
  };
}
