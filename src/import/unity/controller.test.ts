import { describe, expect, it } from 'vitest';
import { importMade, listed, refusal } from '../../../test/import/unity-made.ts';
import { type MachineOptions, unity } from '../../../test/import/unity-yaml.ts';
import { compileController } from '../../controller/compile.ts';
import { controllerJson, parseController } from '../../controller/index.ts';
import { importUnityController, type UnityControllerOptions } from './controller.ts';

describe('states', () => {
  it('keep speed, offsets and mirror', () => {
    const more = 'm_Speed: -1.5\nm_CycleOffset: 0.25\nm_Mirror: 1';
    const { machine } = importMade({ a: { more, motion: '{fileID: 7400000, guid: ab, type: 2}' } });
    expect(machine.states.A).toEqual({ motion: 'ab:7400000', speed: -1.5, cycleOffset: 0.25, mirror: true });
    expect(machine.states.B).toEqual({});
  });

  it('keep parameters that are switched on and exist', () => {
    const names =
      'm_SpeedParameter: Speed\nm_TimeParameter: Speed\nm_CycleOffsetParameter: Speed\nm_MirrorParameter: Grounded';
    const on = ['Speed', 'Time', 'CycleOffset', 'Mirror'].map((stem) => `m_${stem}ParameterActive: 1`).join('\n');
    const wanted = {
      speedParameter: 'Speed',
      timeParameter: 'Speed',
      cycleOffsetParameter: 'Speed',
      mirrorParameter: 'Grounded',
    };
    const { machine, issues } = importMade({ a: { more: `${names}\n${on}` }, b: { more: names } });
    expect(machine.states.A).toEqual(wanted);
    expect(machine.states.B).toEqual({});
    expect(issues).toEqual([]);
  });

  it('do without parameters that are absent or of another type, with a warning', () => {
    const more =
      'm_SpeedParameterActive: 1\nm_SpeedParameter: Gone\nm_MirrorParameterActive: 1\nm_MirrorParameter: Speed';
    const { machine, issues } = importMade({ a: { more } });
    expect(machine.states.A).toEqual({});
    expect(issues).toEqual(['UNITY_DANGLING Base/A/m_SpeedParameter', 'UNITY_DANGLING Base/A/m_MirrorParameter']);
  });

  it('warn of what has no counterpart', () => {
    const more = 'm_IKOnFeet: 1\nm_StateMachineBehaviours:\n- {fileID: 5}';
    const { issues } = importMade({ a: { more } });
    expect(issues).toEqual(Array.from({ length: 2 }, () => 'UNITY_UNSUPPORTED Base/A'));
  });

  it('get names of their own, without dots', () => {
    const states = [
      unity.state(103, 'A'),
      unity.state(104, 'Hit.Left'),
      unity.state(105, 'A 2'),
      unity.state(106, 'A'),
    ];
    const root = { states: [101, 102, 103, 104, 105, 106], start: 104 };
    const { machine, issues } = importMade({ root }, states);
    expect(Object.keys(machine.states)).toEqual(['A', 'B', 'A 2', 'Hit_Left', 'A 2 2', 'A 3']);
    expect(machine.default).toBe('Hit_Left');
    expect(issues).toEqual(Array.from({ length: 4 }, () => 'UNITY_UNSUPPORTED Base'));
  });

  it('use the caller’s names for clips', () => {
    const resolveMotion = (guid: string, fileID: string) => (guid === 'ab' ? `clip ${fileID}` : undefined);
    const { machine } = importMade(
      { a: { motion: '{fileID: -7, guid: ab, type: 3}' }, b: { motion: '{fileID: -7, guid: cd, type: 3}' } },
      [],
      { resolveMotion },
    );
    expect([machine.states.A!.motion, machine.states.B!.motion]).toEqual(['clip -7', 'cd:-7']);
  });

  it('include clips of the same file', () => {
    const clip = unity.clip({
      curves: { m_PositionCurves: [unity.curve([{ time: 0, value: [1, 2, 3] }], 'path: Hips')] },
    });
    const text = unity.text(
      unity.controller([{ name: 'Base', machine: 1 }]),
      unity.machine(1, 'Root', { states: [101, 102] }),
      unity.state(101, 'A', { motion: '{fileID: 7400000}' }),
      unity.state(102, 'B', { motion: '{fileID: 404}' }),
      clip,
    );
    const { controller, clips } = importUnityController(text);
    expect(controller.layers[0]!.machine!.states).toEqual({ A: { motion: 'Made' }, B: {} });
    expect(clips.map(({ name, duration }) => [name, duration])).toEqual([['Made', 1]]);
    expect(controller.clips).toEqual({ Made: { length: 1, loops: false } });
    expect(listed(controller)).toEqual(['UNITY_DANGLING Base/B']);
  });
});

