// `maniple graph`: pictures of every kind of controller.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ControllerModel } from '../../src/controller/model.ts';
import { PLAYCANVAS_CASES } from '../controller/playcanvas-cases.ts';
import { noShared, shared } from '../support/setup.ts';
import { byClass, parseSvg, textOf } from '../support/svg.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { answer, maniple, refusal } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SIMULATE_CASES } from './simulate-cases.ts';

const folder = temporaryFolder();
const file = (name: string): string => path.join(folder, name);
const write = (name: string, value: unknown): string => {
  writeFileSync(file(name), typeof value === 'string' ? value : JSON.stringify(value));
  return file(name);
};
const unity = path.join(shared, 'unity');

interface GraphAnswer {
  readonly file: string;
  readonly out: string;
  readonly bytes: number;
  readonly layers: readonly { readonly name: string }[];
  readonly parameters: number;
  readonly issues: readonly object[];
}

/** Draws, and checks what every picture has: its answer, and well-formed XML that names what is there. */
async function draw(controller: string, ...more: string[]): Promise<{ said: GraphAnswer; text: string }> {
  const out = file(`${path.basename(controller)}.svg`);
  const said = await answer<GraphAnswer>(['graph', controller, '--out', out, ...more]);
  const svg = readFileSync(out, 'utf8');
  expect(said).toMatchObject({ file: controller, out, bytes: Buffer.byteLength(svg) });
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  const text = textOf(parseSvg(svg));
  for (const { name } of said.layers) expect(text).toContain(name);
  return { said, text };
}

/** Paths of all states, without the machines they are in. */
function stateNames({ layers }: ControllerModel): string[] {
  const names = (machine: ControllerModel['layers'][number]['machine']): string[] =>
    machine === undefined
      ? []
      : [...Object.keys(machine.states), ...Object.values(machine.machines ?? {}).flatMap((inner) => names(inner))];
  return layers.flatMap(({ machine }) => names(machine));
}

describe.skipIf(noShared())('controllers of Unity', () => {
  const files = noShared() ? [] : readdirSync(unity).filter((name) => name.endsWith('.controller'));

  test.concurrent.each(files)('%s', async (name) => {
    const { text } = await draw(path.join(unity, name));
    // what tells clips of one guid apart is their end
    expect(text).not.toMatch(/[0-9a-f]{32}/);
  });

  test('name clips that the map knows', async () => {
    const controller = path.join(unity, 'ma-SyncedSubStateMachine.controller');
    expect((await draw(controller)).text).toContain('5398…1d8c:7400000');
    const map = write('map.json', {
      '5398253e7a5aa834db8c2f5bc3171d8c': path.join(unity, 'openkcc-IdleAnimMole.anim'),
    });
    expect((await draw(controller, '--clips', map)).text).toContain('IdleAnimMole');
  });
});

test.concurrent.each(Object.entries(SIMULATE_CASES))('the JSON form: %s', async (name, { controller }) => {
  const { said, text } = await draw(write(`${name.replace(/\W+/g, '-')}.json`, controller));
  expect(said.parameters).toBe(Object.keys(controller.parameters).length);
  expect(said.issues).toEqual([]);
  for (const state of stateNames(controller)) expect(text).toContain(state);
});

test('a graph of PlayCanvas', async () => {
  const { graph } = PLAYCANVAS_CASES[0]!;
  const { said } = await draw(write('graph.json', graph));
  expect(said.layers).toEqual([{ name: 'Base' }]);
});

test('a controller of many states is bounded in size and time', async () => {
  const names = Array.from({ length: 400 }, (_, i) => `State ${i}`);
  const states = Object.fromEntries(
    names.map((name, i) => [name, { transitions: [{ to: names[(i * 7 + 1) % 400]!, exitTime: 0.5 }] }]),
  );
  const layers = [{ name: 'Base', machine: { default: names[0], states } }];
  const many = { format: 'maniple-controller', version: 1, name: 'many', parameters: {}, layers };
  const elapsed = stopwatch();
  const { said } = await draw(write('many.json', many));
  expect(said.bytes).toBeLessThan(4e6);
  expect(elapsed()).toBeLessThan(30_000);
});

test('names that would be markup are text', async () => {
  const layers = [{ name: '<script>&"', machine: { states: { ']]><b>': {} } } }];
  const odd = { format: 'maniple-controller', version: 1, name: '</svg>', parameters: {}, layers };
  const out = file('odd.svg');
  await answer(['graph', write('odd.json', odd), '--out', out]);
  const svg = parseSvg(readFileSync(out, 'utf8'));
  expect(textOf(svg)).toContain('<script>&"');
  expect(byClass(svg, 'state').length).toBe(1);
});

test('says to people what it drew; a picture that cannot be written is an error', async () => {
  const controller = write('people.json', Object.values(SIMULATE_CASES)[0]!.controller);
  const { code, stdout } = await maniple(['graph', controller, '--out', file('people.svg')]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/people\.svg: 1 layer, 0 parameters, [\d.]+ KiB\n/);
  const [first] = await refusal(['graph', controller, '--out', path.join(controller, 'x.svg')]);
  expect(first).toMatchObject({ code: 'FILE_UNWRITABLE' });
});
