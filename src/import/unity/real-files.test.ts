import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countController } from '../../../test/import/count-controller.ts';
import { sampleTrack } from '../../../test/import/unity-yaml.ts';
import { full, noShared, runSeed, shared } from '../../../test/support/setup.ts';
import { Random } from '../../../test/support/random.ts';
import { stopwatch } from '../../../test/support/stopwatch.ts';
import type { MotionModel, TransitionModel } from '../../controller/model.ts';
import { type Issue, ManipleError } from '../../errors.ts';
import { importUnityClip } from './clip.ts';
import { importUnityController } from './controller.ts';

const read = (file: string) => readFileSync(path.join(shared, 'unity', file), 'utf8');
const codes = (issues: readonly Issue[] = []) => issues.map(({ code, path }) => `${code} ${path}`);

describe.skipIf(noShared())('controllers of real projects', () => {
  it('aao-GestureIntOrBool: six layers, int conditions, sub-machines, muted and solo transitions', () => {
    const { controller } = importUnityController(read('aao-GestureIntOrBool.controller'));
    // one of 37 states is an orphan; of 36 transitions three are muted
    expect(countController(controller)).toMatchObject({ states: 36, machines: 12, transitions: 33, entries: 18 });
    expect(controller.layers.map(({ name }) => name)).toEqual([
      'Base Layer',
      'New Layer',
      'New Layer 1',
      'IntCondition',
      'BoolCondition',
      'FloatCondition',
    ]);
    expect(controller.layers.map(({ weight }) => weight)).toEqual([undefined, undefined, undefined, 0, 0, 0]);
    expect(controller.parameters).toEqual({
      GestureLeft: { type: 'int' },
      AFK: { type: 'bool' },
      'New Float': { type: 'float' },
    });
    const base = controller.layers[0]!.machine!;
    expect(base.entry).toHaveLength(7);
    expect(base.entry![0]!.when).toEqual([{ parameter: 'GestureLeft', equals: 1 }]);
    const { machines } = controller.layers[3]!.machine!;
    expect(Object.keys(machines!)).toEqual(['New StateMachine', 'MuteSoroTest']);
    // one transition is solo, the other muted
    const solo = machines!.MuteSoroTest!.states['New State']!.transitions!;
    expect(solo.map(({ to }) => to)).toEqual(['MuteSoroTest.New State 0']);
    expect(controller.issues).toEqual([]);
  });

  it('aao-LinearStyleEntryExit: the smallest loop through exit and entry', () => {
    const { controller } = importUnityController(read('aao-LinearStyleEntryExit.controller'));
    expect(controller.layers).toEqual([
      {
        name: 'Base Layer',
        machine: {
          default: 'On State',
          states: {
            'On State': {
              motion: 'fe11558629cec4fceb6b71a77bb97875:7400000',
              transitions: [{ to: 'Off State', when: [{ parameter: 'Toggle', is: false }] }],
            },
            'Off State': {
              motion: 'bcc11ba892b574b2f84886d979cb5799:7400000',
              transitions: [{ toExit: true, when: [{ parameter: 'Toggle' }] }],
            },
          },
        },
      },
    ]);
    expect(controller.issues).toEqual([]);
  });

  it('aao-RIS-Test: Any State in five of seven layers, scripts, Write Defaults off', () => {
    const { controller } = importUnityController(read('aao-RIS-Test.controller'));
    expect(controller.layers).toHaveLength(7);
    expect(countController(controller)).toEqual({
      states: 16,
      machines: 7,
      transitions: 15,
      entries: 0,
      trees: 0,
      clips: 15,
    });
    expect(controller.layers[0]!.machine).toEqual({ states: {} });
    const any = controller.layers.flatMap(({ machine }) => machine!.any ?? []);
    expect(any).toHaveLength(13);
    expect(any.every(({ toSelf }) => toSelf === false)).toBe(true);
    // an exit time of 0 is one
    const states = controller.layers[1]!.machine!.states;
    expect(states['New Animation']!.transitions).toEqual([{ to: 'New Animation 0', exitTime: 0 }]);
    const list = codes(controller.issues);
    // 5 states with scripts; of 5 layers without Write Defaults, all states of one play the same clip
    expect(list.filter((issue) => issue.includes('/'))).toHaveLength(5);
    const layers = ['MAIN-G3P0', 'MAIN-G3P1', 'MAIN-G3P2', 'Initialize'];
    expect(list.slice(5)).toEqual(layers.map((layer) => `UNITY_UNSUPPORTED RISV4-${layer}`));
    expect(list.every((issue) => issue.startsWith('UNITY_UNSUPPORTED RISV4-'))).toBe(true);
  });

  it('ma-SyncedLayer-AC1: motions of a synced layer by state', () => {
    const { controller } = importUnityController(read('ma-SyncedLayer-AC1.controller'));
    expect(controller.layers.map(({ weight }) => weight)).toEqual([undefined, 0, 0]);
    expect(controller.layers[2]!.sync).toEqual({
      layer: 'main',
      motions: { m1: 'bf660ccc19e7d6e45849be7bdb273645:7400000', m2: 'b4473bdae48543347999d599bcef9efc:7400000' },
    });
    expect(codes(controller.issues)).toEqual(['UNITY_UNSUPPORTED sync']);
  });

  it('ma-SyncedSubStateMachine: a layer that begins in a machine inside it', () => {
    const { controller } = importUnityController(read('ma-SyncedSubStateMachine.controller'));
    const path = 'New StateMachine.New State';
    expect(controller.layers[1]!.machine).toMatchObject({ default: path, states: {} });
    expect(Object.keys(controller.layers[2]!.sync!.motions)).toEqual([path]);
    expect(controller.issues).toEqual([]);
  });

  it('naughty-Ellen: trees, ways out of machines, orphans that nothing leads to', () => {
    const { controller } = importUnityController(read('naughty-EllenAnimatorController.controller'));
    // a fourth tree, and two of four machine transitions, are orphans
    expect(countController(controller)).toEqual({
      states: 3,
      machines: 4,
      transitions: 4,
      entries: 2,
      trees: 3,
      clips: 11,
    });
    const { default: start, machines } = controller.layers[0]!.machine!;
    expect(start).toBe('SM_Idle_Running.BT_Idle_Running');
    expect(machines!.SM_Idle_Running!.exits).toEqual([{ toMachine: 'SM_Airborne' }]);
    expect(machines!.SM_Airborne!.exits).toEqual([{ toMachine: 'SM_Landing' }]);
    expect(machines!.SM_Landing!.exits).toBeUndefined();
    const tree = machines!.SM_Airborne!.states.BT_Airborne!.motion as Exclude<MotionModel, string>;
    expect(tree).toMatchObject({ blend: '1d', parameter: 'VerticalSpeed' });
    expect(tree.children.map((child) => (child as { at: number }).at)).toEqual([-0.75, -0.5, 0, 0.5, 0.75, 1]);
    expect(machines!.SM_Landing!.states.Landing!.transitions![0]).toEqual({
      toMachine: 'SM_Idle_Running',
      when: [{ parameter: 'IsGrounded' }],
      exitTime: 0.9,
      duration: 0.1,
      fixed: false,
    } satisfies TransitionModel);
    expect(controller.issues).toEqual([]);
  });

  it('synthetic-all-features: what no real file has', () => {
    const { controller } = importUnityController(read('synthetic-all-features.controller'));
    // 15 transitions, of which one is muted and one is used by two states; 4 entries and exits
    expect(countController(controller)).toEqual({
      states: 10,
      machines: 4,
      transitions: 15,
      entries: 4,
      trees: 3,
      clips: 16,
    });
    expect(Object.keys(controller.parameters)).toHaveLength(14);
    expect(controller.layers.map(({ weight, blend }) => [weight, blend])).toEqual([
      [undefined, undefined],
      [0.5, undefined],
      [undefined, 'additive'],
      [0.3, undefined],
    ]);
    const { states } = controller.layers[0]!.machine!;
    expect(states.Idle!.transitions!.map(({ interruption }) => interruption)).toEqual([
      'current',
      'currentThenNext',
      'nextThenCurrent',
      undefined,
      'next',
    ]);
    expect(states.Idle!.transitions![3]).toMatchObject({ to: 'Scrub', exitTime: 2.5, offset: 0.25, fixed: false });
    expect(states.Move).toMatchObject({ speed: 1.2, speedParameter: 'SpeedMul', cycleOffsetParameter: 'Phase' });
    expect(controller.layers[3]!.sync).toMatchObject({ layer: 'Base Layer', timing: true });
    expect(codes(controller.issues)).toEqual(['UNITY_DANGLING Upper/m_Mask', 'UNITY_UNSUPPORTED Base Layer']);
  });
});

