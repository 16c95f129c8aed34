import { describe, expect, it } from 'vitest';
import { stopwatch } from '../../../test/support/stopwatch.ts';
import { type KeyOptions, sampleTrack, unity } from '../../../test/import/unity-yaml.ts';
import type { RootMotionModel } from '../../character/model.ts';
import { importUnityClip, type UnityClip, type UnityClipOptions } from './clip.ts';

const times = Array.from({ length: 51 }, (_, i) => i / 50);
const floats = (attributes: Readonly<Record<string, readonly KeyOptions[]>>) =>
  Object.entries(attributes).map(([name, keys]) => unity.curve(keys, `attribute: ${name}\npath: \nclassID: 95`));
const ramp = (from: number, to: number): KeyOptions[] => [
  { time: 0, value: from, out: to - from },
  { time: 1, value: to, in: to - from },
];
const read = (
  curves: Readonly<Record<string, readonly string[]>>,
  settings = '',
  options?: UnityClipOptions,
): UnityClip =>
  importUnityClip(
    unity.text(
      unity.clip({ curves, settings: `m_StartTime: 0\nm_StopTime: 1${settings === '' ? '' : `\n${settings}`}` }),
    ),
    options,
  );

/** Straight lines between keys. */
function sampleRoot({ times, positions, rotations }: RootMotionModel, time: number): { p: number[]; q: number[] } {
  const key = Math.min(
    times.length - 2,
    Math.max(
      0,
      times.findLastIndex((at) => at <= time),
    ),
  );
  const s = (time - times[key]!) / (times[key + 1]! - times[key]!);
  const mix = (list: Float32Array, size: number) =>
    Array.from({ length: size }, (_, c) => (1 - s) * list[key * size + c]! + s * list[(key + 1) * size + c]!);
  const q = mix(rotations, 4);
  const length = Math.hypot(...q);
  return { p: mix(positions, 3), q: q.map((v) => v / length) };
}

function close(actual: readonly number[], expected: readonly number[], tolerance = 3e-4): void {
  expected.forEach((value, i) => expect(Math.abs(actual[i]! - value)).toBeLessThanOrEqual(tolerance));
}

