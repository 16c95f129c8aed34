import type { Character } from '../character/character.ts';
import type { CompiledController } from '../controller/compile.ts';
import { createCrowd } from '../crowd/create-crowd.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CharacterId } from '../crowd/rows/ids.ts';
import type { ControllerState } from '../crowd/readings.ts';
import type { CharacterEvent } from '../crowd/rows/events.ts';
import type { SimulatedStep } from '../diagram/index.ts';
import { type Issue, warning } from '../errors.ts';
import type { ScriptStep } from './script.ts';

export interface SimulationOptions {
  /** Runs kernels on this device; without one their twins run. */
  readonly device?: GPUDevice;
  /** Further types of the crowd, without characters. */
  readonly others?: readonly Character[];
  readonly onProgress?: (done: number, total: number) => void;
  /** Limits that the answer exceeded, if any: dropped events and motions, each kind once. */
  readonly issues?: Issue[];
}

/**
 * Runs a script on one character with a controller. Returns its state after every step.
 * @throws ManipleError CROWD_BAD_ARGUMENT (unknown parameters, states, layers), DEVICE_LOST
 */
export async function simulate(
  character: Character,
  script: readonly ScriptStep[],
  { device, others = [], onProgress = () => undefined, issues = [] }: SimulationOptions = {},
): Promise<SimulatedStep[]> {
  const crowd = await createCrowd(device, {
    characters: [character, ...others],
    capacity: 1,
    ...(device ? {} : { backend: 'cpu' as const }),
  });
  const controller = character.controller!;
  const id = crowd.spawn(character).id(0);
  let events: Omit<CharacterEvent, 'character' | 'frame'>[] = [];
  crowd.on('event', (event) => {
    const { character: _, frame: __, ...facts } = event;
    events.push(facts);
  });
  const report = dropReporter(issues);
  const steps: SimulatedStep[] = [];
  let time = 0;
  try {
    for (const [index, step] of script.entries()) {
      onProgress(index, script.length);
      carryOut(crowd, id, step, controller);
      events = [];
      crowd.update({ dt: step.dt, views: [] });
      await crowd.workDone();
      const [state] = await crowd.readControllers(id);
      report(index, state!, crowd.droppedEventCount);
      time += step.dt;
      steps.push({
        time,
        layers: state!.layers.map(({ name, state: at, ...layer }) => ({ name, state: at ?? '', ...layer })),
        events,
        root: {
          position: state!.root.position as [number, number, number],
          rotation: state!.root.rotation as [number, number, number, number],
        },
        parameters: parametersOf(controller, state!.triggers, (name) => crowd.getParameter(id, name)),
      });
    }
  } finally {
    crowd.destroy();
  }
  return steps;
}

/** Sets and plays what a step says, before time passes. */
function carryOut(
  crowd: Crowd,
  id: CharacterId,
  { set = {}, trigger = [], reset = [], play, crossFade }: ScriptStep,
  { parameters }: CompiledController,
): void {
  for (const [name, value] of Object.entries(set)) {
    if (parameters.find((parameter) => parameter.name === name)?.type !== 'trigger')
      crowd.setParameter(id, name, value);
    else if (value) crowd.trigger(id, name);
    else crowd.resetTrigger(id, name);
  }
  for (const name of trigger) crowd.trigger(id, name);
  for (const name of reset) crowd.resetTrigger(id, name);
  if (play) {
    const { state, ...options } = play;
    crowd.playState(id, state, options);
  }
  if (crossFade) {
    const { state, offset: phase = 0, fixed = true, ...fade } = crossFade;
    crowd.crossFade(id, state, { ...fade, phase, durationUnit: fixed ? 'seconds' : 'cycles' });
  }
}

/** Reports where something was dropped first, once per kind, because an incomplete answer must not look complete. */
function dropReporter(issues: Issue[]): (step: number, state: ControllerState, droppedEvents: number) => void {
  const reported = new Set<string>();
  const report = (step: number, count: number, what: string): void => {
    if (count === 0 || reported.has(what)) return;
    reported.add(what);
    issues.push(warning('CROWD_LIMIT', `steps/${step}`, `${count} ${what}; later steps may be so too.`));
  };
  return (step, { droppedMotions, truncatedFreezes }, droppedEvents) => {
    report(step, droppedEvents, 'events are not listed: a step lists at most four firings of one event');
    report(step, droppedMotions, 'motions are not listed');
    report(step, truncatedFreezes, 'held poses have only their eight heaviest motions');
  };
}

/** Values after a step; triggers that are still set are true. */
function parametersOf(
  { parameters }: CompiledController,
  triggers: readonly string[],
  valueOf: (name: string) => number,
): Record<string, number | boolean> {
  return Object.fromEntries(
    parameters.map(({ name, type }) => {
      if (type === 'trigger') return [name, triggers.includes(name)];
      return [name, type === 'bool' ? valueOf(name) !== 0 : valueOf(name)];
    }),
  );
}
