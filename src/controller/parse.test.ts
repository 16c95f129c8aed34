import { describe, expect, test } from 'vitest';
import { Random } from '../../test/support/random.ts';
import { full, hasTurn, runSeed } from '../../test/support/setup.ts';
import { stopwatch } from '../../test/support/stopwatch.ts';
import { type Issue, ManipleError } from '../errors.ts';
import type { ControllerModel } from './model.ts';
import { controllerJson, parseController } from './parse.ts';

const base = { format: 'maniple-controller', version: 1, name: 'x', parameters: {}, layers: [] as unknown[] };
const small = { ...base, layers: [{ name: 'base', machine: { states: {} } }] };

/** A controller whose one machine is given. */
const withMachine = (machine: object, rest: object = {}) => ({ ...base, layers: [{ name: 'base', machine }], ...rest });
/** … whose one state plays a motion. */
const withMotion = (motion: unknown) => withMachine({ states: { A: { motion } } });

const record = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, value]));
const ways = (count: number, way: object = { to: 'A', exitTime: 1 }) => Array.from({ length: count }, () => way);

function issuesOf(json: unknown): readonly Issue[] {
  try {
    parseController(json);
  } catch (thrown) {
    if (thrown instanceof ManipleError) return thrown.issues;
    throw thrown;
  }
  return [];
}

/** `CODE place: message` of each. */
const lines = (json: unknown) => issuesOf(json).map(({ code, path, message }) => `${code} ${path}: ${message}`);

/** Uses every field of the form. */
const whole: ControllerModel = {
  format: 'maniple-controller',
  version: 1,
  name: 'soldier',
  parameters: {
    speed: { type: 'float', default: 1.5 },
    weapon: { type: 'int', default: -3 },
    dead: { type: 'bool', default: true },
    attack: { type: 'trigger', default: false },
    bare: { type: 'float' },
  },
  layers: [
    {
      name: 'base',
      machine: {
        default: 'Move',
        entry: [{ to: 'Dead', when: [{ parameter: 'dead', is: true }] }, { toMachine: 'Combat' }],
        states: {
          Move: {
            motion: {
              name: 'Locomotion',
              blend: '1d',
              parameter: 'speed',
              children: [
                { at: 0, motion: 'Idle', timeScale: -0.5, cycleOffset: 0.25, mirror: true },
                {
                  at: 1.5,
                  motion: { blend: 'freeformCartesian', parameters: ['speed', 'bare'], children: [{ at: [0, 1] }] },
                },
                { at: 4, motion: { blend: 'direct', normalized: true, children: [{ weightParameter: 'bare' }] } },
              ],
            },
            speed: -1,
            speedParameter: 'speed',
            timeParameter: 'bare',
            cycleOffset: 0.5,
            cycleOffsetParameter: 'speed',
            mirror: true,
            mirrorParameter: 'dead',
            transitions: [
              {
                to: 'Dead',
                when: [
                  { parameter: 'speed', greater: 1 },
                  { parameter: 'speed', less: 2.5 },
                  { parameter: 'weapon', equals: 3 },
                  { parameter: 'weapon', notEquals: 4 },
                  { parameter: 'weapon', atLeast: -1 },
                  { parameter: 'weapon', atMost: 1 },
                  { parameter: 'attack' },
                ],
                exitTime: 0.75,
                duration: 0.25,
                fixed: false,
                offset: 0.1,
                interruption: 'currentThenNext',
                ordered: false,
                toSelf: false,
              },
              { toExit: true, exitTime: 2 },
            ],
          },
          Dead: {},
        },
        machines: { Combat: { states: { Slash: { motion: 'Slash' } }, exits: [{ to: 'Move' }] } },
        any: [{ toMachine: 'Combat', when: [{ parameter: 'attack' }] }],
      },
    },
    {
      name: 'arms',
      blend: 'additive',
      weight: 0.5,
      weightParameter: 'speed',
      mask: { 'Hips/Spine/**': 1, Head: 0.5 },
      sync: { layer: 'base', timing: true, motions: { 'Combat.Slash': 'Cut' } },
    },
  ],
  clips: {
    Idle: {
      length: 2,
      loops: true,
      cycleOffset: 0.1,
      mirror: false,
      events: [{ name: 'step', time: 0.5, number: 1.5, integer: 7, text: 'left' }],
      reference: { clip: 'Rest', time: 0.5 },
    },
  },
  triggerScope: 'first',
  latchedExit: true,
  blendedEvents: 'heaviest',
};

