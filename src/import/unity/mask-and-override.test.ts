import { describe, expect, it } from 'vitest';
import { unity } from '../../../test/import/unity-yaml.ts';
import type { ControllerModel } from '../../controller/model.ts';
import { importUnityController } from './controller.ts';
import { importUnityMask } from './mask.ts';
import { applyUnityOverride, importUnityOverride } from './override.ts';

const codes = (issues: readonly { code: string; path: string }[] = []) =>
  issues.map(({ code, path }) => `${code} ${path}`);

describe('importUnityMask', () => {
  const read = (fields: string) =>
    importUnityMask(unity.text(unity.object(319, 31900000, 'AvatarMask', `m_Name: Upper\n${fields}`)));

  it('reads weights by path', () => {
    const elements = ['', 'Root/Hips', 'Root/Hips/Spine'].map((path, i) => `- m_Path: ${path}\n  m_Weight: ${i / 2}\n`);
    expect(read(`m_Mask: ${'01000000'.repeat(13)}\nm_Elements:\n${elements.join('')}`)).toEqual({
      name: 'Upper',
      mask: { 'Root/Hips': 0.5, 'Root/Hips/Spine': 1 },
      issues: [],
    });
  });

  it('lets everything through if it is empty', () => expect(read('m_Elements: []').mask).toBeUndefined());

  it('reads body parts, if any of them is off, and no goals of hands and feet', () => {
    const off = new Set([0, 3, 4]);
    const digits = Array.from({ length: 13 }, (_, part) => (off.has(part) ? '00000000' : '01000000')).join('');
    const { mask, issues } = read(`m_Mask: ${digits}\nm_Elements:\n- m_Path: Cape\n  m_Weight: 1\n`);
    expect(mask).toEqual({
      Cape: 1,
      'humanoid:root': 0,
      'humanoid:body': 1,
      'humanoid:head': 1,
      'humanoid:leftLeg': 0,
      'humanoid:rightLeg': 0,
      'humanoid:leftArm': 1,
      'humanoid:rightArm': 1,
      'humanoid:leftFingers': 1,
      'humanoid:rightFingers': 1,
    });
    expect(issues).toEqual([]);
    expect(read(`m_Mask: ${'01000000'.repeat(12)}00000000\nm_Elements: []`).mask).toBeUndefined();
  });
});

describe('avatar masks', () => {
  const mask = (classId: number, fileID: number, weight = '0.5') =>
    unity.object(classId, fileID, 'AvatarMask', `m_Name: Upper\nm_Elements:\n- m_Path: Hips\n  m_Weight: ${weight}`);

  it.each([319, 1011])('of class %i are read', (classId) => {
    const { mask: weights, issues } = importUnityMask(unity.text(mask(classId, 101100000)));
    expect([weights, issues]).toEqual([{ Hips: 0.5 }, []]);
  });

  it.each([319, 1011])('of class %i are read in the file of the controller', (classId) => {
    expect(layered(mask(classId, 5))).toEqual({ masks: [{ Hips: 0.5 }, undefined], issues: [] });
  });

  it('that cannot be read leave their layer without one', () => {
    const place = 'UNITY_INVALID warning Upper/m_Elements/0/m_Weight';
    expect(layered(mask(1011, 5, 'nan'))).toEqual({ masks: [undefined, undefined], issues: [place] });
    const resolveMask = () => importUnityMask('%YAML 1.1\n--- !u!1011 &5\nAvatarMask:\n  m_Name: "\n');
    expect(layered('', resolveMask, '{fileID: 101100000, guid: ab, type: 2}')).toEqual({
      masks: [undefined, undefined],
      issues: ['UNITY_INVALID warning line 4'],
    });
  });

  function layered(more: string, resolveMask?: () => ReturnType<typeof importUnityMask>, reference = '{fileID: 5}') {
    const layers = [
      { name: 'Base', machine: 1, more: `m_Mask: ${reference}` },
      { name: 'More', machine: 2 },
    ];
    const machines = [unity.machine(1, 'Base'), unity.machine(2, 'More')];
    const text = unity.text(unity.controller(layers), ...machines, more);
    const { controller } = importUnityController(text, resolveMask ? { resolveMask } : {});
    return {
      masks: controller.layers.map(({ mask: weights }) => weights),
      issues: controller.issues!.map(({ code, severity, path }) => `${code} ${severity} ${path}`),
    };
  }
});

describe('override controllers', () => {
  const text = unity.text(
    unity.object(
      221,
      22100000,
      'AnimatorOverrideController',
      `m_Name: Orc
m_Controller: {fileID: 9100000, guid: cc, type: 2}
m_Clips:
- m_OriginalClip: {fileID: 7400000, guid: aa, type: 2}
  m_OverrideClip: {fileID: 7400002, guid: bb, type: 3}
- m_OriginalClip: {fileID: 7400000, guid: dd, type: 2}
  m_OverrideClip: {fileID: 0}
- m_OriginalClip: {fileID: 7400000, guid: ee, type: 2}
  m_OverrideClip: {fileID: 7400000, guid: ff, type: 2}
- m_OriginalClip: {fileID: 0}
  m_OverrideClip: {fileID: 7400000, guid: ff, type: 2}`,
    ),
  );

  it('are read', () => {
    const override = importUnityOverride(text);
    expect(override).toMatchObject({
      name: 'Orc',
      controllerGuid: 'cc',
      clips: [
        { original: { guid: 'aa', fileID: '7400000' }, override: { guid: 'bb', fileID: '7400002' } },
        { original: { guid: 'dd', fileID: '7400000' }, override: null },
        { original: { guid: 'ee', fileID: '7400000' }, override: { guid: 'ff', fileID: '7400000' } },
      ],
    });
    expect(codes(override.issues)).toEqual(['UNITY_DANGLING Orc/m_Clips/3']);
  });

  const controller: ControllerModel = {
    format: 'maniple-controller',
    version: 1,
    name: 'Base',
    parameters: { Speed: { type: 'float' } },
    layers: [
      {
        name: 'Base',
        machine: {
          default: 'A',
          states: { A: { motion: 'aa:7400000', speed: 2 }, B: {} },
          machines: {
            Inner: {
              states: {
                C: {
                  motion: {
                    blend: '1d',
                    parameter: 'Speed',
                    children: [
                      { motion: 'dd:7400000', at: 0 },
                      { motion: 'aa:7400000', at: 1, timeScale: 2 },
                      { at: 2 },
                    ],
                  },
                },
              },
            },
          },
        },
      },
      { name: 'Sync', sync: { layer: 'Base', motions: { A: 'aa:7400000' } } },
    ],
  };

  it('replace clips everywhere, and nothing else', () => {
    const before = structuredClone(controller);
    const changed = applyUnityOverride(controller, importUnityOverride(text));
    const expected = JSON.parse(JSON.stringify(controller).replaceAll('aa:7400000', 'bb:7400002')) as ControllerModel;
    expect(changed.layers).toEqual(expected.layers);
    expect(codes(changed.issues)).toEqual(['UNITY_DANGLING Orc/m_Clips/3', 'UNITY_DANGLING Orc/ee:7400000']);
    expect(controller).toEqual(before);
  });

  it('follow the names that the controller was imported with', () => {
    const resolve = (guid: string) => ({ aa: 'Idle', bb: 'OrcIdle' })[guid];
    const named = JSON.parse(JSON.stringify(controller).replaceAll('aa:7400000', 'Idle')) as ControllerModel;
    const { layers } = applyUnityOverride(named, importUnityOverride(text), resolve);
    expect(layers[0]!.machine!.states.A!.motion).toBe('OrcIdle');
  });
});
