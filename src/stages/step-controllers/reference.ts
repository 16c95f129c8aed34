import {
  type ControllerTable,
  controllerTable,
  controllerView,
  type TransitionView,
} from '../../controller/eval/controller-view.ts';
import { ANIMATOR_NONE, AnimatorHead, TRANSITION_DYNAMIC, type AnimatorRegions } from '../../controller/eval/layout.ts';
import { animatorMemory, type AnimatorMemory, type Machine } from '../../controller/eval/memory.ts';
import { freezeMotions, layerMotions } from '../../controller/eval/motion-list.ts';
import type { RigTable } from '../../character/format/clip-format.ts';
import { CONTROLLER_FIRST_TRIGGER } from '../../controller/tables.ts';
import { View } from '../../layout/index.ts';
import { toCycles } from '../../math/cycles.ts';
import type { Transform } from '../layout.ts';
import { fireEvents, type Firing } from './fire-events.ts';
import {
  Command,
  COMMAND_CROSS_FADE,
  COMMAND_FIXED,
  COMMAND_PLAY,
  COMMAND_START,
  COMMAND_STOP,
  COMMAND_TRIGGERS,
  CommandRun,
  EVENT_FIRST_WORD,
  EVENT_FROM_NEXT,
  EVENT_LAYER_SHIFT,
  EventRecord,
  type StepParams,
} from './layout.ts';
import { compose, ROOT_STILL, rootOf, rotate, type RootStep } from './move-root.ts';
import type { MachineStep } from './machine-update.ts';
import { type QuietScope, QuietStep } from './quiet-step.ts';
import { beginTransition, enterState, startMachine, stepMachine } from './step-machine.ts';

const f = Math.fround;

export interface StepControllersViews {
  readonly stepParams: View<(typeof StepParams)['fields']>;
  readonly regions: View<(typeof AnimatorRegions)['fields']>;
  /** Rows: see `controller/eval/layout.ts`. */
  readonly animators: Uint32Array<ArrayBuffer>;
  readonly rig: RigTable;
  /** Command runs, then commands, a row each. */
  readonly commands: Uint32Array<ArrayBuffer>;
  readonly events: Uint32Array<ArrayBuffer>;
  /** Transforms of all characters. Those that root motion moves are written. */
  readonly transforms: View<(typeof Transform)['fields']>;
  /** True if root motion moves transforms; otherwise it is only summed up. */
  readonly movesTransforms: boolean;
  /** Called with the character and the margin of every decision (cycles, or shares of a transition). */
  readonly onMargin?: (character: number, margin: number) => void;
  /** Called for every freeze that drops samples, with their number and their weight. */
  readonly onTruncation?: (samples: number, weight: number) => void;
  /** Called for every transition that is taken. `interrupts`: true if another one was running. */
  readonly onTransition?: (character: number, machine: number, transition: TransitionView, interrupts: boolean) => void;
}

/**
 * Twin of step-controllers: applies commands, then advances every machine of every character by `dt` seconds.
 *
 * The first stage of a frame: it runs for every character, visible or culled. Some 3 µs per machine in a state of
 * one clip.
 */
export function stepControllers(views: StepControllersViews): void {
  const { stepParams: params, regions, animators, commands } = views;
  const memory = animatorMemory(animators, regions);
  const runs = params.get(0, 'runCount');
  for (let run = 0; run < runs; run++) {
    memory.setHead(commands[4 * run + CommandRun.offsets.character / 4]!, 'commandRun', run + 1);
  }
  const count = params.get(0, 'characterCount');
  const scope: StepScope = {
    views,
    memory,
    controllers: controllerTable(views.rig),
    parameters: memory.parameters(0),
    controller: undefined!,
    character: 0,
    triggers: 0,
    dt: 0,
    seconds: params.get(0, 'dt'),
  };
  for (let character = 0; character < count; character++) stepCharacter(scope, character);
}

/** The character that is stepped, and what its step needs. */
interface StepScope extends QuietScope {
  readonly views: StepControllersViews;
  readonly controllers: ControllerTable;
  /** Seconds of the frame, at speed 1. */
  readonly seconds: number;
}

const NO_COMMANDS: readonly ReadCommand[] = [];
const quiet = new QuietStep();