describe.runIf(hasTurn(0))('a controller', () => {
  test('is read from a text, from bytes, with or without a byte order mark, and from a value', () => {
    const text = JSON.stringify(whole);
    for (const form of [text, `\uFEFF${text}`, new TextEncoder().encode(`\uFEFF${text}`), whole]) {
      expect(parseController(form)).toEqual(whole);
    }
  });

  test('is written to JSON that reads back, without its issues and short things in one line', () => {
    const issue: Issue = { code: 'UNITY_DANGLING', severity: 'warning', path: 'a', message: 'b' };
    const text = controllerJson({ ...whole, issues: [issue] });
    expect(parseController(text)).toEqual(whole);
    expect(JSON.parse(text)).toEqual(whole);
    const rows = text.split('\n');
    expect(rows.slice(0, 4)).toEqual([
      '{',
      '  "format": "maniple-controller",',
      '  "version": 1,',
      '  "name": "soldier",',
    ]);
    expect(rows).toContain('    "speed": { "type": "float", "default": 1.5 },');
    expect(rows.at(-1)).toBe('');
    expect(Math.max(...rows.map(({ length }) => length))).toBeLessThanOrEqual(101);
  });

  test('is not written when its form cannot say it', () => {
    const parameters = { speed: { type: 'float' as const, default: Number.NaN } };
    expect(() => controllerJson({ ...whole, parameters })).toThrow('CONTROLLER_INVALID at /parameters/speed/default');
  });

  test('keeps $schema out, and takes the name that is given where it has none', () => {
    const { name: _, ...nameless } = small;
    expect(parseController({ $schema: 'controller.schema.json', ...small })).toEqual(small);
    expect(parseController(nameless, 'knight')).toEqual({ ...small, name: 'knight' });
    expect(parseController(small, 'knight')).toEqual(small);
    expect(lines(nameless)).toEqual(['CONTROLLER_INVALID /name: Expected a string, got nothing.']);
    expect(lines({ ...small, $schema: 1 })).toEqual(['CONTROLLER_INVALID /$schema: Unknown field "$schema".']);
  });

  test('may use names that every object knows', () => {
    const text = `{"format":"maniple-controller","version":1,"name":"toString",
      "parameters":{"constructor":{"type":"float"}},
      "layers":[{"name":"base","machine":{"default":"valueOf","states":{"valueOf":{"speedParameter":"constructor"}}}}]}`;
    const model = parseController(text);
    expect(Object.keys(model.parameters)).toEqual(['constructor']);
    expect('hasOwnProperty' in model.parameters).toBe(false);
    expect('toString' in model.layers[0]!.machine!.states).toBe(false);
    expect(JSON.parse(controllerJson(model))).toEqual(JSON.parse(text));
    expect(lines(text.replace('"constructor":{', '"__proto__":{'))).toEqual([
      'CONTROLLER_INVALID /parameters/__proto__: The name "__proto__" cannot be in a controller.',
    ]);
    expect(({} as { type?: string }).type).toBeUndefined();
  });
});

