import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type IndirectGroups, type Kernel } from '../kernel.ts';
import { kernels } from './kernel.gen.ts';
import { keepPalettesBindings } from './layout.ts';

export interface KeepPalettesBuffers {
  /** The plan's ranges. */
  readonly dispatch: GPUBufferBinding;
  readonly visible: GPUBuffer;
  readonly palettes: GPUBuffer;
  /** A page's slots. */
  readonly kept: GPUBufferBinding;
}

export interface KeepPalettes {
  /** Creates the pipeline, ahead of the first frame. */
  prepare(): void;
  bind(buffers: KeepPalettesBuffers, groupCount: IndirectGroups): Dispatch;
}

/**
 * Copies the palettes of those who are posed to their slots, for types that are skinned where they are drawn. Reads visible
 * and palettes, writes a page: 16 bytes per row. One workgroup per character.
 */
export function createKeepPalettes(device: GPUDevice): KeepPalettes {
  const label = 'keep-palettes';
  const layout = createStageLayout(device, label, [keepPalettesBindings]);
  const kernel = (): Kernel =>
    createKernel(device, {
      label,
      variant: 'base',
      code: kernels.base,
      entryPoint: 'keepPalettes',
      layout: layout.pipeline,
    });
  return {
    prepare: () => void kernel(),
    bind: (buffers, groupCount) => ({
      kernel: kernel(),
      groups: [createBindGroup(device, label, layout.groups[0]!, keepPalettesBindings, { ...buffers })],
      groupCount,
    }),
  };
}
