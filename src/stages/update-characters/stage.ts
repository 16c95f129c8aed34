import { createKernelGroup, ITEM_GROUP, type BuffersOf, type Dispatch } from '../kernel.ts';
import { linkUpdates } from '../link-providers.ts';
import { updateProviderBindings } from '../provider-layout.ts';
import {
  providedDispatch,
  resourceLayoutOf,
  textKey,
  usedResources,
  type ProviderBuffers,
} from '../provider-resources.ts';
import type { VertexProvider } from '../providers.ts';
import { kernels } from './kernel.gen.ts';
import { updateCharactersBindings } from './layout.ts';

/** One thread per row of the visible list. */
const WORKGROUP_SIZE = ITEM_GROUP;
const ALL = 0xffffffff;

type UpdateCharactersBuffers = BuffersOf<typeof updateCharactersBindings> & { readonly providers: ProviderBuffers };

/**
 * Runs the update functions of providers, once per visible character. Reads the visible list, transforms and providers' memory;
 * writes their state. One thread per row of the visible list.
 */
export function createUpdateCharacters(device: GPUDevice, providers: readonly VertexProvider[]) {
  const label = 'update-characters';
  const used = usedResources(providers, ALL, 'update');
  const last = resourceLayoutOf(device, label, used);
  const groupOf = () => {
    const { code } = linkUpdates(kernels.base, providers);
    const groups = [updateCharactersBindings, updateProviderBindings];
    return createKernelGroup(device, { label, variant: 'providers', code, key: textKey(code, used), groups, last });
  };
  const kernelOf = (group: ReturnType<typeof groupOf>) => group.kernel('updateCharacters', { WORKGROUP_SIZE });
  return {
    /** Creates the pipeline before the first frame. */
    prepare: (): void => void kernelOf(groupOf()),
    bind({ providers: memory, ...buffers }: UpdateCharactersBuffers, groupCount: Dispatch['groupCount'] = 0): Dispatch {
      const { providerFrame, providerRows, resources } = memory;
      const group = groupOf();
      const groups = group.bind({ ...buffers, providerFrame, providerRows });
      return providedDispatch(device, { kernel: kernelOf(group), groups, groupCount }, used, resources);
    },
  };
}
