// Positions and scales of Unity's clips, and their steps.
import { describe, expect, it } from 'vitest';
import { expectClose, MOMENTS, onlyTrack, readClip } from '../../../test/import/unity-clip.ts';
import { type KeyOptions, sampleTrack, unity } from '../../../test/import/unity-yaml.ts';

describe('positions and scales', () => {
  it('are taken over key by key, x turned round', () => {
    const keys: KeyOptions[] = [
      { time: 0, value: [1, 2, 3], out: [4, 5, 6] },
      { time: 0.5, value: [2, 2, 2], in: [1, 1, 1], out: [-1, 0, 1] },
      { time: 1, value: [0, 0, 0] },
    ];
    const curves = {
      m_PositionCurves: [unity.curve(keys, 'path: A/B')],
      m_ScaleCurves: [unity.curve(keys, 'path: A')],
    };
    const [position, scale] = readClip({ curves }).tracks;
    expect(position).toEqual({
      path: 'A/B',
      channel: 'translation',
      interpolation: 'CUBICSPLINE',
      times: new Float32Array([0, 0.5, 1]),
      // in-tangent, value, out-tangent; outside the keys the curve is flat
      values: new Float32Array(
        [
          [0, 0, 0, -1, 2, 3, -4, 5, 6],
          [-1, 1, 1, -2, 2, 2, 1, 0, 1],
          [0, 0, 0, 0, 0, 0, 0, 0, 0],
        ].flat(),
      ),
    });
    expect(scale!.values.slice(3, 6)).toEqual(new Float32Array([1, 2, 3]));
  });

  it('begin at the start and end at the stop', () => {
    // v = t³ on 0 … 2: a Hermite cubic is exactly that
    const keys: KeyOptions[] = [
      { time: 0, value: [0, 0, 0] },
      { time: 2, value: [8, 8, 8], in: 12 },
    ];
    const clip = readClip({
      curves: { m_ScaleCurves: [unity.curve(keys, 'path: A')] },
      settings: 'm_StartTime: 0.5\nm_StopTime: 1.5',
    });
    expect(clip.duration).toBe(1);
    expect(onlyTrack(clip).times).toEqual(new Float32Array([0, 1]));
    for (const time of MOMENTS) expectClose(sampleTrack(onlyTrack(clip), time), [(time + 0.5) ** 3], 1e-6);
  });

  it('hold their end values outside their keys', () => {
    const keys = [
      { time: 1, value: [1, 1, 1], in: 5, out: 0 },
      { time: 2, value: [3, 3, 3] },
    ];
    const clip = readClip({
      curves: { m_ScaleCurves: [unity.curve(keys, 'path: A'), unity.curve(keys.slice(0, 1), 'path: B')] },
      settings: 'm_StartTime: 0.5\nm_StopTime: 4',
    });
    const [two, one] = clip.tracks;
    expect(two!.times).toEqual(new Float32Array([0.5, 1.5]));
    expect(one).toMatchObject({
      interpolation: 'LINEAR',
      times: new Float32Array([0.5]),
      values: new Float32Array([1, 1, 1]),
    });
    // all keys before the start, or after the stop
    for (const [start, stop, value] of [
      [3, 4, 3],
      [0, 0.5, 1],
    ] as const) {
      const settings = `m_StartTime: ${start}\nm_StopTime: ${stop}`;
      const far = onlyTrack(readClip({ curves: { m_ScaleCurves: [unity.curve(keys, 'path: A')] }, settings }));
      expect(sampleTrack(far, 0.1)).toEqual([value, value, value]);
    }
  });

  it('of a pose are single keys', () => {
    const keys = [
      { time: 0, value: [0, 0, 0], out: 2 },
      { time: 1, value: [1, 1, 1], in: 2 },
    ];
    const clip = readClip({
      curves: { m_ScaleCurves: [unity.curve(keys, 'path: A')] },
      settings: 'm_StartTime: 0.5\nm_StopTime: 0.5',
    });
    expect(clip.duration).toBe(0);
    expect(clip.facts).toEqual({ length: 0, loops: false });
    expect(onlyTrack(clip)).toMatchObject({ times: new Float32Array([0]), values: new Float32Array([0.5, 0.5, 0.5]) });
  });

  it('may be moved component by component; the others rest', () => {
    const curve = unity.curve([{ time: 0, value: 2 }], 'attribute: m_LocalPosition.x\npath: A\nclassID: 4');
    const track = onlyTrack(readClip({ curves: { m_FloatCurves: [curve] } }));
    expect(track).toMatchObject({ path: 'A', channel: 'translation', rest: [1, 2] });
    expect(track.values[0]).toBe(-2);
  });
});

describe('steps', () => {
  it('stay steps where nothing else moves', () => {
    const keys = [0, 0.25, 0.5, 1].map((time, i) => ({ time, value: [i, 0, 0], in: 'Infinity', out: 'Infinity' }));
    const track = onlyTrack(readClip({ curves: { m_PositionCurves: [unity.curve(keys, 'path: A')] } }));
    expect(track.interpolation).toBe('STEP');
    expect(track.times).toEqual(new Float32Array([0, 0.25, 0.5, 1]));
    expect(track.values).toEqual(new Float32Array([0, 0, 0, -1, 0, 0, -2, 0, 0, -3, 0, 0]));
  });

  it('of one component leave the others as they are', () => {
    // x steps by its out slope, y by the next in slope, z moves
    const keys: KeyOptions[] = [
      { time: 0, value: [0, 0, 0], out: ['Infinity', 0, 2] },
      { time: 0.5, value: [1, 1, 1], in: [0, '-Infinity', 2], out: [2, 2, 2] },
      { time: 1, value: [2, 2, 2], in: 2 },
    ];
    const track = onlyTrack(readClip({ curves: { m_ScaleCurves: [unity.curve(keys, 'path: A')] } }));
    // the number before 0.5 still belongs to the first half
    const before = new Float32Array([0.49999997]);
    expect(Array.from(track.times)).toEqual([0, before[0], 0.5, 1]);
    for (const time of MOMENTS) {
      const rising = 2 * time;
      expectClose(sampleTrack(track, time), time < 0.5 ? [0, 0, rising] : [rising, rising, rising], 1e-6);
    }
    expectClose(sampleTrack(track, before[0]!), [0, 0, 1], 1e-6);
  });
});
