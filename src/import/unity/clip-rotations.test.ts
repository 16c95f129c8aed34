// Rotations of Unity's clips: quaternions, and angles in any order.
import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { runSeed } from '../../../test/support/setup.ts';
import { codesOf, expectClose, MOMENTS, onlyTrack, readClip } from '../../../test/import/unity-clip.ts';
import { type KeyOptions, sampleTrack, unity } from '../../../test/import/unity-yaml.ts';
import { evaluateUnityCurve, type UnityKey } from './curve.ts';

describe('rotations', () => {
  const angle = (a: readonly number[], b: readonly number[]) =>
    2 * Math.acos(Math.min(1, Math.abs(a.reduce((sum, value, c) => sum + value * b[c]!, 0))));

  it('are taken over key by key, turned to the other hand', () => {
    const half = Math.SQRT1_2;
    const keys = [
      { time: 0, value: [0, 0, 0, 1] },
      { time: 1, value: [half, 0, 0, half] },
    ];
    const track = onlyTrack(readClip({ curves: { m_RotationCurves: [unity.curve(keys, 'path: A')] } }));
    expect(track.times).toEqual(new Float32Array([0, 1]));
    expect(Array.from(track.values.slice(16, 20), (v) => v + 0)).toEqual(
      Array.from(new Float32Array([half, 0, 0, half])),
    );
    const mirrored = onlyTrack(
      readClip({ curves: { m_RotationCurves: [unity.curve([{ time: 0, value: [0, 0.6, 0, 0.8] }], 'path: A')] } }),
    );
    expect(mirrored.values).toEqual(new Float32Array([0, -0.6, 0, 0.8]));
  });

  it('are components, interpolated and then normalised', () => {
    const random = new Random(runSeed);
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
      const track = onlyTrack(readClip({ curves: { m_RotationCurves: [unity.curve(keys, 'path: A')] }, settings }));
      for (const time of MOMENTS) {
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
    const track = onlyTrack(readClip({ curves: { m_RotationCurves: [unity.curve(keys, 'path: A')] } }));
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
    const random = new Random(runSeed + order);
    const keys = [0, 0.3, 1].map((time) => ({
      time,
      value: random.vector(170),
      in: random.vector(200),
      out: random.vector(200),
    }));
    const curve = unity.curve(keys, 'path: A', `m_PreInfinity: 2\nm_RotationOrder: ${order}`);
    const clip = readClip({ curves: { m_EulerCurves: [curve] } });
    expect(codesOf(clip)).toEqual([]);
    for (const time of MOMENTS) {
      const angles = [0, 1, 2].map((c) =>
        evaluateUnityCurve(
          keys.map((key) => ({ time: key.time, value: key.value[c]!, inSlope: key.in[c]!, outSlope: key.out[c]! })),
          time,
        ),
      );
      let inUnity: Matrix = turn(0, 0);
      for (const letter of letters)
        inUnity = multiply(turn('XYZ'.indexOf(letter), angles['XYZ'.indexOf(letter)]!), inUnity);
      // mirrored along x: what is off the diagonal in row or column x changes its sign
      const expected = inUnity.map((row, r) => row.map((value, c) => ((r === 0) === (c === 0) ? value : -value)));
      const actual = matrixOf(sampleTrack(onlyTrack(clip), time));
      // a matrix that is turned by an angle is off by at most that much in any element
      actual.forEach((row, r) => expectClose(row, expected[r]!, 1e-4));
    }
    expect(onlyTrack(clip).times.length).toBeLessThan(150);
  });

  it('from angles may step in one component', () => {
    const keys: KeyOptions[] = [
      { time: 0, value: [0, 0, 0], out: [90, 'Infinity', 0] },
      { time: 1, value: [90, 90, 0], in: [90, 0, 0] },
    ];
    const track = onlyTrack(readClip({ curves: { m_EulerCurves: [unity.curve(keys, 'path: A')] } }));
    for (const time of MOMENTS.slice(0, -1)) {
      const half = (time * Math.PI) / 4;
      expect(angle(sampleTrack(track, time), [Math.sin(half), 0, 0, Math.cos(half)])).toBeLessThan(1e-3);
    }
    // about x first, then about y: y × x in Unity; y and z change sign
    const at = sampleTrack(track, 1);
    expectClose(
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
    const track = onlyTrack(readClip({ curves: { m_EulerCurves: [unity.curve(keys, 'path: A')] } }));
    // x and z turn and come back: the derivative at both ends is that of all three
    expect(track.times.length).toBeGreaterThan(50);
    expect(track.times.length).toBeLessThan(5_000);
  });
});