describe('machines', () => {
  const nested = (root: MachineOptions, inner: MachineOptions, more: readonly string[] = []) =>
    importMade({ root: { machines: [2], ...root } }, [
      unity.machine(2, 'Inner', { states: [201], start: 201, ...inner }),
      unity.state(201, 'C'),
      ...more,
    ]);

  it('nest, and begin anywhere in their layer', () => {
    const { machine, issues } = nested({ start: 201 }, { machines: [3] }, [
      unity.machine(3, 'Deep', { states: [301] }),
      unity.state(301, 'D'),
    ]);
    expect(machine).toEqual({
      default: 'Inner.C',
      states: { A: {}, B: {} },
      machines: { Inner: { default: 'Inner.C', states: { C: {} }, machines: { Deep: { states: { D: {} } } } } },
    });
    expect(issues).toEqual([]);
  });

  it('have entries and ways out', () => {
    const { machine, issues } = nested(
      {
        entry: [401],
        exits: [
          [2, [402, 403]],
          [77, []],
          [78, [402]],
        ],
      },
      { entry: [404] },
      [
        unity.transition(401, { to: 102, when: [[1, 'Grounded']], isEntry: true }),
        unity.transition(402, { toMachine: 1, when: [[2, 'Grounded']], isEntry: true }),
        unity.transition(403, { more: 'm_IsExit: 1', isEntry: true }),
        // from inside to outside, without a condition
        unity.transition(404, { to: 101, isEntry: true }),
      ],
    );
    expect(machine.entry).toEqual([{ to: 'B', when: [{ parameter: 'Grounded' }] }]);
    expect(machine.machines!.Inner!.entry).toEqual([{ to: 'A' }]);
    expect(machine.machines!.Inner!.exits).toEqual([
      { toMachine: '', when: [{ parameter: 'Grounded', is: false }] },
      { toExit: true },
    ]);
    expect(issues).toEqual(['UNITY_DANGLING Base/exits']);
  });

  it('have transitions from any state only at the root', () => {
    const any = unity.transition(401, { to: 101, when: [[1, 'Attack']] });
    const { machine, issues } = nested({ any: [401] }, { any: [401] }, [any]);
    expect(machine.any).toHaveLength(1);
    expect(machine.machines!.Inner!.any).toBeUndefined();
    expect(issues).toEqual(['UNITY_UNSUPPORTED Base/Inner/any']);
  });

  it('without a default state do not take a state’s name', () => {
    const { machine, issues } = importMade({ root: { machines: [2] } }, [unity.machine(2, 'A')]);
    expect(Object.keys(machine.machines!)).toEqual(['A 2']);
    expect(issues).toEqual(['UNITY_UNSUPPORTED Base']);
  });

  it('that contain themselves, and children that are not there, are left out', () => {
    const { machine, issues } = nested({ states: [101, 102, 999], start: 999 }, { machines: [1, 2] });
    expect(machine.machines).toEqual({ Inner: { default: 'Inner.C', states: { C: {} } } });
    expect(machine.default).toBeUndefined();
    expect(issues).toEqual([
      'UNITY_DANGLING Base/m_ChildStates/2',
      'UNITY_DANGLING Base/Inner/m_ChildStateMachines/0',
      'UNITY_DANGLING Base/Inner/m_ChildStateMachines/1',
      'UNITY_DANGLING Base/default',
    ]);
  });

  it('nested too deeply are refused', () => {
    const chain = Array.from({ length: 80 }, (_, i) => unity.machine(500 + i, `M${i}`, { machines: [501 + i] }));
    expect(refusal(() => importMade({ root: { machines: [500] } }, chain))[0]).toMatch(/^UNITY_LIMIT Base\/M0/);
  });

  it('do not see what nothing leads to', () => {
    const orphan = unity.state(900, 'Orphan', { transitions: [901], motion: '{fileID: 902}' });
    const { machine, issues } = importMade({}, [orphan, unity.transition(901, { when: [[5, 'Gone']] })]);
    expect(Object.keys(machine.states)).toEqual(['A', 'B']);
    expect(issues).toEqual([]);
  });
});

