import type { ControllerModel } from '../../src/controller/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { simulate, type SimulationOptions } from '../../src/cli/simulation.ts';
import { standIn } from '../../src/cli/stand-in.ts';
import type { ScriptStep } from '../../src/cli/script.ts';
import type { SimulatedStep } from '../../src/diagram/index.ts';
import type { Random } from './random.ts';

/** A script that changes a controller's parameters at random; numbers stay around those that its conditions name. */
export function randomScript({ parameters }: ControllerModel, random: Random, steps: number): ScriptStep[] {
  const entries = Object.entries(parameters);
  return Array.from({ length: steps }, (): ScriptStep => {
    const set: Record<string, number | boolean> = {};
    const trigger: string[] = [];
    for (const [name, { type }] of entries) {
      if (!random.chance(0.15)) continue;
      if (type === 'trigger') trigger.push(name);
      else if (type === 'bool') set[name] = random.chance(0.5);
      else set[name] = type === 'int' ? random.integer(-1, 8) : random.range(-2, 2);
    }
    return { dt: random.pick([0, 1 / 60, 1 / 30, 0.1, 0.4]), set, trigger };
  });
}

/** Runs a controller on nobody in particular. */
export function simulateAlone(
  model: ControllerModel,
  script: readonly ScriptStep[],
  options: SimulationOptions = {},
): Promise<SimulatedStep[]> {
  return simulate(packCharacter(standIn([]), { controller: model, missingClips: 'warn' }), script, options);
}

/** States that a simulation has been in, over all layers, and how often it went over to another. */
export function visited(steps: readonly SimulatedStep[]): { states: number; changes: number } {
  const states = new Set(steps.flatMap(({ layers }) => layers.map(({ name, state }) => `${name}/${state}`)));
  let changes = 0;
  steps.forEach(({ layers }, s) => {
    layers.forEach(({ state, next }, l) => {
      const before = steps[s - 1]?.layers[l];
      if (before && (before.state !== state || (before.next !== next && next !== null))) changes++;
    });
  });
  return { states: states.size, changes };
}
