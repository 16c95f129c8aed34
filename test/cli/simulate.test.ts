// `maniple simulate` on the CPU: what it answers, whose clips play, and what it refuses.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ControllerModel } from '../../src/controller/model.ts';
import { unity } from '../import/unity-yaml.ts';
import { hasTurn, noShared, shared } from '../support/setup.ts';
import { parseSvg, textOf } from '../support/svg.ts';
import { answer, legionary, maniple, refusal } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectClose, expectSteps, runCase } from './run-case.ts';
import { type LayerAnswer, SIMULATE_CASES, type SimulateAnswer } from './simulate-cases.ts';

const folder = temporaryFolder();
const file = (name: string): string => path.join(folder, name);
const write = (name: string, content: unknown): string => {
  writeFileSync(file(name), typeof content === 'string' ? content : JSON.stringify(content));
  return file(name);
};
/** Packing is what takes time, and finding how little will do most of it. */
const QUICKLY = ['--error-budget', '0'];
const onCpu = (controller: string, script: string, ...more: string[]): string[] => [
  'simulate',
  controller,
  '--script',
  script,
  '--backend',
  'cpu',
  ...more,
];

describe.runIf(hasTurn(1))('simulate answers what was computed by hand', () => {
  test.concurrent.each(Object.entries(SIMULATE_CASES))('%s', async (name, one) => {
    const got = await runCase(file(name.replace(/\W+/g, '-')), one);
    expectSteps(got, one);
    const missing = got.issues.filter(({ code }) => code === 'CONTROLLER_CLIP_MISSING');
    expect(missing.map((issue) => issue.path)).toEqual(name.includes('missing') ? ['clips/missing'] : []);
    expect(got.issues).toHaveLength(missing.length);
  });
});

const WALKER: ControllerModel = {
  format: 'maniple-controller',
  version: 1,
  name: 'walker',
  parameters: { go: { type: 'trigger' }, speed: { type: 'float' }, count: { type: 'int' } },
  layers: [
    {
      name: 'Body',
      machine: {
        default: 'Idle',
        states: {
          Idle: { motion: 'idle', transitions: [{ to: 'Walk', when: [{ parameter: 'go' }], duration: 0.2 }] },
          Walk: { motion: 'walk' },
        },
      },
    },
    {
      name: 'Arms',
      mask: { 'spine_1/**': 1 },
      machine: { default: 'Off', states: { Off: {}, On: { motion: 'nod' } } },
    },
  ],
};