describe('blend trees', () => {
  const child = (motion: string, more: string) => `\n- m_Motion: ${motion}\n  ${more.replaceAll('\n', '\n  ')}`;
  const tree = (id: number, type: number, children: readonly string[], more = '') =>
    unity.object(
      206,
      id,
      'BlendTree',
      `m_Name: T${id}\nm_Childs:${children.join('') || ' []'}\nm_BlendParameter: Speed\nm_BlendParameterY: Other\nm_BlendType: ${type}\n${more}`,
    );
  const clip = (n: number) => `{fileID: ${n}, guid: ab, type: 2}`;
  const importTree = (...trees: readonly string[]) => {
    const { machine, issues } = importMade({ a: { motion: '{fileID: 20}' } }, trees);
    return { motion: machine.states.A!.motion, issues };
  };

  it('over one parameter have thresholds and what children add', () => {
    const { motion, issues } = importTree(
      tree(20, 0, [
        child(clip(1), 'm_Threshold: 0.5\nm_TimeScale: -2\nm_CycleOffset: 0.25\nm_Mirror: 1'),
        child('{fileID: 0}', 'm_Threshold: 1'),
      ]),
    );
    expect(motion).toEqual({
      name: 'T20',
      blend: '1d',
      parameter: 'Speed',
      children: [{ motion: 'ab:1', timeScale: -2, cycleOffset: 0.25, mirror: true, at: 0.5 }, { at: 1 }],
    });
    expect(issues).toEqual([]);
  });

  it.each([
    [1, 'directional'],
    [2, 'freeformDirectional'],
    [3, 'freeformCartesian'],
  ])('of type %i are %s', (type, blend) => {
    const { motion, issues } = importTree(tree(20, type, [child(clip(1), 'm_Position: {x: 0.5, y: -1}')]));
    expect(motion).toEqual({
      name: 'T20',
      blend,
      parameters: ['Speed', 'Other'],
      children: [{ motion: 'ab:1', at: [0.5, -1] }],
    });
    // an absent parameter counts as 0: it is added, so that the controller can be compiled
    expect(issues).toEqual(['UNITY_DANGLING Base/A']);
  });

  it.each([
    ['Gone', 'Gone'],
    ["''", ''],
    ['Attack', 'Attack (0)'], // a trigger is no number
  ])('read a parameter that stays 0 where there is no number %s', (wanted, added) => {
    const list = [child(clip(1), `m_DirectBlendParameter: ${wanted}`)];
    const { model, machine } = importMade({ a: { motion: '{fileID: 20}' } }, [tree(20, 4, list)]);
    expect(machine.states.A!.motion).toMatchObject({ children: [{ weightParameter: added }] });
    expect(model.parameters[added]).toEqual({ type: 'float' });
    const written = parseController(controllerJson(model));
    expect(compileController(written, { resolve: () => ({}) }).issues).toEqual([]);
  });

  it('of type 4 have a parameter for each child', () => {
    const list = [child(clip(1), 'm_DirectBlendParameter: Speed'), child(clip(2), 'm_DirectBlendParameter: Gone')];
    const { motion, issues } = importTree(tree(20, 4, list, 'm_NormalizedBlendValues: 1'));
    expect(motion).toEqual({
      name: 'T20',
      blend: 'direct',
      normalized: true,
      children: [
        { motion: 'ab:1', weightParameter: 'Speed' },
        { motion: 'ab:2', weightParameter: 'Gone' },
      ],
    });
    expect(issues).toEqual(['UNITY_DANGLING Base/A/children/1']);
  });

  it('nest, may be empty, and may miss children', () => {
    const { motion, issues } = importTree(
      tree(20, 0, [child('{fileID: -21}', 'm_Threshold: 0'), child('{fileID: 404}', 'm_Threshold: 1')]),
      tree(-21, 0, []),
    );
    expect(motion).toEqual({
      name: 'T20',
      blend: '1d',
      parameter: 'Speed',
      children: [{ motion: { name: 'T-21', blend: '1d', parameter: 'Speed', children: [] }, at: 0 }, { at: 1 }],
    });
    expect(issues).toEqual(['UNITY_DANGLING Base/A/children/1']);
  });

  it('of another type, inside themselves, or with too many children are refused', () => {
    expect(refusal(() => importTree(tree(20, 5, [])))).toEqual(['UNITY_UNSUPPORTED Base/A']);
    expect(refusal(() => importTree(tree(20, 0, [child('{fileID: 20}', 'm_Threshold: 0')])))[0]).toMatch(
      /^UNITY_LIMIT /,
    );
    // each level names the next one twenty times: 20^5 clips out of a few lines
    const levels = Array.from({ length: 5 }, (_, i) =>
      tree(
        20 + i,
        0,
        Array.from({ length: 20 }, () => child(i === 4 ? clip(1) : `{fileID: ${21 + i}}`, 'm_Threshold: 0')),
      ),
    );
    expect(refusal(() => importTree(...levels))).toEqual(['UNITY_LIMIT']);
  });
});