describe('root motion', () => {
  it('too steep for few keys is refused, and soon', () => {
    const steep: KeyOptions[] = [
      { time: 0, value: 0, out: 2e11 },
      { time: 1, value: 1, in: 0 },
    ];
    const elapsed = stopwatch();
    expect(() => read({ m_FloatCurves: floats({ 'MotionT.x': steep }) })).toThrowError(
      expect.objectContaining({ code: 'UNITY_LIMIT' }) as Error,
    );
    expect(elapsed()).toBeLessThan(5_000);
  });

  it('is what the motion curves cover, in glTF’s axes', () => {
    const { root } = read({ m_FloatCurves: floats({ 'MotionT.x': ramp(5, 6), 'MotionT.z': ramp(1, 3) }) });
    expect(root).toEqual({
      times: new Float32Array([0, 1]),
      positions: new Float32Array([0, 0, 0, -1, 0, 2]),
      rotations: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1]),
    });
  });

  it('follows curves closely, from the start to the stop', () => {
    const curves = {
      m_FloatCurves: floats({
        'RootT.z': [
          { time: 0, value: 0 },
          { time: 1, value: 8 },
        ],
      }),
    };
    const { root } = importUnityClip(
      unity.text(unity.clip({ curves, settings: 'm_StartTime: 0.25\nm_StopTime: 0.75' })),
    );
    expect([root!.times[0], root!.times.at(-1)]).toEqual([0, 0.5]);
    const z = (t: number) => 8 * (3 * t * t - 2 * t ** 3);
    for (const t of times) close(sampleRoot(root!, t / 2).p, [0, 0, z(0.25 + t / 2) - z(0.25)], 2e-4);
  });

  it('leaves out what is baked into the pose', () => {
    const curves = {
      m_FloatCurves: floats({
        'MotionT.x': ramp(0, 1),
        'MotionT.y': ramp(0, 2),
        'MotionT.z': ramp(0, 3),
        'MotionQ.y': ramp(0, 0.6),
        'MotionQ.w': ramp(1, 0.8),
      }),
    };
    const end = (settings: string) => {
      const { root } = read(curves, settings);
      return root && [...root.positions.slice(-3), ...root.rotations.slice(-4)];
    };
    const [turned, straight] = [
      [0, -0.6, 0, 0.8],
      [0, 0, 0, 1],
    ];
    close(end('')!, [-1, 2, 3, ...turned], 1e-6);
    close(end('m_LoopBlendPositionY: 1')!, [-1, 0, 3, ...turned], 1e-6);
    close(end('m_LoopBlendPositionXZ: 1')!, [0, 2, 0, ...turned], 1e-6);
    close(end('m_LoopBlendOrientation: 1')!, [-1, 2, 3, ...straight], 1e-6);
    expect(end('m_LoopBlendOrientation: 1\nm_LoopBlendPositionY: 1\nm_LoopBlendPositionXZ: 1')).toBeUndefined();
  });

  describe('is taken out of the joint that carries it', () => {
    const walk: KeyOptions[] = [
      { time: 0, value: [0, 1, 0.5], out: [0, 0, 2] },
      { time: 1, value: [0, 1, 2.5], in: [0, 0, 2] },
    ];
    const sway: KeyOptions[] = [
      { time: 0, value: [0, 0, 0] },
      { time: 1, value: [1, 0, 0] },
    ];
    const curves = {
      m_PositionCurves: [unity.curve(sway, 'path: Hips/Spine'), unity.curve(walk, 'path: Hips')],
      m_FloatCurves: floats({ 'MotionT.z': ramp(0.5, 2.5) }),
    };

    it('by its curves', () => {
      const { tracks, root } = read(curves);
      const [spine, hips] = tracks;
      expect(sampleTrack(spine!, 1)).toEqual([-1, 0, 0]);
      for (const t of times) close(sampleTrack(hips!, t), [0, 1, 0.5], 1e-6);
      expect(Array.from(root!.positions)).toEqual([0, 0, 0, 0, 0, 2]);
    });

    it('by name', () => {
      const { tracks } = read(curves, '', { rootPath: 'Hips/Spine' });
      close(sampleTrack(tracks[0]!, 1), [-1, 0, -2], 1e-6);
      close(sampleTrack(tracks[1]!, 1), [0, 1, 2.5], 1e-6);
    });

    it('but not if it stays in the pose, or if none follows it', () => {
      expect(sampleTrack(read(curves, 'm_LoopBlendPositionXZ: 1').tracks[1]!, 1)).toEqual([0, 1, 2.5]);
      const other = { ...curves, m_FloatCurves: floats({ 'MotionT.z': ramp(0, 9) }) };
      expect(sampleTrack(read(other).tracks[1]!, 1)).toEqual([0, 1, 2.5]);
    });

    it('with its turning: motion and rest make up the curves again', () => {
      // turns left by 90° while it walks away from a place that is not the origin
      const half = Math.SQRT1_2;
      const place: KeyOptions[] = [
        { time: 0, value: [0.2, 1, 0], out: [1, 0, 2] },
        { time: 1, value: [1, 1.1, 2], in: [0, 0, 1] },
      ];
      const turning: KeyOptions[] = [
        { time: 0, value: [0, 0, 0, 1], out: [0, -1, 0, 0] },
        { time: 1, value: [0, -half, 0, half], in: [0, -1, 0, -1] },
      ];
      const part = (keys: readonly KeyOptions[], c: number): KeyOptions[] =>
        keys.map((key) => {
          const of = (field: unknown) => (Array.isArray(field) ? (field as number[])[c]! : 0);
          return { time: key.time, value: of(key.value), in: of(key.in), out: of(key.out) };
        });
      const all = {
        m_PositionCurves: [unity.curve(place, 'path: Hips')],
        m_RotationCurves: [unity.curve(turning, 'path: Hips')],
      };
      const motion = {
        m_FloatCurves: floats({
          'MotionT.x': part(place, 0),
          'MotionT.y': part(place, 1),
          'MotionT.z': part(place, 2),
          ...Object.fromEntries([0, 1, 2, 3].map((c) => [`MotionQ.${'xyzw'[c]}`, part(turning, c)])),
        }),
      };
      const whole = read(all).tracks;
      const { root, tracks } = read({ ...all, ...motion });
      const [q, p] = [
        tracks.find(({ channel }) => channel === 'rotation')!,
        tracks.find(({ channel }) => channel === 'translation')!,
      ];
      for (const t of times) {
        // nothing is left to the joint but where it began
        close(sampleTrack(p, t), [-0.2, 1, 0], 1e-4);
        close(sampleTrack(q, t), [0, 0, 0, 1], 1e-4);
        const { p: moved, q: turned } = sampleRoot(root!, t);
        const [x, y, z, w] = turned as [number, number, number, number];
        expect(Math.abs(x) + Math.abs(z)).toBeLessThan(1e-6);
        // about y by the angle whose half has sine y and cosine w
        const [sine, cosine] = [2 * y * w, w * w - y * y];
        const carried = [moved[0]! + cosine * -0.2, moved[1]! + 1, moved[2]! - sine * -0.2];
        close(
          carried,
          sampleTrack(
            whole.find(({ channel }) => channel === 'translation')!,
            t,
          ),
          5e-4,
        );
        const wanted = sampleTrack(
          whole.find(({ channel }) => channel === 'rotation')!,
          t,
        );
        close(turned, wanted, 5e-4);
      }
    });
  });

  it('of a pose is empty', () => {
    const curves = { m_FloatCurves: floats({ 'MotionT.z': ramp(0, 2) }) };
    const text = unity.text(unity.clip({ curves, settings: 'm_StartTime: 0\nm_StopTime: 0' }));
    expect(importUnityClip(text).root).toBeUndefined();
  });
});
