import { expect, test } from 'vitest';
import { PLAYCANVAS_CASES } from '../../../test/controller/playcanvas-cases.ts';
import { Random } from '../../../test/support/random.ts';
import { full, runSeed, testInTurn } from '../../../test/support/setup.ts';
import { stopwatch } from '../../../test/support/stopwatch.ts';
import { compileController } from '../../controller/compile.ts';
import { ISSUE_CODES, ManipleError } from '../../errors.ts';
import { importPlayCanvasGraph } from './import-graph.ts';

type Node = Record<string, unknown>;

const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e300,
  NaN,
  '',
  'START',
  'END',
  'ANY',
  'A',
  '__proto__',
  'constructor',
  [],
  {},
  [[[]]],
  { children: [{}] },
];

/** Every object and array in a value, with their keys. */
function placesIn(value: unknown, found: [node: Node, key: string][] = []): [node: Node, key: string][] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, item] of Object.entries(value)) {
    found.push([value as Node, key]);
    placesIn(item, found);
  }
  return found;
}

test('graphs with junk in them are imported and compile, or are refused with coded issues', () => {
  const random = new Random(runSeed);
  let imported = 0;
  const rounds = full ? 3000 : 1000;
  for (let round = 0; round < rounds; round++) {
    const graph = structuredClone(PLAYCANVAS_CASES[random.integer(0, PLAYCANVAS_CASES.length - 1)]!.graph);
    for (let edits = random.integer(1, 3); edits > 0; edits--) {
      const places = placesIn(graph);
      if (places.length === 0) break;
      const [node, key] = places[random.integer(0, places.length - 1)]!;
      if (random.integer(0, 4) === 0) delete node[key];
      else node[key] = structuredClone(JUNK[random.integer(0, JUNK.length - 1)]);
    }
    try {
      compileController(importPlayCanvasGraph(graph, { name: 'junk' }));
      imported++;
    } catch (thrown) {
      expect(thrown, `seed ${runSeed}, round ${round}: ${JSON.stringify(graph)}`).toBeInstanceOf(ManipleError);
      const { issues } = thrown as ManipleError;
      for (const { code, message } of issues) {
        expect(ISSUE_CODES).toContain(code);
        // whatever is wrong is wrong with the graph, and found before there is a controller
        expect(code, message).toMatch(/^PLAYCANVAS_|CONTROLLER_LIMIT/);
      }
    }
  }
  expect(imported).toBeGreaterThan(rounds / 30);
});

test('names that objects inherit are names', () => {
  const graph = JSON.parse(`{
    "layers": [{ "name": "constructor", "states": [{ "name": "START" }, { "name": "__proto__" }],
      "transitions": [{ "from": "START", "to": "__proto__" }] }],
    "parameters": { "0": { "name": "__proto__", "type": "FLOAT", "value": 2 } }
  }`) as unknown;
  const model = importPlayCanvasGraph(graph, { name: 'names' });
  expect(Object.entries(model.parameters)).toEqual([['__proto__', { type: 'float', default: 2 }]]);
  expect(Object.keys(model.layers[0]!.machine!.states)).toEqual(['__proto__']);
  expect(Object.keys(model.clips!)).toEqual(['__proto__']);
  expect(({} as Node).type).toBeUndefined();
});

testInTurn(0)('the largest graph takes seconds, whatever is compared with whatever', () => {
  const states = Array.from({ length: 4000 }, (_, index) => ({ name: `S${index}` }));
  const transitions = Array.from({ length: 60_000 }, (_, index) => ({
    from: index % 2 === 0 ? 'ANY' : `S${index % 4000}`,
    to: `S${(index * 7) % 4000}`,
    time: index % 3,
    interruptionSource: ['NONE', 'PREV_STATE', 'NEXT_STATE_PREV_STATE'][index % 3],
    conditions: [{ parameterName: 'v', predicate: 'EQUAL_TO', value: index }],
  }));
  const graph = {
    layers: [
      {
        name: 'Base',
        states: [{ name: 'START' }, { name: 'ANY' }, ...states],
        transitions: [{ from: 'START', to: 'S0' }, ...transitions],
      },
    ],
    parameters: { 0: { name: 'v', type: 'FLOAT' } },
  };
  const elapsed = stopwatch();
  const { issues } = importPlayCanvasGraph(graph, { name: 'large' });
  expect(elapsed()).toBeLessThan(5000);
  expect(issues!.length).toBeLessThan(200);
});
