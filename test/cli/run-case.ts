import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { answer } from './maniple.ts';
import type { ExpectedStep, SimulateAnswer, SimulateCase } from './simulate-cases.ts';

/** Runs a case with the command, from files that it writes into `folder`. */
export function runCase(
  folder: string,
  { controller, script, files = {} }: SimulateCase,
  backend: 'cpu' | 'gpu' = 'cpu',
): Promise<SimulateAnswer> {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const clips = files['map.json'] === undefined ? [] : ['--clips', path.join(folder, 'map.json')];
  const file = write('controller.json', JSON.stringify(controller));
  const steps = write('steps.json', JSON.stringify(script));
  return answer<SimulateAnswer>(['simulate', file, '--script', steps, '--backend', backend, ...clips]);
}

/** Whether two values are the same: numbers to 1e-4 (whole ones exactly), all else exactly. */
export function expectClose(got: unknown, wanted: unknown, at: string): void {
  if (typeof wanted === 'number' && !Number.isInteger(wanted)) {
    expect(got, at).toBeTypeOf('number');
    expect(Math.abs((got as number) - wanted), `${at}: ${String(got)}, not ${wanted}`).toBeLessThanOrEqual(1e-4);
  } else if (typeof wanted === 'number') {
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
