// Loop Pose: what a clip lacks at its end to be at its begin is taken away, in proportion to time.
import { describe, it } from 'vitest';
import { expectClose, MOMENTS, onlyTrack, readClip } from '../../../test/import/unity-clip.ts';
import { sampleTrack, unity } from '../../../test/import/unity-yaml.ts';

describe('loop pose', () => {
  const settings = 'm_StartTime: 0\nm_StopTime: 1\nm_LoopTime: 1\nm_LoopBlend: 1';

  it('takes what was covered away, in proportion to time', () => {
    const keys = [
      { time: 0, value: [1, 0, 0], out: 0 },
      { time: 1, value: [3, 0, 4] },
    ];
    const track = onlyTrack(readClip({ curves: { m_PositionCurves: [unity.curve(keys, 'path: A')] }, settings }));
    // from 1 by 2 smoothstep(t), less 2 t; x is turned round
    for (const t of MOMENTS) {
      const smooth = 3 * t * t - 2 * t ** 3;
      expectClose(sampleTrack(track, t), [-(1 + 2 * smooth - 2 * t), 0, 4 * smooth - 4 * t], 1e-6);
    }
  });

  it('makes a ramp of a step', () => {
    const keys = [
      { time: 0, value: [0, 0, 0], out: 'Infinity' },
      { time: 0.5, value: [0, 1, 0], out: 'Infinity' },
      { time: 1, value: [0, 1, 0] },
    ];
    const track = onlyTrack(readClip({ curves: { m_PositionCurves: [unity.curve(keys, 'path: A')] }, settings }));
    for (const t of MOMENTS) expectClose(sampleTrack(track, t), [0, (t < 0.5 ? 0 : 1) - t, 0], 1e-6);
  });

  it('turns rotations back, in proportion to time', () => {
    // about x by 90° smoothstep(t): about one axis, turning back is taking the angle away
    const keys = [
      { time: 0, value: [10, 0, 0] },
      { time: 1, value: [100, 0, 0] },
    ];
    const track = onlyTrack(readClip({ curves: { m_EulerCurves: [unity.curve(keys, 'path: A')] }, settings }));
    for (const t of MOMENTS) {
      const half = ((10 + 90 * (3 * t * t - 2 * t ** 3) - 90 * t) * Math.PI) / 360;
      expectClose(sampleTrack(track, t), [Math.sin(half), 0, 0, Math.cos(half)], 1e-4);
    }
  });
});
