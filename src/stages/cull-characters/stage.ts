import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { cullCharactersBindings, cullGroups } from './layout.ts';

export interface CullCharactersBuffers {
  readonly params: GPUBuffer;
  readonly homes: GPUBuffer;
  readonly transforms: GPUBuffer;
  readonly bins: GPUBuffer;
  /** A word per home. */
  readonly masks: GPUBuffer;
  /** A word per bin and workgroup. */
  readonly counts: GPUBuffer;
  /** A range per bin, and one. */
  readonly ranges: GPUBuffer;
  readonly visible: GPUBuffer;
}

export interface CullCharacters {
  bind(buffers: CullCharactersBuffers, homeCount: number, binCount: number): Dispatch[];
}

/**
 * Finds out which views see a character, and lists those that any of them sees: bin after bin, in each in the order of their
 * homes, so that the same crowd makes the same list whatever the threads do.
 *
 * Reads homes, transforms, bins; writes masks, ranges, visible. One thread per home, twice; between them a workgroup
 * per bin, and one. 96 bytes read
 * per home and 4 written, 48 more read and written for one that is seen.
 */
export function createCullCharacters(device: GPUDevice): CullCharacters {
  const label = 'cull-characters';
  const layout = createStageLayout(device, label, [cullCharactersBindings]);
  const [cull, scan, place, list] = ['cullHomes', 'scanBins', 'placeBins', 'listHomes'].map((entryPoint) =>
    createKernel(device, { label, variant: 'base', code: kernels.base, entryPoint, layout: layout.pipeline }),
  );
  return {
    bind(buffers, homeCount, binCount) {
      const groups = [createBindGroup(device, label, layout.groups[0]!, cullCharactersBindings, buffers)];
      const groupCount = cullGroups(homeCount);
      return [
        { kernel: cull!, groups, groupCount },
        { kernel: scan!, groups, groupCount: binCount },
        { kernel: place!, groups, groupCount: 1 },
        { kernel: list!, groups, groupCount },
      ];
    },
  };
}
