import { animatorBindings } from '../../controller/eval/layout.ts';
import { createKernelGroup, ITEM_GROUP as WORKGROUP_SIZE, type BuffersOf, type Dispatch } from '../kernel.ts';
import { rigRowBindings } from '../layout.ts';
import { kernels } from './kernel.gen.ts';
import { stepControllersBindings } from './layout.ts';
import type { ControllerTraits } from './traits.ts';

/** Up to this number of characters, each has its own thread in the kernels that decide. */
const WIDE = 65536;

/** `lists` has `listBytes` of the crowd's capacity. */
export type StepControllersBuffers = BuffersOf<typeof stepControllersBindings | typeof animatorBindings> & {
  readonly rig: GPUBuffer;
};

export interface StepControllers {
  /**
   * Returns the dispatches of a frame. They deliver commands, step every character up to its first decision, then step
   * the characters that decide something.
   *
   * @param runCount Characters that have commands in this frame.
   */
  bind(buffers: StepControllersBuffers): (characterCount: number, runCount: number) => Dispatch[];
}

/**
 * Advances the state machines of all characters.
 *
 * Reads rig and commands; reads and writes animators, events, transforms, lists. One thread per character, then one per
 * character that decides something. Reads and writes 16 bytes per machine, 16 more in a transition. Reads 20 bytes per
 * character, 4 per parameter in use.
 */
export function createStepControllers(device: GPUDevice, traits: ControllerTraits): StepControllers {
  const variant = traits.large ? 'large' : 'base';
  const group = createKernelGroup(device, {
    label: 'step-controllers',
    variant,
    code: kernels[variant],
    groups: [stepControllersBindings, rigRowBindings, animatorBindings],
  });
  const kernel = (entryPoint: string, constants: Readonly<Record<string, number>>) =>
    group.kernel(entryPoint, { WORKGROUP_SIZE, ...constants });
  const deliver = kernel('deliverCommands', {});
  const HAS_EVENTS = Number(traits.events);
  const HAS_ROOT = Number(traits.root);
  const MOVES_TRANSFORMS = Number(traits.movesTransforms);
  const HAS_TREES = Number(traits.trees);
  const traitConstants = { HAS_EVENTS, HAS_ROOT, HAS_TREES, MOVES_TRANSFORMS };
  const quiet = kernel('stepQuiet', { HAS_EVENTS, HAS_ROOT, HAS_TREES, HAS_LATCHED: Number(traits.latched) });
  const busy = kernel('stepBusy', { ...traitConstants, COMPLETE: 0 });
  const late = kernel('stepLate', traitConstants);
  return {
    bind(buffers) {
      const groups = group.bind({ ...buffers, rig4: buffers.rig });
      const groupsOf = (threads: number) => Math.ceil(threads / WORKGROUP_SIZE);
      return (characterCount, runCount) => {
        // a thread takes several entries, one after the other, if more than this share of many characters is listed
        const listed = (share: number) => groupsOf(Math.min(characterCount, Math.max(WIDE, share * characterCount)));
        return [
          { kernel: deliver, groups, groupCount: Math.max(1, groupsOf(runCount)) },
          { kernel: quiet, groups, groupCount: groupsOf(characterCount) },
          { kernel: busy, groups, groupCount: listed(1 / 10) },
          { kernel: late, groups, groupCount: listed(1 / 100) },
        ];
      };
    },
  };
}