describe.runIf(hasTurn(0))('what is refused', () => {
  test.each([
    ['', 'CONTROLLER_INVALID : Not valid JSON: '],
    ['{"format":', 'CONTROLLER_INVALID : Not valid JSON: '],
    ['%YAML 1.1\n--- !u!91', 'CONTROLLER_INVALID : Not valid JSON: '],
    [new Uint8Array([0x7b, 0xff]), 'CONTROLLER_INVALID : Not valid UTF-8.'],
    ['null', 'CONTROLLER_INVALID : Expected an object, got null.'],
    ['[]', 'CONTROLLER_INVALID : Expected an object, got an empty list.'],
    ['{}', 'CONTROLLER_INVALID /format: Expected "maniple-controller", got nothing.'],
    [{ ...small, format: 'Gltf' }, 'CONTROLLER_INVALID /format: Expected "maniple-controller", got "Gltf".'],
    [{ ...small, version: '1' }, 'CONTROLLER_INVALID /version: Expected 1, got "1".'],
    [{ ...small, version: 0 }, 'CONTROLLER_INVALID /version: Expected 1, got 0.'],
    [
      { ...small, version: 2, news: 1 },
      'CONTROLLER_VERSION /version: The form has version 2; this Maniple reads up to 1.',
    ],
  ])('only %j', (json, start) => {
    const found = lines(json);
    expect(found).toHaveLength(1);
    expect(found[0]!.slice(0, start.length)).toBe(start);
  });

  test('each wrong field with its place, what was expected and what was found, all in one error', () => {
    const json = {
      ...base,
      parameters: { a: { type: 'vector' }, b: { type: 'int', default: 1.5 }, c: { type: 'bool', default: 1 } },
      layers: [
        {
          name: 5,
          weight: 2,
          mask: { 'a/b~': -1 },
          machine: { states: { 'a/b~c': { speed: '1', sped: 1 }, 'A.B': {} }, machines: { C: [] } },
        },
      ],
      clips: { Idle: { length: -1, events: [{ time: 0 }] } },
      triggerScope: 'all',
    };
    expect(lines(json).sort()).toEqual(
      [
        '/parameters/a/type: Expected one of "float", "int", "bool", "trigger", got "vector".',
        '/parameters/b/default: Expected a whole number, got 1.5.',
        '/parameters/c/default: Expected true or false, got 1.',
        '/layers/0/name: Expected a string, got 5.',
        '/layers/0/weight: Expected a number up to 1, got 2.',
        '/layers/0/mask/a~1b~0: Expected a number of at least 0, got -1.',
        '/layers/0/machine/states/a~1b~0c/speed: Expected a number, got "1".',
        '/layers/0/machine/states/a~1b~0c/sped: Unknown field "sped".',
        '/layers/0/machine/states/A.B: Expected a name without dots, got "A.B".',
        '/layers/0/machine/machines/C: Expected an object, got an empty list.',
        '/clips/Idle/length: Expected a number of at least 0, got -1.',
        '/clips/Idle/events/0/name: Expected a string, got nothing.',
        '/triggerScope: Expected one of "each", "first", got "all".',
      ]
        .map((line) => `CONTROLLER_INVALID ${line}`)
        .sort(),
    );
    const unknown = issuesOf(json).find(({ path }) => path.endsWith('sped'));
    expect(unknown!.suggestion).toMatch(/^Fields: motion, speed, speedParameter, .*transitions\.$/);
  });

  test.each([
    [{ parameter: 'a', greater: 'x' }, '/greater: Expected a number, got "x".'],
    [{ parameter: 'a', above: 1 }, '/above: Unknown field "above".'],
    [{ parameter: 'a', is: 'yes' }, '/is: Expected true or false, got "yes".'],
    [{ greater: 1 }, '/parameter: Expected a string, got nothing.'],
    [{ parameter: 'a', less: 1, greater: 0 }, ': A condition has at most one comparison.'],
    ['a', ': Expected an object, got "a".'],
  ])('of a condition %j, what is wrong', (condition, rest) => {
    const found = lines(withMachine({ states: {}, any: [{ to: 'A', when: [condition] }] }));
    expect(found).toEqual([`CONTROLLER_INVALID /layers/0/machine/any/0/when/0${rest}`]);
  });

  test.each([
    [{ to: 'A', duration: 'long' }, ['/duration: Expected a number, got "long".']],
    [{ to: 'A', time: 1 }, ['/time: Unknown field "time".']],
    [{ duration: 1 }, [': Expected one of `to`, `toMachine` and `toExit`.']],
    [{ toExit: false }, ['/toExit: Expected true, got false.']],
    [{ to: 'A', toMachine: 'B' }, [': Expected one of `to`, `toMachine` and `toExit`.']],
  ])('of a transition %j, what is wrong', (transition, rest) => {
    const found = lines(withMachine({ states: {}, any: [transition] }));
    expect(found).toEqual(rest.map((line) => `CONTROLLER_INVALID /layers/0/machine/any/0${line}`));
  });

  test.each([
    [7, ': Expected a string or an object, got 7.'],
    [
      { blend: '3d' },
      '/blend: Expected one of "1d", "directional", "freeformDirectional", "freeformCartesian", "direct", got "3d".',
    ],
    [{ blend: '1d', parameter: 'a', children: [{ motion: 'b' }] }, '/children/0/at: Expected a number, got nothing.'],
    [
      { blend: 'directional', parameters: ['a'], children: [] },
      '/parameters: Expected a list of two, got a list of 1.',
    ],
    [
      { blend: 'directional', parameters: ['a', 'b'], children: [{ at: [0, 0, 0] }] },
      '/children/0/at: Expected a list of two, got a list of 3.',
    ],
    [{ blend: 'direct', children: [{ motion: { blend: 'x' } }] }, '/children/0/motion/blend: '],
  ])('of a motion %j, what is wrong', (motion, rest) => {
    const [found] = lines(withMotion(motion));
    const expected = `CONTROLLER_INVALID /layers/0/machine/states/A/motion${rest}`;
    expect(found!.slice(0, expected.length)).toBe(expected);
  });

  test('a layer with a machine of its own and of another, or with none', () => {
    const sync = { layer: 'base', motions: {} };
    const message = 'A layer has either `machine` or `sync`.';
    expect(lines({ ...base, layers: [{ name: 'a', machine: { states: {} }, sync }] })).toEqual([
      `CONTROLLER_INVALID /layers/0: ${message}`,
    ]);
    expect(lines({ ...base, layers: [{ name: 'a' }] })).toEqual([`CONTROLLER_INVALID /layers/0: ${message}`]);
    expect(lines(base)).toEqual(['CONTROLLER_INVALID /layers: Expected at least one, got an empty list.']);
  });

  test('a duplicate name, which would lose its first meaning', () => {
    const text = `{"format":"maniple-controller","version":1,"name":"x","parameters":{},
      "layers":[{"name":"a","machine":{"states":{"Run":{},"Idle":{},"R\\u0075n":{}}}}]}`;
    expect(lines(text)).toEqual(['CONTROLLER_INVALID /layers/0/machine/states/Run: Duplicate name "Run".']);
    const quotes = `{"format":"maniple-controller","version":1,"name":"\\"a\\":{[,","parameters":{"\\\\":{"type":"int"}},
      "layers":[{"name":"a","machine":{"states":{}}},{"name":"a","machine":{"states":{}}}]}`;
    expect(lines(quotes)).toEqual([]);
  });

  test('numbers that are not finite 32-bit floats', () => {
    const text = JSON.stringify(withMachine({ states: { A: { speed: 0 } } })).replace('"speed":0', '"speed":1e999');
    expect(lines(text)).toEqual([
      'CONTROLLER_INVALID /layers/0/machine/states/A/speed: The number Infinity cannot be in a controller.',
    ]);
    expect(lines(withMachine({ states: { A: { speed: 4e38 } } }))).toEqual([
      'CONTROLLER_INVALID /layers/0/machine/states/A/speed: The number 4e+38 cannot be in a controller.',
    ]);
    expect(lines(withMachine({ states: { A: { speed: Number.NaN } } }))).toHaveLength(1);
  });

  test('values that JSON does not have', () => {
    expect(lines({ ...small, clips: new Map() })).toEqual([
      'CONTROLLER_INVALID /clips: A Map cannot be in a controller.',
    ]);
    expect(lines({ ...small, name: () => 'x' })).toEqual([
      'CONTROLLER_INVALID /name: A function cannot be in a controller.',
    ]);
    expect(lines({ ...small, clips: undefined })).toEqual([]);
  });

  test('more than a hundred problems: the first hundred, and how many more there are', () => {
    const any = Array.from({ length: 250 }, () => 0);
    const issues = issuesOf(withMachine({ states: {}, any }));
    expect(issues).toHaveLength(101);
    expect(issues[100]).toEqual({
      code: 'CONTROLLER_INVALID',
      severity: 'info',
      path: '',
      message: '150 more problems.',
    });
  });
});