describe.runIf(hasTurn(1))('the character that plays the clips', () => {
  const clock = ({ cycles, phase }: LayerAnswer): number => cycles + phase;

  test('those of a character, by name: from glTF and baked the same', async () => {
    const controller = write('walker.json', WALKER);
    const script = write('walk.json', [{ dt: 0.7 }, { dt: 0.1, trigger: ['go'] }, { dt: 0.8 }]);
    const baked = file('legionary.maniple');
    expect(await maniple(['bake', legionary, '--out', baked, ...QUICKLY])).toMatchObject({ code: 0 });
    const got = await answer<SimulateAnswer>(onCpu(controller, script, '--character', legionary, ...QUICKLY));
    // idle takes 2.8 s, walk 0.9333 s
    expectClose(
      got.steps.map(({ layers }) => [clock(layers[0]!), layers[0]!.progress]),
      [
        [0.25, 0],
        [0.8 / 2.8, 0.5],
        [0.9 / (14 / 15), 0],
      ],
      'clocks',
    );
    expect(got.issues).toMatchObject([{ code: 'CONTROLLER_CLIP_MISSING', path: 'clips/nod' }]);
    const again = await answer<SimulateAnswer>(onCpu(controller, script, '--character', baked));
    expect(again.steps).toEqual(got.steps);
    // nobody's clips: each takes a second; masks then name no joints, and need not
    const alone = await answer<SimulateAnswer>(onCpu(controller, script));
    expectClose(clock(alone.steps[0]!.layers[0]!), 0.7, 'clock');
    expect(alone.issues.map((issue) => issue.path)).toEqual(['clips/idle', 'clips/walk', 'clips/nod']);
  });

  describe.skipIf(noShared())('those that a map names', () => {
    const knight = path.join(shared, 'assets/characters/kaykit-knight.glb');
    const [mole, curves, chop, none] = ['0a', '0b', '0c', '0d'].map((end) => end.padStart(32, 'f'));
    let controller = '';
    let script = '';

    beforeAll(() => {
      const motion = (guid: string | undefined, fileID = 7400000) => `{fileID: ${fileID}, guid: ${guid}, type: 2}`;
      const states = [mole, curves, chop, none].map((guid, i) =>
        unity.state(10 + i, ['Mole', 'Curves', 'Chop', 'None'][i]!, { motion: motion(guid, i === 2 ? -12 : 7400000) }),
      );
      const machine = unity.machine(2, 'Base', { states: [10, 11, 12, 13], start: 10 });
      controller = write(
        'made.controller',
        unity.text(unity.controller([{ name: 'Base', machine: 2 }]), machine, ...states),
      );
      const play = (state: string, phase: number, dt: number) => ({ dt, play: { state, phase } });
      script = write('each.json', [
        { dt: 0.25 },
        play('Curves', 0, 0.75),
        play('Chop', 0, 0.5),
        play('None', 0.5, 0.25),
      ]);
      write('map.json', {
        [mole!]: path.join(shared, 'unity/openkcc-IdleAnimMole.anim'),
        [curves!]: path.relative(folder, path.join(shared, 'unity/synthetic-all-curves.anim')),
        [`${chop}:-12`]: `${knight}#1H_Melee_Attack_Stab`,
      });
    });

    const motionsOf = ({ steps }: SimulateAnswer) => steps.map(({ layers }) => layers[0]!.motions);
    const EXPECTED = [
      [{ clip: 'IdleAnimMole', phase: 0.25, weight: 1 }],
      // of the file: its cycle offset is a quarter
      [{ clip: 'synthetic-all-curves', phase: 0, weight: 1 }],
      // 1.6 s
      [{ clip: '1H_Melee_Attack_Stab', phase: 0.3125, weight: 1 }],
      [{ clip: `${none}:7400000`, phase: 0.75, weight: 1 }],
    ];

    test('bound to a character by the names of joints', async () => {
      const args = onCpu(controller, script, '--clips', file('map.json'), '--character', knight, ...QUICKLY);
      const got = await answer<SimulateAnswer>(args);
      expectClose(motionsOf(got), EXPECTED, 'motions');
      expect(got.steps[1]!.events.map(({ name }) => name)).toEqual(['FootR', 'FootL']);
      // the knight has upperarm.l, upperarm.r and head, and nothing of the other clip
      const unmatched = got.issues.filter(({ code }) => code === 'CLIP_JOINTS_UNMATCHED');
      expect(unmatched.map((issue) => issue.path)).toEqual(['synthetic-all-curves']);
      const missing = got.issues.filter(({ code }) => code === 'CONTROLLER_CLIP_MISSING');
      expect(missing.map((issue) => issue.path)).toEqual([`clips/${none}:7400000`]);
    });

    test('known by length, loop and events without one', async () => {
      const got = await answer<SimulateAnswer>(onCpu(controller, script, '--clips', file('map.json')));
      expectClose(motionsOf(got), EXPECTED, 'motions');
      expect(got.steps[1]!.events.map(({ name }) => name)).toEqual(['FootR', 'FootL']);
    });

    test('and by reference in the JSON form, of any author', async () => {
      const converted = file('made.json');
      await answer(['convert', controller, '--out', converted]);
      const got = await answer<SimulateAnswer>(onCpu(converted, script, '--clips', file('map.json')));
      const named = EXPECTED.map(([motion], i) => ({
        ...motion!,
        clip: `${[mole, curves, chop, none][i]}:${i === 2 ? -12 : 7400000}`,
      }));
      expectClose(
        motionsOf(got),
        named.map((motion) => [motion]),
        'motions',
      );
      expect(got.issues.filter(({ code }) => code === 'CONTROLLER_CLIP_MISSING')).toHaveLength(1);
    });
  });

  test('a clip of the controller file and one of the map that have one name are two', async () => {
    const anim = (name: string, stop: number): string =>
      unity.object(
        74,
        7400000,
        'AnimationClip',
        `m_Name: ${name}\nm_AnimationClipSettings:\n  m_StopTime: ${stop}\n  m_LoopTime: 1`,
      );
    write('walk.anim', unity.text(anim('Walk', 4)));
    const guid = '1'.repeat(32);
    write('two.json', { [guid]: 'walk.anim' });
    const controller = write(
      'two.controller',
      unity.text(
        unity.controller([{ name: 'Base', machine: 2 }]),
        unity.machine(2, 'Base', { states: [10, 11], start: 10 }),
        unity.state(10, 'Own', { motion: '{fileID: 7400000}' }),
        unity.state(11, 'Other', { motion: `{fileID: 7400000, guid: ${guid}, type: 2}` }),
        anim('Walk', 2),
      ),
    );
    const script = write('two-steps.json', [{ dt: 1 }, { dt: 1, play: { state: 'Other' } }]);
    const { steps } = await answer<SimulateAnswer>(onCpu(controller, script, '--clips', file('two.json')));
    expectClose(
      steps.map(({ layers }) => layers[0]!.motions),
      [[{ clip: 'Walk', phase: 0.5, weight: 1 }], [{ clip: 'Walk 2', phase: 0.25, weight: 1 }]],
      'motions',
    );
  });

  test('an override controller, with a base controller that the map names', async () => {
    const [base, from, to] = ['2', '3', '4'].map((digit) => digit.repeat(32));
    write(
      'base.controller',
      unity.text(
        unity.controller([{ name: 'Base', machine: 2 }], { go: 9 }),
        unity.machine(2, 'Base', { states: [10], start: 10 }),
        unity.state(10, 'Only', { motion: `{fileID: 7400000, guid: ${from}, type: 2}`, transitions: [20] }),
        unity.transition(20, { to: 10, when: [[1, 'go']] }),
      ),
    );
    const fields = `m_Name: Orc\nm_Controller: {fileID: 9100000, guid: ${base}, type: 2}\nm_Clips:\n- m_OriginalClip: {fileID: 7400000, guid: ${from}, type: 2}\n  m_OverrideClip: {fileID: 7400000, guid: ${to}, type: 2}`;
    const orc = write(
      'orc.overrideController',
      unity.text(unity.object(221, 22100000, 'AnimatorOverrideController', fields)),
    );
    const script = write('one.json', [{ dt: 0.25 }]);
    const map = write('orc.json', { [base!]: 'base.controller' });
    const { steps } = await answer<SimulateAnswer>(onCpu(orc, script, '--clips', map));
    expect(steps[0]!.layers[0]!.motions).toMatchObject([{ clip: `${to}:7400000`, phase: 0.25, weight: 1 }]);
    const [first] = await refusal(onCpu(orc, script));
    expect(first).toMatchObject({ code: 'UNITY_DANGLING', path: orc, suggestion: expect.stringContaining(base!) });
  });
});

