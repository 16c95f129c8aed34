import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import {
  type ClipText,
  type KeyOptions,
  sampleTrack,
  unityClip,
  unityCurve,
  unityText,
} from '../../../test/import/unity-yaml.ts';
import type { ManipleError } from '../../errors.ts';
import { importUnityClip, type UnityClip, type UnityClipOptions, type UnityTrack } from './clip.ts';
import { evaluateUnityCurve, type UnityKey } from './curve.ts';

const read = (clip: ClipText, options?: UnityClipOptions): UnityClip =>
  importUnityClip(unityText(unityClip(clip)), options);
const codes = ({ issues }: Pick<UnityClip, 'issues'>) => issues.map(({ code, path }) => `${code} ${path}`);
const only = ({ tracks }: UnityClip): UnityTrack => {
  expect(tracks).toHaveLength(1);
  return tracks[0]!;
};
const times = Array.from({ length: 201 }, (_, i) => i / 200);

function close(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  const miss = Math.max(...expected.map((value, i) => Math.abs(value - actual[i]!)));
  if (!(miss <= tolerance)) expect.fail(`${actual.join(', ')} is ${miss} from ${expected.join(', ')}`);
}

describe('positions and scales', () => {
  it('are taken over key by key, x turned round', () => {
    const keys: KeyOptions[] = [
      { time: 0, value: [1, 2, 3], out: [4, 5, 6] },
      { time: 0.5, value: [2, 2, 2], in: [1, 1, 1], out: [-1, 0, 1] },
      { time: 1, value: [0, 0, 0] },
    ];
    const curves = { m_PositionCurves: [unityCurve(keys, 'path: A/B')], m_ScaleCurves: [unityCurve(keys, 'path: A')] };
    const [position, scale] = read({ curves }).tracks;
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
    const clip = read({
      curves: { m_ScaleCurves: [unityCurve(keys, 'path: A')] },
      settings: 'm_StartTime: 0.5\nm_StopTime: 1.5',
    });
    expect(clip.duration).toBe(1);
    expect(only(clip).times).toEqual(new Float32Array([0, 1]));
    for (const time of times) close(sampleTrack(only(clip), time), [(time + 0.5) ** 3], 1e-6);
  });

  it('hold their end values outside their keys', () => {
    const keys = [
      { time: 1, value: [1, 1, 1], in: 5, out: 0 },
      { time: 2, value: [3, 3, 3] },
    ];
    const clip = read({
      curves: { m_ScaleCurves: [unityCurve(keys, 'path: A'), unityCurve(keys.slice(0, 1), 'path: B')] },
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
      const far = only(read({ curves: { m_ScaleCurves: [unityCurve(keys, 'path: A')] }, settings }));
      expect(sampleTrack(far, 0.1)).toEqual([value, value, value]);
    }
  });

  it('of a pose are single keys', () => {
    const keys = [
      { time: 0, value: [0, 0, 0], out: 2 },
      { time: 1, value: [1, 1, 1], in: 2 },
    ];
    const clip = read({
      curves: { m_ScaleCurves: [unityCurve(keys, 'path: A')] },
      settings: 'm_StartTime: 0.5\nm_StopTime: 0.5',
    });
    expect(clip.duration).toBe(0);
    expect(clip.facts).toEqual({ length: 0, loops: false });
    expect(only(clip)).toMatchObject({ times: new Float32Array([0]), values: new Float32Array([0.5, 0.5, 0.5]) });
  });

  it('may be moved component by component; the others rest', () => {
    const curve = unityCurve([{ time: 0, value: 2 }], 'attribute: m_LocalPosition.x\npath: A\nclassID: 4');
    const track = only(read({ curves: { m_FloatCurves: [curve] } }));
    expect(track).toMatchObject({ path: 'A', channel: 'translation', rest: [1, 2] });
    expect(track.values[0]).toBe(-2);
  });
});

describe('steps', () => {
  it('stay steps where nothing else moves', () => {
    const keys = [0, 0.25, 0.5, 1].map((time, i) => ({ time, value: [i, 0, 0], in: 'Infinity', out: 'Infinity' }));
    const track = only(read({ curves: { m_PositionCurves: [unityCurve(keys, 'path: A')] } }));
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
    const track = only(read({ curves: { m_ScaleCurves: [unityCurve(keys, 'path: A')] } }));
    // the number before 0.5 still belongs to the first half
    const before = new Float32Array([0.49999997]);
    expect(Array.from(track.times)).toEqual([0, before[0], 0.5, 1]);
    for (const time of times) {
      const rising = 2 * time;
      close(sampleTrack(track, time), time < 0.5 ? [0, 0, rising] : [rising, rising, rising], 1e-6);
    }
    close(sampleTrack(track, before[0]!), [0, 0, 1], 1e-6);
  });
});

describe('weighted curves', () => {
  it('stay within a hundred-thousandth of their range', () => {
    const seed = 20_250;
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
      const curve = unityCurve(options, 'attribute: blendShape.Smile\npath: Face\nclassID: 137');
      const track = only(read({ curves: { m_FloatCurves: [curve] } }, { morphScale: 1 }));
      const truth = times.map((time) => evaluateUnityCurve(keys, time));
      const range = Math.max(...truth) - Math.min(...truth);
      times.forEach((time, t) => close(sampleTrack(track, time), [truth[t]!], 1.5e-5 * range));
      expect(track.times.length).toBeLessThan(400);
    }
  });
});