describe.skipIf(noShared())('clips of real projects', () => {
  it('openkcc-IdleAnimMole: angles', () => {
    const clip = importUnityClip(read('openkcc-IdleAnimMole.anim'));
    expect(clip).toMatchObject({ name: 'IdleAnimMole', duration: 1, loops: true, issues: [] });
    expect(clip.tracks.map(({ path, channel }) => [path.split('/').at(-1), channel])).toEqual([
      ['upperarm.r', 'rotation'],
      ['upperarm.l', 'rotation'],
      ['head', 'rotation'],
    ]);
    // the head nods by 12.476° about x
    const half = (12.476 * Math.PI) / 360;
    const nod = sampleTrack(clip.tracks[2]!, Math.fround(0.26666668));
    [Math.sin(half), 0, 0, Math.cos(half)].forEach((value, c) => expect(nod[c]).toBeCloseTo(value, 6));
    expect(clip.tracks.every(({ times }) => times.length < 40)).toBe(true);
  });

  it('ma-TransformLookthrough-scale: a pose', () => {
    const clip = importUnityClip(read('ma-TransformLookthrough-scale.anim'));
    expect(clip).toMatchObject({ duration: 0, loops: false });
    expect(clip.tracks).toMatchObject([
      { path: 'Armature.1/Hips', channel: 'scale', values: new Float32Array([0.5, 0.5, 0.5]) },
    ]);
    expect(codes(clip.issues)).toEqual(['UNITY_UNSUPPORTED test/m_FloatCurves/0']);
  });

  it('ma-ConstantTangents: steps between equal values', () => {
    const clip = importUnityClip(read('ma-ConstantTangents.anim'));
    expect(clip).toMatchObject({ duration: Math.fround(0.33333334), issues: [] });
    expect(clip.tracks).toMatchObject([{ path: '', channel: 'translation', values: new Float32Array(3) }]);
  });

  it('unitygltf-AnimationA: positions, x turned round', () => {
    const clip = importUnityClip(read('unitygltf-AnimationA.anim'));
    expect(clip).toMatchObject({ duration: Math.fround(0.16666667), loops: true, issues: [] });
    expect(sampleTrack(clip.tracks[0]!, Math.fround(0.083333336))).toEqual([-1, 1, 1]);
  });

  it('synthetic-all-curves: what no real file has', () => {
    const clip = importUnityClip(read('synthetic-all-curves.anim'));
    expect(clip).toMatchObject({
      duration: 1,
      loops: true,
      facts: {
        cycleOffset: 0.25,
        events: [
          { name: 'FootL', time: 0, number: 0.5, integer: 1, text: 'left' },
          { name: 'FootR', time: 0.5, integer: 2 },
        ],
      },
    });
    const track = (channel: string) => clip.tracks.find((track) => track.channel === channel)!;
    // the file's second 0.5 is the clip's 0.3
    expect(sampleTrack(track('weights'), 0.3)[0]).toBeCloseTo(0.0088008, 6);
    // Hips walk 1.8 m in 1.2 s, of which the clip has 1 s; that is taken out of them
    expect(Array.from(clip.root!.positions)).toEqual([0, 0, 0, 0, 0, 1.5]);
    expect(sampleTrack(track('translation'), 0.7).map((v) => Number(v.toFixed(6)))).toEqual([0, 1, 0.3]);
    // before 0.7 s of the file y is held at 0 and x at 0; at it they are 90° and 10°
    const spine = clip.tracks.find(({ path }) => path === 'Hips/Spine')!;
    const [a, b] = [(10 * Math.PI) / 360, Math.PI / 4];
    expect(sampleTrack(spine, 0.499)).toEqual([0, 0, 0, 1]);
    const turned = [
      Math.cos(b) * Math.sin(a),
      -Math.sin(b) * Math.cos(a),
      Math.sin(b) * Math.sin(a),
      Math.cos(b) * Math.cos(a),
    ];
    sampleTrack(spine, 0.5).forEach((value, c) => expect(Math.abs(value - turned[c]!)).toBeLessThan(1e-6));
    expect(codes(clip.issues)).toEqual(['UNITY_UNSUPPORTED synthetic-all-curves/m_FloatCurves/2']);
  });
});

