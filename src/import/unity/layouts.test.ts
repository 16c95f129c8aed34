// Layouts of older versions of Unity.
import { describe, expect, it } from 'vitest';
import { importMade } from '../../../test/import/unity-made.ts';
import {
  unityController,
  unityMachine,
  unityObject,
  unityState,
  unityText,
  unityTransition,
} from '../../../test/import/unity-yaml.ts';
import type { ManipleError } from '../../errors.ts';
import { importUnityController } from './controller.ts';

describe('tables of Unity 5', () => {
  const inner = [2, 3].flatMap((id) => [
    unityMachine(id, `Inner ${id}`, { states: [id * 100 + 1], start: id * 100 + 1 }),
    unityState(id * 100 + 1, 'C'),
  ]);
  const transitions = [
    unityTransition(400, { isEntry: true, to: 101, when: [[1, 'Grounded']] }),
    unityTransition(401, { isEntry: true, toMachine: 3 }),
    unityTransition(402, { isEntry: true, more: 'm_IsExit: 1' }),
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
    const text = unityText(
      unityController([{ name: 'Base', machine: 1 }]),
      unityObject(1107, 1, 'StateMachine', machine),
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