describe('rotations', () => {
  const angle = (a: readonly number[], b: readonly number[]) =>
    2 * Math.acos(Math.min(1, Math.abs(a.reduce((sum, value, c) => sum + value * b[c]!, 0))));

  it('are taken over key by key, turned to the other hand', () => {
    const half = Math.SQRT1_2;
    const keys = [
      { time: 0, value: [0, 0, 0, 1] },
      { time: 1, value: [half, 0, 0, half] },
    ];
    const track = only(read({ curves: { m_RotationCurves: [unityCurve(keys, 'path: A')] } }));
    expect(track.times).toEqual(new Float32Array([0, 1]));
    expect(Array.from(track.values.slice(16, 20), (v) => v + 0)).toEqual(
      Array.from(new Float32Array([half, 0, 0, half])),
    );
    const mirrored = only(
      read({ curves: { m_RotationCurves: [unityCurve([{ time: 0, value: [0, 0.6, 0, 0.8] }], 'path: A')] } }),
    );
    expect(mirrored.values).toEqual(new Float32Array([0, -0.6, 0, 0.8]));
  });

  it('are components, interpolated and then normalised', () => {
    const random = new Random(3);
    for (let i = 0; i < 20; i++) {
      const values = Array.from({ length: 4 }, () => random.quaternion(3));
      // any sign, as editors leave them
      const keys = values.map((value, k) => ({
        time: k / 2,
        value: random.next() < 0.5 ? value : value.map((v) => -v),
        in: values[0]!.map(() => random.range(-1, 1)),
        out: values[0]!.map(() => random.range(-1, 1)),
      }));
      const settings = 'm_StartTime: 0.2\nm_StopTime: 1.2';
      const track = only(read({ curves: { m_RotationCurves: [unityCurve(keys, 'path: A')] }, settings }));
      for (const time of times) {
        const raw = [0, 1, 2, 3].map((c) => {
          const component = keys.map((key): UnityKey => ({
            time: key.time,
            value: key.value[c]!,
            inSlope: key.in[c]!,
            outSlope: key.out[c]!,
          }));
          return evaluateUnityCurve(component, time + 0.2);
        });
        const length = Math.hypot(...raw);
        if (length < 0.05) continue;
        const [x, y, z, w] = raw.map((v) => v / length) as [number, number, number, number];
        expect(angle(sampleTrack(track, time), [x, -y, -z, w])).toBeLessThan(1e-3);
      }
    }
  });

  it('have keys of length 1, and neighbours on one side', () => {
    const steps = [
      [0, 0, 0, 1],
      [0, 0, 0, -1],
      [0, -0.6, 0, -0.8],
      [0, 0.6, 0, 0.8],
    ];
    const keys = steps.map((value, i) => ({ time: i / 3, value, out: i === 1 ? 0 : 'Infinity' }));
    const track = only(read({ curves: { m_RotationCurves: [unityCurve(keys, 'path: A')] } }));
    const stride = track.interpolation === 'CUBICSPLINE' ? 12 : 4;
    const at = (key: number) =>
      Array.from(
        track.values.slice(
          key * stride + stride / 3 - (stride === 4 ? 4 / 3 : 0),
          key * stride + stride / 3 + (stride === 4 ? 8 / 3 : 4),
        ),
      );
    for (let key = 0; key < track.times.length; key++) {
      expect(Math.hypot(...at(key))).toBeCloseTo(1, 6);
      if (key > 0) expect(at(key).reduce((sum, value, c) => sum + value * at(key - 1)[c]!, 0)).toBeGreaterThan(0);
    }
    expect(angle(sampleTrack(track, 1), [0, -0.6, 0, 0.8])).toBeLessThan(1e-3);
  });

  type Matrix = readonly (readonly number[])[];
  const multiply = (a: Matrix, b: Matrix): Matrix =>
    a.map((row) => [0, 1, 2].map((c) => row.reduce((sum, v, k) => sum + v * b[k]![c]!, 0)));
  const turn = (axis: number, degrees: number): Matrix => {
    const [s, c] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
    const [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
    const m = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    [m[j]![j], m[j]![k], m[k]![j], m[k]![k]] = [c, -s, s, c];
    return m;
  };
  const matrixOf = ([x, y, z, w]: readonly number[]): Matrix => {
    const [a, b, c, d] = [x!, y!, z!, w!];
    return [
      [1 - 2 * (b * b + c * c), 2 * (a * b - c * d), 2 * (a * c + b * d)],
      [2 * (a * b + c * d), 1 - 2 * (a * a + c * c), 2 * (b * c - a * d)],
      [2 * (a * c - b * d), 2 * (b * c + a * d), 1 - 2 * (a * a + b * b)],
    ];
  };

  it.each([
    [0, 'XYZ'],
    [1, 'XZY'],
    [2, 'YZX'],
    [3, 'YXZ'],
    [4, 'ZXY'],
    [5, 'ZYX'],
  ])('from angles of order %i turn about %s, one after the other', (order, letters) => {
    const random = new Random(40 + order);
    const keys = [0, 0.3, 1].map((time) => ({
      time,
      value: random.vector(170),
      in: random.vector(200),
      out: random.vector(200),
    }));
    const curve = unityCurve(keys, 'path: A', `m_PreInfinity: 2\nm_RotationOrder: ${order}`);
    const clip = read({ curves: { m_EulerCurves: [curve] } });
    expect(codes(clip)).toEqual([]);
    for (const time of times) {
      const angles = [0, 1, 2].map((c) =>
        evaluateUnityCurve(
          keys.map((key) => ({ time: key.time, value: key.value[c]!, inSlope: key.in[c]!, outSlope: key.out[c]! })),
          time,
        ),
      );
      let unity: Matrix = turn(0, 0);
      for (const letter of letters)
        unity = multiply(turn('XYZ'.indexOf(letter), angles['XYZ'.indexOf(letter)]!), unity);
      // mirrored along x: what is off the diagonal in row or column x changes its sign
      const expected = unity.map((row, r) => row.map((value, c) => ((r === 0) === (c === 0) ? value : -value)));
      const actual = matrixOf(sampleTrack(only(clip), time));
      // a matrix that is turned by an angle is off by at most that much in any element
      actual.forEach((row, r) => close(row, expected[r]!, 1e-4));
    }
    expect(only(clip).times.length).toBeLessThan(150);
  });

  it('from angles may step in one component', () => {
    const keys: KeyOptions[] = [
      { time: 0, value: [0, 0, 0], out: [90, 'Infinity', 0] },
      { time: 1, value: [90, 90, 0], in: [90, 0, 0] },
    ];
    const track = only(read({ curves: { m_EulerCurves: [unityCurve(keys, 'path: A')] } }));
    for (const time of times.slice(0, -1)) {
      const half = (time * Math.PI) / 4;
      expect(angle(sampleTrack(track, time), [Math.sin(half), 0, 0, Math.cos(half)])).toBeLessThan(1e-3);
    }
    // about x first, then about y: y × x in Unity; y and z change sign
    const at = sampleTrack(track, 1);
    close(
      at,
      [0.5, -0.5, 0.5, 0.5].map((v) => v * Math.sign(at[3]!)),
      1e-6,
    );
  });

  it('turn many times between two keys', () => {
    const keys = [
      { time: 0, value: [0, 0, 0], out: 3600 },
      { time: 1, value: [0, 3600, 0], in: 3600 },
    ];
    const track = only(read({ curves: { m_EulerCurves: [unityCurve(keys, 'path: A')] } }));
    // x and z turn and come back: the derivative at both ends is that of all three
    expect(track.times.length).toBeGreaterThan(50);
    expect(track.times.length).toBeLessThan(5_000);
  });
});

describe('loop pose', () => {
  const settings = 'm_StartTime: 0\nm_StopTime: 1\nm_LoopTime: 1\nm_LoopBlend: 1';

  it('takes what was covered away, in proportion to time', () => {
    const keys = [
      { time: 0, value: [1, 0, 0], out: 0 },
      { time: 1, value: [3, 0, 4] },
    ];
    const track = only(read({ curves: { m_PositionCurves: [unityCurve(keys, 'path: A')] }, settings }));
    // from 1 by 2 smoothstep(t), less 2 t; x is turned round
    for (const t of times) {
      const smooth = 3 * t * t - 2 * t ** 3;
      close(sampleTrack(track, t), [-(1 + 2 * smooth - 2 * t), 0, 4 * smooth - 4 * t], 1e-6);
    }
  });

  it('makes a ramp of a step', () => {
    const keys = [
      { time: 0, value: [0, 0, 0], out: 'Infinity' },
      { time: 0.5, value: [0, 1, 0], out: 'Infinity' },
      { time: 1, value: [0, 1, 0] },
    ];
    const track = only(read({ curves: { m_PositionCurves: [unityCurve(keys, 'path: A')] }, settings }));
    for (const t of times) close(sampleTrack(track, t), [0, (t < 0.5 ? 0 : 1) - t, 0], 1e-6);
  });

  it('turns rotations back, in proportion to time', () => {
    // about x by 90° smoothstep(t): about one axis, turning back is taking the angle away
    const keys = [
      { time: 0, value: [10, 0, 0] },
      { time: 1, value: [100, 0, 0] },
    ];
    const track = only(read({ curves: { m_EulerCurves: [unityCurve(keys, 'path: A')] }, settings }));
    for (const t of times) {
      const half = ((10 + 90 * (3 * t * t - 2 * t ** 3) - 90 * t) * Math.PI) / 360;
      close(sampleTrack(track, t), [Math.sin(half), 0, 0, Math.cos(half)], 1e-4);
    }
  });
});

describe('morph weights', () => {
  it('are in percent, one track per target, with times in common per mesh', () => {
    const curve = (name: string, keys: KeyOptions[], path: string) =>
      unityCurve(keys, `attribute: blendShape.${name}\npath: ${path}\nclassID: 137`);
    const { tracks } = read({
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
    for (const t of times) {
      close(sampleTrack(tracks[0]!, t), [t], 1e-6);
      close(sampleTrack(tracks[1]!, t), [0.5], 1e-6);
    }
    expect(Array.from(tracks[2]!.values)).toEqual([Math.fround(0.2)]);
  });
});

describe('facts', () => {
  it('are what a controller has to know', () => {
    const event = (time: number, name: string, more = '') => `- time: ${time}\n  functionName: ${name}\n${more}`;
    const clip = read({
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
    expect(codes(clip)).toEqual(['UNITY_UNSUPPORTED Made/m_Events/2', 'UNITY_UNSUPPORTED Made/m_Events/3']);
  });

  it('name the pose that additive layers subtract', () => {
    const reference = (settings: string) =>
      read({ curves: {}, settings: `m_StartTime: 1\nm_StopTime: 3\nm_HasAdditiveReferencePose: 1\n${settings}` });
    const own = 'm_AdditiveReferencePoseTime: 1.5\nm_AdditiveReferencePoseClip: {fileID: 0}';
    expect(reference(own).facts.reference).toEqual({ clip: 'Made', time: 0.5 });
    const other = reference(
      'm_AdditiveReferencePoseTime: 1.5\nm_AdditiveReferencePoseClip: {fileID: 7, guid: ab, type: 2}',
    );
    expect(other.facts.reference).toEqual({ clip: 'ab:7', time: 1.5 });
    const gone = reference('m_AdditiveReferencePoseClip: {fileID: 7}');
    expect(codes(gone)).toEqual(['UNITY_DANGLING Made/m_AnimationClipSettings/m_AdditiveReferencePoseClip']);
  });
});

describe('what cannot be taken over', () => {
  const curve = (fields: string, more?: string) => unityCurve([{ time: 0, value: 1 }], fields, more);

  it('is told of, with its place', () => {
    const clip = read({
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
    expect(codes(clip).sort()).toEqual(
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
    const clip = read(
      { curves: { m_FloatCurves: [unityCurve(keys, 'attribute: blendShape.A\npath: F\nclassID: 137')] } },
      { morphScale: 1 },
    );
    expect(only(clip).times).toEqual(new Float32Array([0, 0.5, 1]));
    expect([0, 0.5, 1].map((time) => sampleTrack(only(clip), time)[0])).toEqual([1, 2, 3]);
    expect(codes(clip)).toEqual(['UNITY_INVALID Made/m_FloatCurves/0', 'UNITY_INVALID Made/m_FloatCurves/0']);
  });

  it.each([
    ['compressed rotations', { curves: { m_CompressedRotationCurves: ['\n- m_Path: A'] } }, 'UNITY_UNSUPPORTED'],
    [
      'unknown orders',
      { curves: { m_EulerCurves: [unityCurve([{ time: 0, value: [0, 0, 0] }], 'path: A', 'm_RotationOrder: 6')] } },
      'UNITY_INVALID',
    ],
    ['times that are no numbers', { curves: {}, settings: 'm_StopTime: Infinity' }, 'UNITY_INVALID'],
  ])('as a whole is refused: %s', (_, clip, code) => {
    expect(() => read(clip)).toThrowError(expect.objectContaining({ code }) as ManipleError);
  });

  it('fast enough needs too many keys', () => {
    const keys = [
      { time: 0, value: [0, 0, 0] },
      { time: 100, value: [0, 1e30, 1e30] },
    ];
    const curve = unityCurve(keys, 'path: A');
    const started = performance.now();
    const clip = { curves: { m_EulerCurves: [curve] }, settings: 'm_StartTime: 0\nm_StopTime: 100' };
    expect(() => read(clip)).toThrowError(expect.objectContaining({ code: 'UNITY_LIMIT' }) as ManipleError);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
