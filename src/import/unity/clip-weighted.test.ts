// Curves with weighted tangents, which no cubic of glTF is.
import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { runSeed } from '../../../test/support/setup.ts';
import { expectClose, MOMENTS, onlyTrack, readClip } from '../../../test/import/unity-clip.ts';
import { type KeyOptions, sampleTrack, unity } from '../../../test/import/unity-yaml.ts';
import { evaluateUnityCurve } from './curve.ts';

describe('weighted curves', () => {
  it('stay within a hundred-thousandth of their range', () => {
    const seed = runSeed;
    console.log(`seed ${seed}`);
    const random = new Random(seed);
    for (let i = 0; i < 40; i++) {
      const keys = [0, 0.4, 1].map((time) => ({
        time,
        value: random.range(-100, 100),
        inSlope: random.range(-300, 300),
        outSlope: random.range(-300, 300),
        weightedMode: random.integer(0, 3),
        inWeight: random.range(0.02, 0.98),
        outWeight: random.range(0.02, 0.98),
      }));
      const options = keys.map((key): KeyOptions => ({
        ...key,
        in: key.inSlope,
        out: key.outSlope,
        mode: key.weightedMode,
      }));
      const curve = unity.curve(options, 'attribute: blendShape.Smile\npath: Face\nclassID: 137');
      const track = onlyTrack(readClip({ curves: { m_FloatCurves: [curve] } }, { morphScale: 1 }));
      const truth = MOMENTS.map((time) => evaluateUnityCurve(keys, time));
      const range = Math.max(...truth) - Math.min(...truth);
      MOMENTS.forEach((time, t) => expectClose(sampleTrack(track, time), [truth[t]!], 1.5e-5 * range));
      expect(track.times.length).toBeLessThan(400);
    }
  });
});