describe.runIf(hasTurn(0))('limits', () => {
  /** So many machines inside each other, the outermost counted. */
  const nested = (levels: number): object =>
    levels === 1 ? { states: {} } : { states: {}, machines: { M: nested(levels - 1) } };
  const tree = (levels: number): unknown =>
    levels === 0 ? 'Idle' : { blend: '1d', parameter: 'a', children: [{ at: 0, motion: tree(levels - 1) }] };
  const children = (count: number) => Array.from({ length: count }, () => ({ weightParameter: 'a' }));
  const conditions = (count: number) => [{ to: 'A', when: ways(count, { parameter: 'a' }) }];
  const path = '/layers/0/machine'.padEnd(17 + 16 * 11, '/machines/M');

  test.each<[string, (count: number) => unknown, number, string]>([
    ['parameters', (n) => ({ ...small, parameters: record(n, { type: 'int' }) }), 1024, '/parameters'],
    ['layers', (n) => ({ ...base, layers: Array.from({ length: n }, () => small.layers[0]) }), 32, '/layers'],
    [
      'states',
      (n) => withMachine({ states: { A: {} }, machines: { B: { states: record(n - 1, {}) } } }),
      4096,
      '/layers',
    ],
    ['names', (n) => withMachine({ states: record(n, {}) }), 4096, '/layers/0/machine/states'],
    ['transitions', (n) => withMachine({ states: {}, any: ways(n) }), 65_534, '/layers'],
    ['conditions', (n) => withMachine({ states: {}, any: conditions(n) }), 255, '/layers/0/machine/any/0/when'],
    ['machines', (n) => withMachine(nested(n)), 16, path],
    ['trees', (n) => withMotion(tree(n)), 4, `/layers/0/machine/states/A/motion${'/children/0/motion'.repeat(4)}`],
    [
      'children',
      (n) => withMotion({ blend: 'direct', children: children(n) }),
      16,
      '/layers/0/machine/states/A/motion/children',
    ],
    ['a name', (n) => ({ ...small, name: 'x'.repeat(n) }), 256, '/name'],
    ['clips', (n) => ({ ...small, clips: record(n, {}) }), 4096, '/clips'],
    ['joints', (n) => ({ ...base, layers: [{ ...small.layers[0], mask: record(n, 1) }] }), 4096, '/layers/0/mask'],
  ])('of %s hold, and one more is refused', (_, make, limit, place) => {
    expect(lines(make(limit))).toEqual([]);
    const issues = issuesOf(make(limit + 1));
    expect(issues.map(({ code, path: at }) => `${code} ${at}`)).toEqual([`CONTROLLER_LIMIT ${place}`]);
    expect(issues[0]!.message).toMatch(new RegExp(`^${limit + 1} .*the limit is ${limit}\\.$`));
  });
});

