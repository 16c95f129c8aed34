import { animatorBindings } from '../../controller/eval/layout.ts';
import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { rigRowBindings } from '../layout.ts';
import { cullGroups, shareBindings } from './layout.ts';
import { kernels } from './share-characters.gen.ts';

export interface ShareCharactersBuffers {
  readonly params: GPUBuffer;
  readonly residents: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly decisions: GPUBuffer;
  readonly players: GPUBuffer;
  readonly modifiers: GPUBuffer;
  readonly sharers: GPUBuffer;
  readonly rig: GPUBuffer;
  readonly regions: GPUBuffer;
  readonly animators: GPUBuffer;
}

/** Traits of a crowd's characters; the kernel is built without the rest. */
export interface ShareTraits {
  readonly controllers: boolean;
  /** Both as step-controllers has them. */
  readonly trees: boolean;
  readonly large: boolean;
}

export interface ShareCharacters {
  /**
   * Binds the buffers. The returned function makes the dispatch for `characterCount` characters, after that of
   * `decideCharacters`.
   */
  bind(buffers: ShareCharactersBuffers): (characterCount: number) => Dispatch;
}

/**
 * Finds the pose that each character shows in a frame: a shared one, or its own.
 *
 * Reads slots, decisions, players, modifiers, sharers, animators, rig. Writes the leader of residents, and the size of
 * those that are shared. A thread per character. Crowds that share nothing have no such dispatch.
 */
export function createShareCharacters(device: GPUDevice, traits: ShareTraits): ShareCharacters {
  const label = 'cull-characters share-characters';
  const layout = createStageLayout(device, label, [shareBindings, rigRowBindings, animatorBindings]);
  const kernel = createKernel(device, {
    label: 'cull-characters',
    variant: traits.large ? 'share-characters large' : 'share-characters',
    code: kernels[traits.large ? 'large' : 'base'],
    entryPoint: 'shareCharacters',
    layout: layout.pipeline,
    constants: { HAS_CONTROLLERS: Number(traits.controllers), HAS_TREES: Number(traits.trees) },
  });
  return {
    bind({ rig, regions, animators, ...buffers }) {
      const groups = [
        createBindGroup(device, label, layout.groups[0]!, shareBindings, buffers),
        createBindGroup(device, label, layout.groups[1]!, rigRowBindings, { rig4: rig }),
        createBindGroup(device, label, layout.groups[2]!, animatorBindings, { regions, animators }),
      ];
      return (characterCount) => ({ kernel, groups, groupCount: cullGroups(characterCount) });
    },
  };
}
