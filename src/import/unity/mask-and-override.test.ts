import { describe, expect, it } from 'vitest';
import { unityObject, unityText } from '../../../test/import/unity-yaml.ts';
import type { ControllerModel } from '../../asset/controller/model.ts';
import { importUnityMask } from './mask.ts';
import { applyUnityOverride, importUnityOverride } from './override.ts';

const codes = (issues: readonly { code: string; path: string }[] = []) =>
  issues.map(({ code, path }) => `${code} ${path}`);

describe('importUnityMask', () => {
  const read = (fields: string) =>
    importUnityMask(unityText(unityObject(319, 31900000, 'AvatarMask', `m_Name: Upper\n${fields}`)));

  it('reads weights by path', () => {
    const elements = ['', 'Root/Hips', 'Root/Hips/Spine'].map((path, i) => `- m_Path: ${path}\n  m_Weight: ${i / 2}\n`);
    expect(read(`m_Mask: ${'01000000'.repeat(13)}\nm_Elements:\n${elements.join('')}`)).toEqual({
      name: 'Upper',
      mask: { 'Root/Hips': 0.5, 'Root/Hips/Spine': 1 },
      issues: [],
    });
  });

  it('lets everything through if it is empty', () => expect(read('m_Elements: []').mask).toBeUndefined());

  it('warns of body parts', () => {
    const { mask, issues } = read(`m_Mask: ${'01000000'.repeat(12)}00000000\nm_Elements: []`);
    expect(mask).toBeUndefined();
    expect(codes(issues)).toEqual(['UNITY_UNSUPPORTED Upper/m_Mask']);
  });
});

describe('override controllers', () => {
  const text = unityText(
    unityObject(
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
