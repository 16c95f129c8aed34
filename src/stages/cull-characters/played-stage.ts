import { animatorBindings } from '../../controller/eval/layout.ts';
import type { Bindings } from '../../layout/index.ts';
import { createKernelGroup, type BuffersOf, type Dispatch } from '../kernel.ts';
import { GROUP_THREADS } from '../kernel-choice.ts';
import { rigRowBindings } from '../layout.ts';
import { cullGroups, shareBindings, tightenBindings } from './layout.ts';
import { kernels as shareKernels } from './share-characters.gen.ts';
import { kernels as tightenKernels } from './tighten-characters.gen.ts';

/** Traits of a crowd's characters; kernels are built without the rest. */
export interface PlayedTraits {
  readonly controllers: boolean;
  /** As step-controllers has it. */
  readonly trees: boolean;
  /** As `KernelChoice` has it. */
  readonly groupThreads?: number | undefined;
}

type PlayedBuffers<B extends Bindings> = BuffersOf<B | typeof animatorBindings> & { readonly rig: GPUBuffer };

/** A part of cull-characters that reads players and controllers. */
interface PlayedStage<B extends Bindings> {
  /**
   * Binds the buffers. The returned function makes the dispatch for `characterCount` characters, after that of
   * `decideCharacters`.
   */
  bind(buffers: PlayedBuffers<B>): (characterCount: number) => Dispatch;
}

export type TightenCharacters = PlayedStage<typeof tightenBindings>;
export type ShareCharacters = PlayedStage<typeof shareBindings>;

/**
 * Takes characters out of views that only their sphere reaches into. If only one clip plays, its box is tighter.
 *
 * Reads residents, transforms, kinds, players, modifiers, animators, rig. Writes the views of decisions. A thread per
 * character. It reads players and controllers only if some view sees a part of the sphere.
 */
export function createTightenCharacters(device: GPUDevice, traits: PlayedTraits): TightenCharacters {
  return createPlayed(device, traits, 'tighten-characters', 'tightenCharacters', tightenBindings, tightenKernels);
}

/**
 * Finds the pose that each character shows in a frame: a shared one, or its own.
 *
 * Reads slots, decisions, players, modifiers, sharers, animators, rig. Writes the leader of residents, and the size of
 * those that are shared. A thread per character. Crowds that share nothing have no such dispatch.
 */
export function createShareCharacters(device: GPUDevice, traits: PlayedTraits): ShareCharacters {
  return createPlayed(device, traits, 'share-characters', 'shareCharacters', shareBindings, shareKernels);
}

function createPlayed(
  device: GPUDevice,
  { controllers, trees, groupThreads = GROUP_THREADS }: PlayedTraits,
  part: string,
  entryPoint: string,
  bindings: Bindings,
  kernels: Readonly<Record<'base', string>>,
): PlayedStage<Bindings> {
  const own = createKernelGroup(device, {
    label: 'cull-characters',
    part,
    variant: part,
    code: kernels.base,
    groups: [bindings, rigRowBindings, animatorBindings],
  });
  const kernel = own.kernel(entryPoint, {
    HAS_CONTROLLERS: Number(controllers),
    HAS_TREES: Number(trees),
    GROUP_CHARACTERS: groupThreads,
  });
  return {
    bind(buffers) {
      const groups = own.bind({ ...buffers, rig4: buffers.rig });
      return (characterCount) => ({ kernel, groups, groupCount: cullGroups(characterCount, groupThreads) });
    },
  };
}