describe.skipIf(noShared())('damaged files', () => {
  const files = [
    'aao-RIS-Test.controller',
    'naughty-EllenAnimatorController.controller',
    'ma-SyncedLayer-AC1.controller',
    'synthetic-all-features.controller',
    'synthetic-all-curves.anim',
    'openkcc-IdleAnimMole.anim',
  ];
  const ROUNDS = full ? 2_000 : 120;

  /** A model that says what it lacks, or a coded error; anything else is a defect. */
  const attempt = (file: string, text: string) => {
    const elapsed = stopwatch();
    let outcome: readonly Issue[];
    try {
      outcome = file.endsWith('.anim')
        ? importUnityClip(text).issues
        : (importUnityController(text).controller.issues ?? []);
    } catch (thrown) {
      if (!(thrown instanceof ManipleError)) throw thrown;
      outcome = thrown.issues;
      expect(outcome.length).toBeGreaterThan(0);
    }
    expect(elapsed()).toBeLessThan(5_000);
    return outcome;
  };

  it.each(files)('%s, cut off anywhere, is refused or says so', (file) => {
    const text = read(file);
    const step = full ? 7 : Math.max(1, Math.floor(text.length / 150));
    for (let length = runSeed % step; length < text.length - 1; length += step) {
      const issues = attempt(file, text.slice(0, length));
      // a cut at the end of a line, behind all that every version writes of an object, looks like an older file
      const isWholeLine = text[length - 1] === '\n';
      if (!isWholeLine && issues.length === 0) expect.fail(`${file} cut at ${length} says nothing`);
    }
  });

  it.each(files)('%s, with bytes changed, is refused or imported', (file) => {
    const random = new Random(runSeed);
    const text = read(file);
    const nasty = [
      '-1',
      '1e999',
      'nan',
      '-Infinity',
      '{',
      '}',
      '[',
      '"',
      "'",
      '&a',
      '*a',
      '- ',
      ': ',
      '\t',
      '\n',
      '99999999999',
      '1e-300',
      '!u!',
      '',
    ];
    for (let i = 0; i < ROUNDS; i++) {
      let changed = text;
      for (let k = random.integer(1, 4); k > 0; k--) {
        const at = random.integer(0, changed.length - 1);
        const by =
          random.next() < 0.5
            ? String.fromCharCode(random.integer(1, 255))
            : nasty[random.integer(0, nasty.length - 1)]!;
        changed = changed.slice(0, at) + by + changed.slice(at + random.integer(0, 3));
      }
      attempt(file, changed);
    }
  });
});