function stepCharacter(scope: StepScope, character: number): void {
  const { views, memory, parameters } = scope;
  const { words, floats } = memory;
  scope.character = parameters.character = character;
  const commands = memory.head(character, 'commandRun') === 0 ? NO_COMMANDS : takeCommands(views, memory, character);
  for (const { kind, target } of commands) {
    if (kind === COMMAND_START) startCharacter(views.rig, memory, character, target);
    else if (kind === COMMAND_STOP) memory.setHead(character, 'controllerRow', ANIMATOR_NONE);
  }
  const row = memory.head(character, 'controllerRow');
  if (row === ANIMATOR_NONE) return;
  scope.controller = scope.controllers.at(row);
  const { machines, flags } = scope.controller;
  let triggers = memory.head(character, 'triggers');
  for (const { kind, target, clear } of commands) {
    if (kind === COMMAND_TRIGGERS) triggers = ((triggers | target) & ~clear) >>> 0;
  }
  const speed = floats[memory.columnWord(0, character)]!;
  scope.dt = f(scope.seconds * (speed > 0 ? speed : 0));
  const firstOnly = (flags & CONTROLLER_FIRST_TRIGGER) !== 0;
  // margins are those of all decisions, also of those that are far from being taken
  const isQuiet = commands === NO_COMMANDS && !views.onMargin;
  let consumed = 0;
  let root: RootSum | undefined;
  for (let index = 0; index < machines.length; index++) {
    scope.triggers = firstOnly ? (triggers & ~consumed) >>> 0 : triggers;
    if (isQuiet && quiet.run(scope, index)) {
      if (!quiet.needsPart(scope, index)) continue;
      root ??= new RootSum();
      newStep(scope, index, root).moved(quiet.part(scope.dt));
    } else {
      root ??= new RootSum();
      consumed |= stepFully(scope, index, commands, root);
    }
  }
  words[4 * character + AnimatorHead.offsets.triggers / 4] = triggers & ~consumed;
  if (root?.hasMoved) moveCharacter(views, memory, character, root.step);
}

/** Root motion of a character in this update. */
class RootSum {
  step: RootStep = ROOT_STILL;
  hasMoved = false;

  add(moved: RootStep): void {
    this.hasMoved ||= [...moved.position, ...moved.rotation.slice(0, 3)].some((part) => part !== 0);
    this.step = compose(this.step, moved);
  }
}

/** The whole update of a machine. Returns the triggers that it used up. */
function stepFully(scope: StepScope, index: number, commands: readonly ReadCommand[], root: RootSum): number {
  const { memory, character, dt } = scope;
  const machine = memory.machine(index, character);
  const step = newStep(scope, index, root);
  for (const command of commands) applyCommand(command, index, machine, step);
  stepMachine(machine, step, dt);
  memory.setMachine(index, character, machine);
  return step.consumed;
}

function newStep(scope: StepScope, index: number, root: RootSum): MachineStep {
  const { views, memory, controller, character, parameters, triggers } = scope;
  const { layerIndex } = controller.machines[index]!;
  const step: MachineStep = {
    controller,
    index,
    parameters,
    triggers,
    consumed: 0,
    freeze: (at) => freezeLayers(views, memory, character, step, at),
    moved(part) {
      const lost = (count: number) => void (views.events[1]! += count);
      fireEvents(step, part, (firing) => writeEvent(views, character, firing), lost);
      if (layerIndex === 0) root.add(rootOf(controller, parameters, part));
    },
    margin: (value) => views.onMargin?.(character, value),
    taken: (transition, interrupts) => views.onTransition?.(character, index, transition, interrupts),
  };
  return step;
}

/** Freezes what the layers of a machine show, and counts drops. */
function freezeLayers(
  { onMargin, onTruncation }: StepControllersViews,
  memory: AnimatorMemory,
  character: number,
  { controller, index, parameters }: MachineStep,
  machine: Machine,
): void {
  const { layers } = controller.machines[index]!;
  controller.layers.forEach((_, layer) => {
    if (!((layers >>> layer) & 1)) return;
    const shown = layerMotions(controller, layer, machine, memory.frozen(layer, character), parameters);
    const { samples, dropped, droppedWeight, margin } = freezeMotions(shown);
    memory.setFrozen(layer, character, samples);
    if (dropped === 0) return;
    onMargin?.(character, margin);
    // the low half of the counters saturates
    const counters = memory.head(character, 'counters');
    if ((counters & 0xffff) < 0xffff) memory.setHead(character, 'counters', counters + 1);
    onTruncation?.(dropped, droppedWeight);
  });
}

