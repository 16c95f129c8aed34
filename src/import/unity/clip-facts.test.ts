// What a controller has to know of a clip.
import { describe, expect, it } from 'vitest';
import { codesOf, readClip } from '../../../test/import/unity-clip.ts';

describe('facts', () => {
  it('are what a controller has to know', () => {
    const event = (time: number, name: string, more = '') => `- time: ${time}\n  functionName: ${name}\n${more}`;
    const clip = readClip({
      curves: {},
      settings: 'm_StartTime: 1\nm_StopTime: 3\nm_LoopTime: 1\nm_CycleOffset: 0.25\nm_Mirror: 1',
      more: `m_Events:\n${event(2, 'Late', '  intParameter: 3\n')}${event(1, 'Early', '  data: left foot\n  floatParameter: 0.5\n')}${event(3.5, 'Outside')}${event(3, 'Object', '  objectReferenceParameter: {fileID: 5, guid: ab, type: 2}\n')}`,
    });
    expect(clip).toMatchObject({ name: 'Made', duration: 2, loops: true, tracks: [] });
    expect(clip.facts).toEqual({
      length: 2,
      loops: true,
      cycleOffset: 0.25,
      mirror: true,
      events: [
        { name: 'Early', time: 0, number: 0.5, text: 'left foot' },
        { name: 'Late', time: 1, integer: 3 },
        { name: 'Object', time: 2 },
      ],
    });
    expect(codesOf(clip)).toEqual(['UNITY_UNSUPPORTED Made/m_Events/2', 'UNITY_UNSUPPORTED Made/m_Events/3']);
  });

  it('name the pose that additive layers subtract', () => {
    const reference = (settings: string) =>
      readClip({ curves: {}, settings: `m_StartTime: 1\nm_StopTime: 3\nm_HasAdditiveReferencePose: 1\n${settings}` });
    const own = 'm_AdditiveReferencePoseTime: 1.5\nm_AdditiveReferencePoseClip: {fileID: 0}';
    expect(reference(own).facts.reference).toEqual({ clip: 'Made', time: 0.5 });
    const other = reference(
      'm_AdditiveReferencePoseTime: 1.5\nm_AdditiveReferencePoseClip: {fileID: 7, guid: ab, type: 2}',
    );
    expect(other.facts.reference).toEqual({ clip: 'ab:7', time: 1.5 });
    const gone = reference('m_AdditiveReferencePoseClip: {fileID: 7}');
    expect(codesOf(gone)).toEqual(['UNITY_DANGLING Made/m_AnimationClipSettings/m_AdditiveReferencePoseClip']);
  });
});
