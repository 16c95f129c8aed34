import { describe, expect, it } from 'vitest';
import { importMade, listed, refusal, transitionsOf } from '../../../test/import/unity-made.ts';
import { type TransitionOptions, unity } from '../../../test/import/unity-yaml.ts';
import { importUnityController, type UnityControllerOptions } from './controller.ts';

describe('parameters', () => {
  it('have types and defaults', () => {
    const rows = [
      'Float\n  m_Type: 1\n  m_DefaultFloat: 0.5',
      'Int\n  m_Type: 3\n  m_DefaultInt: -2',
      'Bool\n  m_Type: 4\n  m_DefaultBool: 1',
      'Trigger\n  m_Type: 9',
    ];
    const fields = `m_AnimatorParameters:\n${rows.map((row) => `- m_Name: ${row}\n`).join('')}m_AnimatorLayers:\n- m_Name: L\n  m_StateMachine: {fileID: 1}`;
    const { controller } = importUnityController(
      unity.text(unity.object(91, 9, 'AnimatorController', fields), unity.machine(1, 'M')),
    );
    expect(controller.parameters).toEqual({
      Float: { type: 'float', default: 0.5 },
      Int: { type: 'int', default: -2 },
      Bool: { type: 'bool', default: true },
      Trigger: { type: 'trigger' },
    });
    expect(listed(controller)).toEqual([]);
  });

  it('of an unknown type are refused', () => {
    const text = unity.text(unity.controller([{ name: 'L', machine: 1 }], { X: 2 }), unity.machine(1, 'M'));
    expect(refusal(() => importUnityController(text))).toEqual(['UNITY_INVALID /m_AnimatorParameters/0/m_Type']);
  });
});

describe('conditions', () => {
  it('keep their operators', () => {
    const when = [
      [1, 'Grounded'],
      [2, 'Grounded'],
      [3, 'Speed', 0.1],
      [4, 'Speed', -1],
      [6, 'Mode', 7],
      [7, 'Mode', 0],
      [1, 'Attack'],
    ] as const;
    expect(transitionsOf({ when }).transitions[0]!.when).toEqual([
      { parameter: 'Grounded' },
      { parameter: 'Grounded', is: false },
      { parameter: 'Speed', greater: 0.1 },
      { parameter: 'Speed', less: -1 },
      { parameter: 'Mode', equals: 7 },
      { parameter: 'Mode', notEquals: 0 },
      { parameter: 'Attack' },
    ]);
  });

  it.each([
    [5, 'UNITY_UNSUPPORTED A/transitions/0/m_Conditions/0'],
    [0, 'UNITY_INVALID A/transitions/0/m_Conditions/0/m_ConditionMode'],
    [8, 'UNITY_INVALID A/transitions/0/m_Conditions/0/m_ConditionMode'],
  ])('of mode %i are refused', (mode, issue) => {
    expect(refusal(() => transitionsOf({ when: [[mode, 'Speed', 1]] }))).toEqual([issue.replace(' ', ' Base/')]);
  });

  it('on an absent parameter leave the transition out, with a warning', () => {
    const { transitions, issues } = transitionsOf(
      {
        when: [
          [1, 'Gone'],
          [1, 'Grounded'],
        ],
      },
      { when: [[1, 'Grounded']] },
    );
    expect(transitions).toEqual([{ to: 'B', when: [{ parameter: 'Grounded' }] }]);
    expect(issues).toEqual(['UNITY_DANGLING Base/A/transitions/0']);
  });

  it('with a threshold that is not a number are refused', () => {
    expect(refusal(() => transitionsOf({ when: [[3, 'Speed', 'nan']] }))).toEqual([
      'UNITY_INVALID Base/A/transitions/0/m_Conditions/0/m_EventTreshold',
    ]);
  });
});