type ReadCommand = ReturnType<typeof takeCommands>[number];

function takeCommands({ commands, stepParams }: StepControllersViews, memory: AnimatorMemory, character: number) {
  const run = memory.head(character, 'commandRun');
  if (run === 0) return [];
  memory.setHead(character, 'commandRun', 0);
  const runs = new View(CommandRun, commands.buffer, commands.byteOffset);
  const [first, count] = [runs.get(run - 1, 'first'), runs.get(run - 1, 'count')];
  const records = new View(Command, commands.buffer, commands.byteOffset);
  const floats = new Float32Array(commands.buffer, commands.byteOffset, commands.length);
  return Array.from({ length: count }, (_, i) => {
    const row = stepParams.get(0, 'runCount') + first + i;
    const kind = records.get(row, 'kind');
    return {
      kind: kind & 0xff,
      machine: (kind >>> 8) & 0xff,
      fixed: (kind & COMMAND_FIXED) !== 0,
      target: records.get(row, 'argument'),
      amount: floats[4 * row + Command.offsets.amountBits / 4]!,
      offset: records.get(row, 'offset'),
      clear: records.get(row, 'amountBits'),
    };
  });
}

function startCharacter(rig: RigTable, memory: AnimatorMemory, character: number, controllerRow: number): void {
  const controller = controllerView(rig, controllerRow);
  memory.setHead(character, 'controllerRow', controllerRow);
  memory.setHead(character, 'triggers', controller.initialTriggers);
  memory.setHead(character, 'counters', 0);
  controller.machines.forEach((_, index) => {
    memory.setMachineWords(index, character, new Uint32Array(8));
  });
  const rootWord = memory.rootWord(character);
  if (memory.hasRoot) memory.floats.set([0, 0, 0, 0, 0, 0, 0, 1], rootWord);
}

function applyCommand(command: ReadCommand, index: number, machine: Machine, step: MachineStep): void {
  if (command.machine !== index) return;
  if (command.kind === COMMAND_PLAY) {
    // NaN: where the state begins
    enterState(machine, step, command.target, Number.isNaN(command.amount) ? undefined : toCycles(command.amount));
    machine.started = true;
  } else if (command.kind === COMMAND_CROSS_FADE) {
    startMachine(machine, step);
    const view = step.controller.machines[index]!;
    beginTransition(machine, step, view, command.target, TRANSITION_DYNAMIC, toCycles(command.offset));
    machine.duration = command.amount;
    machine.fixed = command.fixed;
  }
}

function writeEvent({ stepParams, events }: StepControllersViews, character: number, firing: Firing): void {
  const index = events[0]!++;
  if (index >= stepParams.get(0, 'eventCapacity')) return;
  const { id, time, weight } = firing;
  const place = character | (firing.layer << EVENT_LAYER_SHIFT) | (firing.fromNext ? EVENT_FROM_NEXT : 0);
  const records = new View(EventRecord, events.buffer, events.byteOffset + 4 * EVENT_FIRST_WORD);
  records.assign(index, { frame: stepParams.get(0, 'frame'), place, id, time, weight });
}

function moveCharacter(
  { transforms, movesTransforms }: StepControllersViews,
  memory: AnimatorMemory,
  character: number,
  step: RootStep,
): void {
  const at = memory.rootWord(character);
  const { floats } = memory;
  const so: RootStep = { position: [...floats.subarray(at, at + 3)], rotation: [...floats.subarray(at + 4, at + 8)] };
  const then = compose(so, step);
  floats.set(then.position, at);
  floats.set(then.rotation, at + 4);
  if (!movesTransforms) return;
  const rotation = transforms.get(character, 'rotation');
  const scale = transforms.get(character, 'scale');
  const turned = compose({ position: [0, 0, 0], rotation }, step);
  const offset = rotate(rotation, step.position);
  const position = transforms.get(character, 'position').map((p, c) => p + scale * offset[c]!);
  transforms.assign(character, { position, rotation: turned.rotation });
}