describe.runIf(hasTurn(0))('hostile input', () => {
  const coded = (json: unknown, code: string) => {
    const elapsed = stopwatch();
    expect(issuesOf(json).map((issue) => issue.code)).toContain(code);
    expect(elapsed()).toBeLessThan(full ? 10_000 : 3_000);
  };

  test('texts that are large or deep', () => {
    coded('['.repeat(5_000_000), 'CONTROLLER_LIMIT');
    coded('{"a":'.repeat(1_000_000), 'CONTROLLER_LIMIT');
    coded('{"format":"maniple-controller","version":1,"name":"'.padEnd(16 * 2 ** 20 + 1), 'CONTROLLER_LIMIT');
    coded(new Uint8Array(16 * 2 ** 20 + 1), 'CONTROLLER_LIMIT');
    coded(`[${'0,'.repeat(2 ** 21)}0]`, 'CONTROLLER_LIMIT');
    coded(`"${'\\'.repeat(2 ** 20)}`, 'CONTROLLER_INVALID');
  });

  test('values in circles, lists without an end, and one object many times', () => {
    const circle: Record<string, unknown> = { ...small };
    circle.clips = circle;
    coded(circle, 'CONTROLLER_LIMIT');
    const endless: unknown[] = [];
    endless.length = 2 ** 32 - 1;
    coded({ ...small, layers: endless }, 'CONTROLLER_LIMIT');
    let doubled: unknown = {};
    for (let i = 0; i < 60; i++) doubled = { a: doubled, b: doubled };
    coded({ ...small, clips: doubled }, 'CONTROLLER_LIMIT');
  });

  test('as many problems as fit', () => {
    const zeros = (count: number) => Array.from({ length: count }, () => 0);
    // short runs have fewer, far more than are listed; of clips' events fewer would pass no limit of memory
    const some = (count: number) => (full ? count : Math.floor(count / 8));
    const wrong = { to: 1, when: Array.from({ length: 255 }, () => ({ parameter: 0, greater: '' })) };
    coded(withMachine({ states: {}, any: zeros(some(2 ** 20 - 100)) }), 'CONTROLLER_INVALID');
    coded(withMachine({ states: {}, any: ways(some(1300), wrong) }), 'CONTROLLER_INVALID');
    coded(withMachine({ states: {}, any: ways(42, wrong) }), 'CONTROLLER_INVALID');
    coded({ ...small, clips: record(250, { events: zeros(4000) }) }, 'CONTROLLER_INVALID');
    coded(withMachine({ states: {}, machines: record(some(250), { states: record(4096, 0) }) }), 'CONTROLLER_INVALID');
  });

  test('damaged texts: a controller or coded issues', () => {
    const random = new Random(runSeed);
    const text = controllerJson(whole);
    const pieces = ['{', '}', '[', ']', '"', ',', ':', '\\', '0', '-1e9', 'null', 'true', '"to"', '\u0000', '{"a":[]}'];
    for (let round = 0; round < (full ? 2000 : 600); round++) {
      const at = random.integer(0, text.length);
      const piece = pieces[random.integer(0, pieces.length - 1)]!;
      const damaged = text.slice(0, at) + piece + text.slice(at + random.integer(0, 4));
      for (const { code, severity } of issuesOf(damaged)) {
        expect(severity).toBe('error');
        expect(['CONTROLLER_INVALID', 'CONTROLLER_VERSION', 'CONTROLLER_LIMIT']).toContain(code);
      }
      if (round % 20 === 0) expect(issuesOf(text.slice(0, Math.max(0, at - 3)))).not.toEqual([]);
    }
  });
});