describe.runIf(hasTurn(1))('where the answer goes', () => {
  test('--out and --plot write files; a table otherwise', async () => {
    const controller = write(
      'said.json',
      SIMULATE_CASES['exit time, fixed duration, events of both sides']!.controller,
    );
    const script = write('said-steps.json', [{ dt: 1 }, { dt: 0.75 }]);
    const [out, plot] = [file('new/out.json'), file('new/plot.svg')];
    const said = await answer(onCpu(controller, script, '--out', out, '--plot', plot));
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(said);
    expect(textOf(parseSvg(readFileSync(plot, 'utf8')))).toMatch(/2 steps, 1\.75 s 0\.0 s.*Base state A A → B B/);
    const { stdout, stderr, code } = await maniple(onCpu(controller, script));
    expect([code, stderr]).toEqual([0, '']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ['time', 'layer', 'state', 'clock', 'transition', 'clips', 'events'],
      ['1.000', 'Base', 'A', '0.500', 'a 1.00', 'half'],
      ['1.750', 'Base', 'A', '0.875', '→ B 50 %', 'a 0.50, b 0.50', 'quarter'],
      ['2 steps, 1.750 s'],
    ]);
  });

  test('no steps are an answer too', async () => {
    const controller = write('none.json', WALKER);
    const script = write('none-steps.json', []);
    expect((await answer<SimulateAnswer>(onCpu(controller, script))).steps).toEqual([]);
    expect((await maniple(onCpu(controller, script, '--plot', file('none.svg')))).code).toBe(0);
    expect((await maniple(onCpu(controller, script))).stdout).toMatch(/0 steps, 0\.000 s/);
  });

  test('events beyond four of one in a step are reported', async () => {
    const { controller } = SIMULATE_CASES['exit time, fixed duration, events of both sides']!;
    const still = { ...controller.layers[0]!, machine: { default: 'B', states: { B: { motion: 'b' } } } };
    const got = await answer<SimulateAnswer>(
      onCpu(
        write('many.json', { ...controller, layers: [still], clips: { b: controller.clips!.b! } }),
        write('many-steps.json', [{ dt: 0.5 }, { dt: 6 }]),
      ),
    );
    expect(got.steps[1]!.events.map(({ name, time }) => `${name} ${time}`)).toEqual(
      [0.75, 1.75, 2.75, 3.75].map((time) => `quarter ${time}`),
    );
    expect(got.issues).toMatchObject([
      { code: 'CROWD_LIMIT', path: 'steps/1', message: expect.stringMatching(/^2 events/) },
    ]);
  });
});

