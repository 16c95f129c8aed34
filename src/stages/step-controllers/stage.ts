import { animatorBindings } from '../../animator/layout.ts';
import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch } from '../kernel.ts';
import { rigRowBindings } from '../layout.ts';
import { kernels } from './kernel.gen.ts';
import { stepControllersBindings } from './layout.ts';

const WORKGROUP_SIZE = 64;

/** What the controllers of a crowd can do; kernels are built without the rest. */
export interface ControllerTraits {
  readonly events: boolean;
  readonly root: boolean;
  /** Root motion moves the characters' transforms. */
  readonly movesTransforms: boolean;
}

export interface StepControllersBuffers {
  readonly params: GPUBuffer;
  readonly regions: GPUBuffer;
  readonly animators: GPUBuffer;
  readonly commands: GPUBuffer;
  readonly events: GPUBuffer;
  readonly transforms: GPUBuffer;
  readonly rig: GPUBuffer;
}

export interface StepControllers {
  /**
   * What a frame dispatches: commands are handed out where there are any, then every character steps.
   *
   * @param runCount Characters that have commands in this frame.
   */
  bind(buffers: StepControllersBuffers): (characterCount: number, runCount: number) => Dispatch[];
}

/**
 * Advances the state machines of all characters.
 *
 * Reads rig and commands; reads and writes animators, events, transforms. One thread per character; 32 bytes read and
 * written per machine, 24 read for the character and its commands, 4 per parameter that is looked at.
 */
export function createStepControllers(device: GPUDevice, traits: ControllerTraits): StepControllers {
  const label = 'step-controllers';
  const layout = createStageLayout(device, label, [stepControllersBindings, rigRowBindings, animatorBindings]);
  const kernel = (entryPoint: string, constants: Readonly<Record<string, number>>) =>
    createKernel(device, {
      label,
      variant: 'base',
      code: kernels.base,
      entryPoint,
      layout: layout.pipeline,
      constants: { WORKGROUP_SIZE, ...constants },
    });
  const deliver = kernel('deliverCommands', {});
  const step = kernel('stepControllers', {
    HAS_EVENTS: Number(traits.events),
    HAS_ROOT: Number(traits.root),
    MOVES_TRANSFORMS: Number(traits.movesTransforms),
  });
  return {
    bind({ rig, regions, animators, ...buffers }) {
      const groups = [
        createBindGroup(device, label, layout.groups[0]!, stepControllersBindings, buffers),
        createBindGroup(device, label, layout.groups[1]!, rigRowBindings, { rig4: rig }),
        createBindGroup(device, label, layout.groups[2]!, animatorBindings, { regions, animators }),
      ];
      const groupsOf = (threads: number) => Math.ceil(threads / WORKGROUP_SIZE);
      return (characterCount, runCount) => [
        { kernel: deliver, groups, groupCount: groupsOf(runCount) },
        { kernel: step, groups, groupCount: groupsOf(characterCount) },
      ];
    },
  };
}
