import { animatorBindings } from '../../controller/eval/layout.ts';
import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { rigRowBindings } from '../layout.ts';
import { cullGroups, tightenBindings } from './layout.ts';
import type { ShareTraits } from './share-stage.ts';
import { kernels } from './tighten-characters.gen.ts';

export interface TightenCharactersBuffers {
  readonly params: GPUBuffer;
  /** `FrameParams`: clock and capacities are read. */
  readonly clock: GPUBuffer;
  readonly residents: GPUBuffer;
  readonly transforms: GPUBuffer;
  /** The words of `Kinds`. */
  readonly kinds: GPUBuffer;
  readonly decisions: GPUBuffer;
  readonly players: GPUBuffer;
  readonly modifiers: GPUBuffer;
  readonly rig: GPUBuffer;
  readonly regions: GPUBuffer;
  readonly animators: GPUBuffer;
}

export interface TightenCharacters {
  /**
   * Binds the buffers. The returned function makes the dispatch for `characterCount` characters, after that of
   * `decideCharacters`.
   */
  bind(buffers: TightenCharactersBuffers): (characterCount: number) => Dispatch;
}

/**
 * Takes characters out of views that only their sphere reaches into. If only one clip plays, its box is tighter.
 *
 * Reads residents, transforms, kinds, players, modifiers, animators, rig. Writes the views of decisions. A thread per
 * character. It reads players and controllers only if some view sees a part of the sphere.
 */
export function createTightenCharacters(device: GPUDevice, traits: ShareTraits): TightenCharacters {
  const label = 'cull-characters tighten-characters';
  const layout = createStageLayout(device, label, [tightenBindings, rigRowBindings, animatorBindings]);
  const kernel = createKernel(device, {
    label: 'cull-characters',
    variant: traits.large ? 'tighten-characters large' : 'tighten-characters',
    code: kernels[traits.large ? 'large' : 'base'],
    entryPoint: 'tightenCharacters',
    layout: layout.pipeline,
    constants: { HAS_CONTROLLERS: Number(traits.controllers), HAS_TREES: Number(traits.trees) },
  });
  return {
    bind({ rig, regions, animators, ...buffers }) {
      const groups = [
        createBindGroup(device, label, layout.groups[0]!, tightenBindings, buffers),
        createBindGroup(device, label, layout.groups[1]!, rigRowBindings, { rig4: rig }),
        createBindGroup(device, label, layout.groups[2]!, animatorBindings, { regions, animators }),
      ];
      return (characterCount) => ({ kernel, groups, groupCount: cullGroups(characterCount) });
    },
  };
}