describe.runIf(hasTurn(1))('scripts that are wrong', () => {
  const places = async (script: unknown, code: number): Promise<string[]> => {
    const steps = write('wrong-steps.json', script);
    const errors = await refusal(onCpu(write('wrong.json', WALKER), steps), { code });
    return errors.map((issue) => `${issue.code} ${issue.path.replace(steps, '')}: ${issue.message}`);
  };

  test('fields: bad usage, each with its place', async () => {
    const script = [
      { dt: -1, set: { speed: '1', 'a/b': 1e39 }, wait: 1 },
      {},
      7,
      { dt: 1, play: { state: 3, at: 1 }, trigger: 'go', reset: [1] },
      { dt: 1, crossFade: { duration: -1, fixed: 0, layer: -1 } },
    ];
    expect(await places(script, 2)).toEqual([
      'USAGE :/0/dt: Expected a number from 0 to 1000000, got -1.',
      'USAGE :/0/set/speed: Expected a 32-bit number, true or false, got "1".',
      'USAGE :/0/set/a~1b: Expected a 32-bit number, true or false, got 1e+39.',
      'USAGE :/0/wait: Unknown field "wait". Fields: dt, set, trigger, reset, play, crossFade.',
      'USAGE :/1/dt: Expected a number from 0 to 1000000, got nothing.',
      'USAGE :/2: Expected an object, got 7.',
      'USAGE :/3/play/state: Expected a string, got 3.',
      'USAGE :/3/play/at: Unknown field "at". Fields: state, layer, phase.',
      'USAGE :/3/trigger: Expected a list, got "go".',
      'USAGE :/3/reset/0: Expected a string, got 1.',
      'USAGE :/4/crossFade/duration: Expected a number from 0 to 1000000, got -1.',
      'USAGE :/4/crossFade/fixed: Expected true or false, got 0.',
      "USAGE :/4/crossFade/layer: Expected a layer's name or index, got -1.",
      'USAGE :/4/crossFade/state: Expected a string, got nothing.',
    ]);
  });

  test('names that the controller lacks, by step, with those that there are', async () => {
    const script = [
      { dt: 1, set: { pace: 1 }, trigger: ['speed'], reset: ['jump'] },
      { dt: 1, play: { state: 'Run' }, crossFade: { state: 'Walk', layer: 'Legs' } },
      { dt: 1, play: { state: 'Walk', layer: 1 }, crossFade: { state: 'Walk', layer: 2 } },
    ];
    expect(await places(script, 1)).toEqual([
      'CONTROLLER_NAME_UNKNOWN :/0/set/pace: The controller has no parameter "pace".',
      'CONTROLLER_NAME_UNKNOWN :/0/trigger/0: "speed" is a parameter of type float, not a trigger.',
      'CONTROLLER_NAME_UNKNOWN :/0/reset/0: The controller has no trigger "jump".',
      'CONTROLLER_NAME_UNKNOWN :/1/play/state: The layer "Body" has no state "Run".',
      'CONTROLLER_NAME_UNKNOWN :/1/crossFade/layer: The controller has no layer "Legs".',
      'CONTROLLER_NAME_UNKNOWN :/2/play/state: The layer "Arms" has no state "Walk".',
      'CONTROLLER_NAME_UNKNOWN :/2/crossFade/layer: The controller has no layer 2.',
    ]);
    const [first] = await refusal(onCpu(file('wrong.json'), file('wrong-steps.json')));
    expect(first!.suggestion).toBe('It has "go", "speed", "count".');
  });

  test('numbers outside the range of int, texts that are not scripts', async () => {
    expect(await places([{ dt: 1, set: { count: 3e9 } }], 2)).toEqual([
      'USAGE :/0/set/count: Expected an int within ±2³¹, got 3000000000.',
    ]);
    expect(await places('[{"dt": 1', 2)).toEqual([expect.stringMatching(/^USAGE : Not valid JSON: /)]);
    expect(await places({ dt: 1 }, 2)).toEqual(['USAGE : Expected a list, got an object.']);
    expect(await places('['.repeat(1e6), 2)).toEqual([expect.stringMatching(/^USAGE : Not valid JSON: /)]);
  });

  test('the ends of every range come out as numbers', async () => {
    const script = [
      { dt: 1e6, set: { speed: 3.4e38, count: -2147483647 } },
      { dt: 1e6, play: { state: 'Walk', phase: -1e6 } },
      { dt: 1e-30, crossFade: { state: 'Idle', duration: 1e6, offset: 1e6 } },
      { dt: 0, crossFade: { state: 'Walk', duration: 0, fixed: false, offset: -0.5 } },
    ];
    const { steps } = await answer<SimulateAnswer>(onCpu(write('ends.json', WALKER), write('ends-steps.json', script)));
    for (const { layers, parameters } of steps) {
      expect(parameters.count).toBe(-2147483647);
      for (const { cycles, phase, progress } of layers) {
        expect(Number.isInteger(cycles)).toBe(true);
        expect(phase >= 0 && phase < 1 && progress >= 0 && progress <= 1).toBe(true);
      }
    }
  });
});