describe('layers', () => {
  const importLayers = (
    layers: readonly { readonly name: string; readonly machine?: number; readonly more?: string }[],
    options: UnityControllerOptions = {},
    more: readonly string[] = [],
  ) => {
    const { controller } = importUnityController(
      unity.text(
        unity.controller(layers),
        unity.machine(1, 'M', { states: [101], start: 101 }),
        unity.state(101, 'A'),
        ...more,
      ),
      options,
    );
    return { layers: controller.layers, issues: listed(controller) };
  };
  const machine = { default: 'A', states: { A: {} } };

  it('have weights and modes; the first always has 1', () => {
    const { layers, issues } = importLayers([
      { name: 'Base', machine: 1, more: 'm_DefaultWeight: 0' },
      { name: 'Add', machine: 1, more: 'm_DefaultWeight: 0\nm_BlendingMode: 1' },
      { name: 'Add', machine: 1, more: 'm_DefaultWeight: 2\nm_IKPass: 1' },
    ]);
    expect(layers).toEqual([
      { name: 'Base', machine },
      { name: 'Add', blend: 'additive', weight: 0, machine },
      { name: 'Add 2', machine },
    ]);
    expect(issues).toEqual([
      'UNITY_UNSUPPORTED /m_AnimatorLayers/2',
      'UNITY_INVALID Add 2/m_DefaultWeight',
      'UNITY_UNSUPPORTED Add 2',
    ]);
  });

  it('are synced by name, with motions by path', () => {
    const { layers, issues } = importLayers([
      { name: 'Base', machine: 1 },
      {
        name: 'Wounded',
        more: 'm_SyncedLayerIndex: 2\nm_SyncedLayerAffectsTiming: 1\nm_DefaultWeight: 0.5\nm_Motions:\n- m_State: {fileID: 101}\n  m_Motion: {fileID: 1, guid: ab}\n- m_State: {fileID: 5}\n  m_Motion: {fileID: 1, guid: ab}',
      },
      { name: 'Chain', more: 'm_SyncedLayerIndex: 0' },
    ]);
    expect(layers.slice(1)).toEqual([
      { name: 'Wounded', weight: 0.5, sync: { layer: 'Chain', timing: true, motions: { A: 'ab:1' } } },
      { name: 'Chain', sync: { layer: 'Base', motions: {} } },
    ]);
    expect(issues).toEqual(['UNITY_DANGLING /m_AnimatorLayers/1/m_Motions/1']);
  });

  it('that are synced to nothing, or in a circle, or at the base, run their own machine', () => {
    const { layers, issues } = importLayers([
      { name: 'Base', machine: 1, more: 'm_SyncedLayerIndex: 1' },
      { name: 'Far', machine: 1, more: 'm_SyncedLayerIndex: 9' },
      { name: 'Ping', machine: 1, more: 'm_SyncedLayerIndex: 3' },
      { name: 'Pong', machine: 77, more: 'm_SyncedLayerIndex: 2' },
    ]);
    expect(layers.map(({ machine }) => machine)).toEqual([machine, machine, machine, { states: {} }]);
    expect(issues).toEqual(['Base', 'Far', 'Ping', 'Pong', 'Pong'].map((name) => `UNITY_DANGLING ${name}`));
  });

  it('have masks, from the caller or the same file', () => {
    const mask = unity.object(
      319,
      31,
      'AvatarMask',
      'm_Name: Own\nm_Mask: 0100000000000000\nm_Elements:\n- m_Path: \n  m_Weight: 1\n- m_Path: Hips/Spine\n  m_Weight: 1',
    );
    const { layers, issues } = importLayers(
      [
        { name: 'Base', machine: 1 },
        { name: 'Caller', machine: 1, more: 'm_Mask: {fileID: 31900000, guid: ab, type: 2}' },
        { name: 'Nowhere', machine: 1, more: 'm_Mask: {fileID: 31900000, guid: cd, type: 2}' },
        { name: 'Same', machine: 1, more: 'm_Mask: {fileID: 31}' },
      ],
      { resolveMask: (guid) => (guid === 'ab' ? { name: 'M', mask: { Head: 1 }, issues: [] } : undefined) },
      [mask],
    );
    expect(layers.map(({ mask }) => mask)).toEqual([
      undefined,
      { Head: 1 },
      undefined,
      { 'Hips/Spine': 1, 'humanoid:root': 1, 'humanoid:body': 0 },
    ]);
    expect(issues).toEqual(['UNITY_DANGLING Nowhere/m_Mask']);
  });

  it('are needed', () => {
    expect(refusal(() => importLayers([]))).toEqual(['UNITY_INVALID m_AnimatorLayers']);
  });
});

describe('files that are cut off', () => {
  it('are reported: inside a line, and between fields', () => {
    const text = unity.text(
      unity.controller([{ name: 'Base', machine: 1 }]),
      unity.machine(1, 'M', { states: [101] }),
      unity.state(101, 'A'),
    );
    expect(listed(importUnityController(text.trimEnd()).controller)).toEqual(['UNITY_INVALID']);
    const cut = text.slice(0, text.lastIndexOf('  m_Motion'));
    expect(listed(importUnityController(cut).controller)).toEqual(['UNITY_INVALID Base']);
  });

  it('hold a controller, or are refused', () => {
    expect(refusal(() => importUnityController(unity.text(unity.machine(1, 'M'))))).toEqual(['UNITY_INVALID']);
  });
});
