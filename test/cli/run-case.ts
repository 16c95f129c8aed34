import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { openFileMap } from '../../src/cli/load-clips.ts';
import { openController } from '../../src/cli/load-controller.ts';
import { simulatedCharacter } from '../../src/cli/simulated-character.ts';
import { simulate } from '../../src/cli/simulation.ts';
import type { Issue } from '../../src/errors.ts';
import { companions } from '../support/companions.ts';
import { answer } from './maniple.ts';
import type { ExpectedStep, SimulateAnswer, SimulateCase } from './simulate-cases.ts';

/** Writes the files of a case into `folder`. */
function writeCase(folder: string, { controller, script, files = {} }: SimulateCase) {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    file: write('controller.json', JSON.stringify(controller)),
    steps: write('steps.json', JSON.stringify(script)),
    map: files['map.json'] === undefined ? undefined : path.join(folder, 'map.json'),
  };
}

/** Runs a case with the command, on the CPU. */
export function runCase(folder: string, one: SimulateCase): Promise<SimulateAnswer> {
  const { file, steps, map } = writeCase(folder, one);
  const clips = map === undefined ? [] : ['--clips', map];
  return answer<SimulateAnswer>(['simulate', file, '--script', steps, '--backend', 'cpu', ...clips]);
}

/** Runs a case as the command does, but on a device that is there already, with the kernels that {@link companions} ask for. */
export async function runCaseOn(device: GPUDevice, folder: string, one: SimulateCase): Promise<SimulateAnswer> {
  const { file, map } = writeCase(folder, one);
  const issues: Issue[] = [];
  const opened = await openController(file, await openFileMap({ clips: map }));
  const character = await simulatedCharacter(opened, {}, issues);
  const steps = await simulate(character, one.script, { device, issues, others: companions() });
  return { steps, issues } as unknown as SimulateAnswer;
}

/** Whether two values are the same: numbers to 1e-4, so that whole ones are equal, all else exactly. */
export function expectClose(got: unknown, wanted: unknown, at: string): void {
  if (typeof wanted === 'number') {
    expect(got, at).toBeTypeOf('number');
    expect(Math.abs((got as number) - wanted), `${at}: ${String(got)}, not ${wanted}`).toBeLessThanOrEqual(1e-4);
  } else if (typeof wanted === 'object' && wanted !== null) {
    if (Array.isArray(wanted)) expect(got, at).toHaveLength(wanted.length);
    for (const [key, inner] of Object.entries(wanted)) {
      expectClose((got as Readonly<Record<string, unknown>>)[key], inner, `${at}/${key}`);
    }
  } else expect(got, at).toBe(wanted);
}

const QUIET = { name: 'Base', cycles: 0, next: null, nextCycles: 0, nextPhase: 0, progress: 0, frozen: false };

/** Checks an answer against what was computed by hand. */
export function expectSteps({ steps }: SimulateAnswer, { script, expected }: SimulateCase): void {
  expect(steps).toHaveLength(expected.length);
  let time = 0;
  for (const [index, { layers, events = [], root = [], parameters = {} }] of expected.entries()) {
    time += script[index]!.dt;
    const rotation = root.length > 3 ? root.slice(3) : [0, 0, 0, 1];
    const position = root.length > 0 ? root.slice(0, 3) : [0, 0, 0];
    const wanted: ExpectedStep & object = { layers: layers.map((layer) => ({ ...QUIET, ...layer })), events };
    expectClose(steps[index], { time, ...wanted, root: { position, rotation }, parameters }, `step ${index}`);
  }
}
