// What of a clip is told of, dropped or refused.
import { describe, expect, it } from 'vitest';
import { stopwatch } from '../../../test/support/stopwatch.ts';
import { codesOf, onlyTrack, readClip } from '../../../test/import/unity-clip.ts';
import { type KeyOptions, sampleTrack, unity } from '../../../test/import/unity-yaml.ts';
import type { ManipleError } from '../../errors.ts';

describe('what cannot be taken over', () => {
  const curve = (fields: string, more?: string) => unity.curve([{ time: 0, value: 1 }], fields, more);

  it('is reported, with its place', () => {
    const clip = readClip({
      curves: {
        m_FloatCurves: [
          curve('attribute: m_IsActive\npath: Hat\nclassID: 1'),
          curve('attribute: Left Arm Down-Up\npath: \nclassID: 95'),
          curve('attribute: LeftFootT.x\npath: \nclassID: 95'),
          curve('attribute: blendShape.A\npath: F\nclassID: 137', 'm_PreInfinity: 2\nm_PostInfinity: 4'),
          curve('attribute: blendShape.A\npath: F\nclassID: 137'),
        ],
        m_PPtrCurves: ['\n- curve: []'],
      },
      settings: 'm_StartTime: 0\nm_StopTime: 1\nm_Level: 0.5\nm_HeightFromFeet: 1',
      more: 'm_Legacy: 1',
    });
    expect(codesOf(clip).sort()).toEqual(
      [
        'UNITY_UNSUPPORTED Made/m_PPtrCurves',
        'UNITY_UNSUPPORTED Made/m_Legacy',
        'UNITY_UNSUPPORTED Made/m_FloatCurves/0',
        'UNITY_UNSUPPORTED Made/m_FloatCurves/3/m_PostInfinity',
        'UNITY_INVALID Made/m_FloatCurves/4',
        'UNITY_UNSUPPORTED Made/m_FloatCurves',
        'UNITY_UNSUPPORTED Made/m_AnimationClipSettings/m_Level',
        'UNITY_UNSUPPORTED Made/m_AnimationClipSettings/m_HeightFromFeet',
      ].sort(),
    );
    expect(clip.tracks).toHaveLength(1);
  });

  it('as keys is dropped: no number, or not later than the key before', () => {
    const keys: KeyOptions[] = [
      { time: 0, value: 1 },
      { time: 'nan', value: 5 },
      { time: 0.5, value: 'inf' },
      { time: 0.5, value: 2, in: 'nan' },
      { time: 0.5, value: 7 },
      { time: 0.25, value: 8 },
      { time: 1, value: 3 },
    ];
    const clip = readClip(
      { curves: { m_FloatCurves: [unity.curve(keys, 'attribute: blendShape.A\npath: F\nclassID: 137')] } },
      { morphScale: 1 },
    );
    expect(onlyTrack(clip).times).toEqual(new Float32Array([0, 0.5, 1]));
    expect([0, 0.5, 1].map((time) => sampleTrack(onlyTrack(clip), time)[0])).toEqual([1, 2, 3]);
    expect(codesOf(clip)).toEqual(['UNITY_INVALID Made/m_FloatCurves/0', 'UNITY_INVALID Made/m_FloatCurves/0']);
  });

  it.each([
    ['compressed rotations', { curves: { m_CompressedRotationCurves: ['\n- m_Path: A'] } }, 'UNITY_UNSUPPORTED'],
    [
      'unknown orders',
      { curves: { m_EulerCurves: [unity.curve([{ time: 0, value: [0, 0, 0] }], 'path: A', 'm_RotationOrder: 6')] } },
      'UNITY_INVALID',
    ],
    ['times that are no numbers', { curves: {}, settings: 'm_StopTime: Infinity' }, 'UNITY_INVALID'],
  ])('as a whole is refused: %s', (_, clip, code) => {
    expect(() => readClip(clip)).toThrowError(expect.objectContaining({ code }) as ManipleError);
  });

  it('fast enough needs too many keys', () => {
    const keys = [
      { time: 0, value: [0, 0, 0] },
      { time: 100, value: [0, 1e30, 1e30] },
    ];
    const curve = unity.curve(keys, 'path: A');
    const elapsed = stopwatch();
    const clip = { curves: { m_EulerCurves: [curve] }, settings: 'm_StartTime: 0\nm_StopTime: 100' };
    expect(() => readClip(clip)).toThrowError(expect.objectContaining({ code: 'UNITY_LIMIT' }) as ManipleError);
    expect(elapsed()).toBeLessThan(5_000);
  });
});