describe('transitions', () => {
  it('keep timing, interruption and order', () => {
    const more = [
      'm_HasExitTime: 1\nm_ExitTime: 2.5\nm_TransitionDuration: 0.5\nm_TransitionOffset: 0.25\nm_HasFixedDuration: 0',
      ...[0, 1, 2, 3, 4].map((source) => `m_InterruptionSource: ${source}\nm_OrderedInterruption: 0`),
      // what Unity keeps of an exit time that is switched off does not count
      'm_HasExitTime: 0\nm_ExitTime: 0.75\nm_HasFixedDuration: 1\nm_OrderedInterruption: 1',
    ];
    const { transitions, issues } = transitionsOf(...more.map((more) => ({ when: [[1, 'Attack']] as const, more })));
    const when = [{ parameter: 'Attack' }];
    expect(transitions).toEqual([
      { to: 'B', when, exitTime: 2.5, duration: 0.5, offset: 0.25, fixed: false },
      { to: 'B', when, ordered: false },
      { to: 'B', when, interruption: 'current', ordered: false },
      { to: 'B', when, interruption: 'next', ordered: false },
      { to: 'B', when, interruption: 'currentThenNext', ordered: false },
      { to: 'B', when, interruption: 'nextThenCurrent', ordered: false },
      { to: 'B', when },
    ]);
    expect(issues).toEqual([]);
  });

  it('without a condition need an exit time', () => {
    const { transitions, issues } = transitionsOf({}, { more: 'm_HasExitTime: 1\nm_ExitTime: 0' });
    expect(transitions).toEqual([{ to: 'B', exitTime: 0 }]);
    expect(issues).toEqual(['UNITY_UNSUPPORTED Base/A/transitions/0']);
  });

  it('lead out first, else to a state, else to a machine; nowhere is left out', () => {
    const when = [[1, 'Attack']] as const;
    const list: TransitionOptions[] = [
      { when, more: 'm_IsExit: 1' },
      { when, toMachine: 2 },
      { when, to: 0, toMachine: 2 },
      { when, to: 999 },
      { when, to: 0 },
    ];
    const documents = list.map((transition, i) => unity.transition(200 + i, { to: 102, ...transition }));
    const inner = unity.machine(2, 'Inner', { start: 0 });
    const a = { transitions: [200, 201, 202, 203, 204, 777] };
    const { machine, issues } = importMade({ a, root: { machines: [2] } }, [...documents, inner]);
    const conditions = { when: [{ parameter: 'Attack' }] };
    expect(machine.states.A!.transitions).toEqual([
      { toExit: true, ...conditions },
      { to: 'B', ...conditions },
      { toMachine: 'Inner', ...conditions },
    ]);
    // the reference to nothing is found before any transition is read
    expect(issues).toEqual([
      'UNITY_DANGLING Base/A/transitions/5',
      'UNITY_DANGLING Base/A/transitions/3',
      'UNITY_DANGLING Base/A/transitions/4',
    ]);
  });

  it('may refuse to lead to the state that is there only from any state', () => {
    const more = 'm_CanTransitionToSelf: 0';
    const when = [[1, 'Attack']] as const;
    const { machine } = importMade({ a: { transitions: [200] }, root: { any: [201, 202] } }, [
      unity.transition(200, { to: 102, when, more }),
      unity.transition(201, { to: 102, when, more }),
      unity.transition(202, { to: 101, when }),
    ]);
    const conditions = [{ parameter: 'Attack' }];
    expect(machine.states.A!.transitions).toEqual([{ to: 'B', when: conditions }]);
    expect(machine.any).toEqual([
      { to: 'B', when: conditions, toSelf: false },
      { to: 'A', when: conditions },
    ]);
  });

  describe('that are muted or solo', () => {
    const make = (flags: readonly string[], options?: UnityControllerOptions) => {
      const documents = flags.map((flag, i) =>
        unity.transition(200 + i, {
          to: 102,
          when: [[3, 'Speed', i]],
          more: `m_Mute: ${flag.includes('m') ? 1 : 0}\nm_Solo: ${flag.includes('s') ? 1 : 0}`,
        }),
      );
      const a = { transitions: flags.map((_, i) => 200 + i) };
      const { transitions = [] } = importMade({ a }, documents, options).machine.states.A!;
      return transitions.map(({ when }) => (when![0] as { greater: number }).greater);
    };

    it('are dropped: muted first, then all but solo', () => {
      expect(make(['', 'm', ''])).toEqual([0, 2]);
      expect(make(['', 's', '', 's'])).toEqual([1, 3]);
      expect(make(['s', 'ms', 'm', ''])).toEqual([0]);
      expect(make(['ms', '', ''])).toEqual([1, 2]);
    });

    it('stay if asked for', () => expect(make(['s', 'm', ''], { ignoreMuteSolo: true })).toEqual([0, 1, 2]));
  });
});
