// Layouts of older versions of Unity.
import { describe, expect, it } from 'vitest';
import { importMade } from '../../../test/import/unity-made.ts';
import { unity } from '../../../test/import/unity-yaml.ts';
import type { ManipleError } from '../../errors.ts';
import { importUnityController } from './controller.ts';

describe('tables of Unity 5', () => {
  const inner = [2, 3].flatMap((id) => [
    unity.machine(id, `Inner ${id}`, { states: [id * 100 + 1], start: id * 100 + 1 }),
    unity.state(id * 100 + 1, 'C'),
  ]);
  const transitions = [
    unity.transition(400, { isEntry: true, to: 101, when: [[1, 'Grounded']] }),
    unity.transition(401, { isEntry: true, toMachine: 3 }),
    unity.transition(402, { isEntry: true, more: 'm_IsExit: 1' }),
  ];

  it.each([
    ['one entry', [[2, [400, 401]]]],
    [
      'several entries',
      [
        [2, [400, 401]],
        [3, [402]],
        [1, []],
      ],
    ],
  ] as const)('lead out of sub-machines: %s', (_, exits) => {
    const root = { machines: [2, 3], exits };
    const old = importMade({ root: { ...root, isUnity5: true } }, [...inner, ...transitions]);
    expect(old.machine.machines!['Inner 2']!.exits).toEqual([
      { to: 'A', when: [{ parameter: 'Grounded' }] },
      { toMachine: 'Inner 3' },
    ]);
    expect(old.machine.machines!['Inner 3']!.exits).toEqual(exits.length > 1 ? [{ toExit: true }] : undefined);
    expect(old.issues).toEqual([]);
    expect(old.model).toEqual(importMade({ root }, [...inner, ...transitions]).model);
  });
});

describe('controllers of Unity 4', () => {
  const refusalOf = (machine: string) => {
    const text = unity.text(
      unity.controller([{ name: 'Base', machine: 1 }]),
      unity.object(1107, 1, 'StateMachine', machine),
    );
    try {
      return importUnityController(text);
    } catch (thrown) {
      return (thrown as ManipleError).issues;
    }
  };
  const table = '\n  data:\n    first: {fileID: 0}\n    second: []'.repeat(2);

  it.each([
    ['m_States', 'm_States:\n- {fileID: 101}\nm_ChildStateMachine: []'],
    ['m_OrderedTransitions', `m_States:\n- {fileID: 101}\nm_OrderedTransitions:${table}`],
  ])('are refused by %s', (field, fields) => {
    expect(refusalOf(`m_Name: Base\nm_DefaultState: {fileID: 101}\n${fields}`)).toEqual([
      {
        code: 'UNITY_UNSUPPORTED',
        severity: 'error',
        path: 'Base',
        message: expect.stringMatching(`^The file was written by Unity 4: .*${field}`),
        suggestion: expect.stringMatching(/open .* newer .*save/i),
      },
    ]);
  });
});

describe('a controller as each version writes it', () => {
  const OLD = ['m_ObjectHideFlags: 1', 'm_PrefabParentObject: {fileID: 0}', 'm_PrefabInternal: {fileID: 0}'];
  const SOURCE = 'm_CorrespondingSourceObject: {fileID: 0}';
  const TIME = 'm_TimeParameterActive: 0\nm_TimeParameter: ';
  /** Fields that stand first in every object, tables, and fields of states that came later. */
  const VERSIONS = [
    ['5.0', OLD, true, ''],
    ['5.6', OLD, false, ''],
    ['2018', ['m_ObjectHideFlags: 1', SOURCE, 'm_PrefabInternal: {fileID: 0}'], false, TIME],
    [
      '2022',
      ['serializedVersion: 6', SOURCE, 'm_PrefabInstance: {fileID: 0}', 'm_PrefabAsset: {fileID: 0}'],
      false,
      TIME,
    ],
    ['6', ['m_ObjectHideFlags: 0', SOURCE, 'm_PrefabInstance: {fileID: 0}', 'm_PrefabAsset: {fileID: 0}'], false, TIME],
  ] as const;

  const written = (first: readonly string[], isUnity5: boolean, state: string): string =>
    unity
      .text(
        unity.controller([{ name: 'Base', machine: 1 }], { Grounded: 4 }),
        unity.machine(1, 'Base', { states: [101, 102], machines: [2], start: 101, exits: [[2, [400]]], isUnity5 }),
        unity.machine(2, 'Air', { states: [201], start: 201 }),
        unity.state(101, 'Idle', { transitions: [301], more: state }),
        unity.state(102, 'Land', { more: state }),
        unity.state(201, 'Fall', { transitions: [302], more: state }),
        unity.transition(301, { toMachine: 2, when: [[2, 'Grounded']] }),
        unity.transition(302, { when: [[1, 'Grounded']], more: 'm_IsExit: 1' }),
        unity.transition(400, { isEntry: true, to: 102 }),
      )
      .replaceAll(/^(\w+:)$(?=\n {2}m_)/gm, (line) => [line, ...first.map((field) => `  ${field}`)].join('\n'));

  it.each(VERSIONS)('Unity %s', (_, first, isUnity5, state) => {
    const text = written(first, isUnity5, state);
    expect(text.split(first.at(-1)!)).toHaveLength(10);
    const { controller } = importUnityController(text);
    expect(controller.issues).toEqual([]);
    expect(controller).toEqual(importUnityController(written([], false, '')).controller);
    const { machine } = controller.layers[0]!;
    expect(machine!.states.Idle!.transitions).toEqual([
      { toMachine: 'Air', when: [{ parameter: 'Grounded', is: false }] },
    ]);
    expect(machine!.machines!.Air!.exits).toEqual([{ to: 'Land' }]);
  });
});
