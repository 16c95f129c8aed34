import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { groundCharactersBindings } from './layout.ts';

const WORKGROUP_SIZE = 64;

export interface GroundCharactersBuffers {
  readonly params: GPUBuffer;
  readonly heights: GPUBuffer;
  readonly grounded: GPUBuffer;
  readonly transforms: GPUBuffer;
}

export interface GroundCharacters {
  /** Binds the buffers. The returned function makes the dispatch of a frame. */
  bind(buffers: GroundCharactersBuffers): (characterCount: number) => Dispatch;
}

/**
 * Puts characters that follow the ground on it: y from a field of heights, and a lean with the slope.
 *
 * Reads heights, grounded; reads and writes transforms. One thread per character. Running it again changes nothing.
 */
export function createGroundCharacters(device: GPUDevice): GroundCharacters {
  const label = 'ground-characters';
  const layout = createStageLayout(device, label, [groundCharactersBindings]);
  const kernel = createKernel(device, {
    label,
    variant: 'base',
    code: kernels.base,
    entryPoint: 'groundCharacters',
    layout: layout.pipeline,
    constants: { WORKGROUP_SIZE },
  });
  return {
    bind(buffers) {
      const groups = [createBindGroup(device, label, layout.groups[0]!, groundCharactersBindings, { ...buffers })];
      return (characterCount) => ({ kernel, groups, groupCount: Math.ceil(characterCount / WORKGROUP_SIZE) });
    },
  };
}
