// Weights of blend shapes.
import { describe, expect, it } from 'vitest';
import { expectClose, MOMENTS, readClip } from '../../../test/import/unity-clip.ts';
import { type KeyOptions, sampleTrack, unity } from '../../../test/import/unity-yaml.ts';

describe('morph weights', () => {
  it('are in percent, one track per target, with times in common per mesh', () => {
    const curve = (name: string, keys: KeyOptions[], path: string) =>
      unity.curve(keys, `attribute: blendShape.${name}\npath: ${path}\nclassID: 137`);
    const { tracks } = readClip({
      curves: {
        m_FloatCurves: [
          curve(
            'Smile',
            [
              { time: 0, value: 0, out: 100 },
              { time: 1, value: 100, in: 100 },
            ],
            'Body/Face',
          ),
          curve(
            'Blink.L',
            [
              { time: 0, value: 50 },
              { time: 0.5, value: 50 },
            ],
            'Body/Face',
          ),
          curve('Smile', [{ time: 0, value: 20 }], 'Mask'),
        ],
      },
    });
    expect(tracks.map(({ path, channel, morph }) => [path, channel, morph])).toEqual([
      ['Body/Face', 'weights', 'Smile'],
      ['Body/Face', 'weights', 'Blink.L'],
      ['Mask', 'weights', 'Smile'],
    ]);
    expect(tracks[0]!.times).toEqual(new Float32Array([0, 0.5, 1]));
    expect(tracks[1]!.times).toEqual(tracks[0]!.times);
    for (const t of MOMENTS) {
      expectClose(sampleTrack(tracks[0]!, t), [t], 1e-6);
      expectClose(sampleTrack(tracks[1]!, t), [0.5], 1e-6);
    }
    expect(Array.from(tracks[2]!.values)).toEqual([Math.fround(0.2)]);
  });
});
