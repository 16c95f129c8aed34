import { AnimatorMemory } from '../../src/controller/eval/memory.ts';
import { animatorBindings } from '../../src/controller/eval/layout.ts';
import { createBindGroup, View } from '../../src/layout/index.ts';
import { createKernel, createStageLayout, encodeDispatch, type Dispatch } from '../../src/stages/kernel.ts';
import { rigRowBindings, Transform } from '../../src/stages/layout.ts';
import { StepParams, stepControllersBindings } from '../../src/stages/step-controllers/layout.ts';
import { createStepControllers, type StepControllersBuffers } from '../../src/stages/step-controllers/stage.ts';
import { createLists, type AnimatorScene, type SceneState } from './animator-scene.ts';
import { readBuffer, uploadBuffer } from './gpu.ts';
import { linkTestShader } from './wesl.ts';

/** A scene whose characters run on the GPU for many steps without being looked at. */
export interface AnimatorRun {
  /** So many steps of one dt, without commands, in one submission. */
  steps(count: number, dt: number): void;
  /** Lets the device finish what was submitted. */
  settle(): Promise<void>;
  read(): Promise<SceneState>;
  memory(state: SceneState): AnimatorMemory;
  destroy(): void;
}

/** @param looped Each thread steps its character's only machine in a loop of its own; see {@link LOOP_CODE}. */
export async function startRun(device: GPUDevice, scene: AnimatorScene, looped = false): Promise<AnimatorRun> {
  const { animators, events, transforms } = scene.state;
  const { UNIFORM, STORAGE } = GPUBufferUsage;
  const buffers = {
    params: uploadBuffer(device, new View(StepParams, 1).words, UNIFORM),
    regions: uploadBuffer(device, scene.plan.regions.words, UNIFORM),
    animators: uploadBuffer(device, animators, STORAGE),
    commands: uploadBuffer(device, new Uint32Array(4), STORAGE),
    events: uploadBuffer(device, events, STORAGE),
    transforms: uploadBuffer(device, transforms.words, STORAGE),
    rig: uploadBuffer(device, scene.rig.words, STORAGE),
    lists: createLists(device, scene.plan),
  };
  const step = looped
    ? [await loopDispatch(device, buffers)]
    : createStepControllers(device, scene.traits).bind(buffers)(scene.count, 0);
  return {
    steps(count, dt) {
      const params = new View(StepParams, 1);
      const frame = looped ? count : 1;
      params.assign(0, { dt, frame, characterCount: scene.count, eventCapacity: scene.eventCapacity });
      device.queue.writeBuffer(buffers.params, 0, params.words);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      for (let i = 0; i < (looped ? 1 : count); i++) step.forEach((dispatch) => encodeDispatch(pass, dispatch));
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
    settle: () => device.queue.onSubmittedWorkDone(),
    async read() {
      const [a, e, t] = await Promise.all(
        [buffers.animators, buffers.events, buffers.transforms].map((buffer) => readBuffer(device, buffer)),
      );
      return { animators: new Uint32Array(a!), events: new Uint32Array(e!), transforms: new View(Transform, t!) };
    },
    memory: ({ animators: words }) => new AnimatorMemory(words, scene.plan.regions),
    destroy() {
      for (const buffer of Object.values(buffers)) buffer.destroy();
    },
  };
}

/** The stage's own function for one machine, `params.frame` times, without a dispatch for each. */
export const LOOP_CODE = `
import package::layout::animator::animators;
import package::layout::controller::{loadControllerHeader, loadControllerMachine};
import package::controller::eval::machine::{loadMachine, machineRow, storeMachine};
import package::stages::step_controllers::conditions::StepContext;
import package::stages::step_controllers::layout::params;
import package::stages::step_controllers::machine_step::stepMachine;
import package::stages::step_controllers::events::flushEvents;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  if (id.x < params.characterCount) { stepMany(id.x); }
  flushEvents(local, 4u);
}
fn stepMany(character: u32) {
  let row = animators[character].x;
  let header = loadControllerHeader(row);
  let machine = loadControllerMachine(row + header.machineRow);
  var m = loadMachine(machineRow(0u, character));
  for (var n = 0u; n < params.frame; n++) {
    var who = StepContext(character, row, row + header.stateRow, row + header.transitionRow, row + header.conditionRow,
      row + header.entryRow, header.clipRow, row + header.layerRow, header.layerCount, false, 0u, 0u);
    stepMachine(&who, machine, 0u, &m, params.dt, 0u, 0u);
  }
  storeMachine(machineRow(0u, character), m);
}`;

async function loopDispatch(
  device: GPUDevice,
  { rig, regions, animators, ...own }: StepControllersBuffers,
): Promise<Dispatch> {
  const label = 'step-controllers in a loop';
  const layout = createStageLayout(device, label, [stepControllersBindings, rigRowBindings, animatorBindings]);
  const code = await linkTestShader(LOOP_CODE);
  const constants = { HAS_ROOT: 0 };
  return {
    kernel: createKernel(device, {
      label,
      variant: 'loop',
      code,
      entryPoint: 'main',
      layout: layout.pipeline,
      constants,
    }),
    groups: [
      createBindGroup(device, label, layout.groups[0]!, stepControllersBindings, own),
      createBindGroup(device, label, layout.groups[1]!, rigRowBindings, { rig4: rig }),
      createBindGroup(device, label, layout.groups[2]!, animatorBindings, { regions, animators }),
    ],
    groupCount: 1,
  };
}
