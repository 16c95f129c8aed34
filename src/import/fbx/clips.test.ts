import { describe, expect, it } from 'vitest';
import { FbxBuilder, type Properties, record, TICKS } from '../../../test/import/build-fbx.ts';
import { evaluatePose } from '../../character/evaluate.ts';
import type { CharacterModel } from '../../character/model.ts';

// flags of keys
const [CONSTANT, LINEAR, CUBIC, NEXT, AUTO, TCB, USER, CLAMPED] = [2, 4, 8, 0x100, 0x100, 0x200, 0x400, 0x6000];

type Keys = readonly (readonly [number, number])[];

/** Metres along x at times of the first clip, of a joint with one curve. */
async function alongX(
  keys: Keys,
  form: { flags?: readonly number[]; data?: readonly number[] },
  times: readonly number[],
  [start, stop]: readonly [number, number] = [0, 2],
): Promise<{ values: number[]; model: CharacterModel }> {
  const fbx = new FbxBuilder();
  const joint = fbx.model('a', 'LimbNode');
  const { layers } = fbx.take('t', start, stop);
  fbx.curves(layers[0]!, joint, 'Lcl Translation', { X: keys.map(([time, value]) => [time, 100 * value]) }, form);
  const model = await fbx.import();
  return { values: times.map((time) => evaluatePose(model, model.clips[0], time)[0]!), model };
}

describe('curves', () => {
  it.each<[string, { flags: number[]; data: number[] }, Keys, [time: number, value: number][]]>([
    ['linear', { flags: [LINEAR], data: [] }, [[0, 0], [2, 4]], [[0.5, 1], [1, 2]]],
    ['constant', { flags: [CONSTANT], data: [] }, [[0, 1], [1, 4], [2, 9]], [[0.99, 1], [1, 4], [1.99, 4], [2, 9]]],
    ['constant with the next value', { flags: [CONSTANT | NEXT], data: [] }, [[0, 1], [1, 4], [2, 9]], [[0, 1], [0.01, 4], [1, 4], [1.01, 9]]],
    // Hermite: slopes 0 at both ends
    ['cubic with slopes 0', { flags: [CUBIC | USER], data: [0, 0, 0, 0] }, [[0, 0], [2, 1]], [[0.5, 0.15625], [1, 0.5]]],
    // a parabola x², of which centimetres are a hundred times as steep
    ['cubic with slopes', { flags: [CUBIC | USER, CUBIC | USER], data: [0, 400, 0, 0, 400, 0, 0, 0] }, [[0, 0], [2, 4]], [[0.5, 0.25], [1, 1], [1.5, 2.25]]],
    ['automatic', { flags: [CUBIC | AUTO], data: [0, 0, 0, 0] }, [[0, 0], [1, 1], [2, 2]], [[0.5, 0.375], [1, 1]]],
    ['automatic, kept from overshooting', { flags: [CUBIC | AUTO | CLAMPED], data: [0, 0, 0, 0] }, [[0, 0], [1, 1], [2, 1]], [[0.5, 0.5], [1, 1], [1.5, 1]]],
    // tension 1 is a slope of 0
    ['with tension', { flags: [CUBIC | TCB], data: [1, 0, 0, 0] }, [[0, 0], [1, 1], [2, 2]], [[0.5, 0.5]]],
  ])('%s', async (_, form, keys, expected) => {
    const { values, model } = await alongX(keys, form, expected.map(([time]) => time));
    values.forEach((value, i) => expect(value, `at ${expected[i]![0]}`).toBeCloseTo(expected[i]![1], 3));
    expect(model.issues.some(({ code }) => code === 'FBX_SIMPLIFIED')).toBe(form.flags[0] === (CUBIC | TCB));
  }); // prettier-ignore

  it('with weights are Bezier curves of time and value', async () => {
    // weights of 0.9999 on both sides: control points at (2 · 0.9999, 0) and (2 − 2 · 0.9999, 1)
    const weights = new Float32Array(new Uint32Array([(9_998 << 16) | 9_998]).buffer)[0]!;
    const flags = CUBIC | USER | 0x300_0000;
    const { values } = await alongX([[0, 0], [2, 1]], { flags: [flags], data: [0, 0, weights, 0] }, [0.4, 1, 1.6]); // prettier-ignore
    const w = 9_998 / 9_999;
    const valueAt = (time: number): number => {
      for (let u = 0; u <= 1; u += 1e-6) {
        const v = 1 - u;
        if (2 * (3 * v * v * u * w + 3 * v * u * u * (1 - w) + u ** 3) >= time) return 3 * v * u * u + u ** 3;
      }
      return 1;
    };
    [0.4, 1, 1.6].forEach((time, i) => expect(values[i]).toBeCloseTo(valueAt(time), 3));
  });

  it('of one value are one key', async () => {
    const { model } = await alongX([[0, 3], [1, 3], [2, 3]], {}, [0]); // prettier-ignore
    expect(model.clips[0]!.tracks.map(({ times }) => times.length)).toEqual([1]);
  });

  it('that are constant are steps', async () => {
    const { model } = await alongX([[0, 1], [1, 4]], { flags: [CONSTANT] }, [0]); // prettier-ignore
    expect(model.clips[0]!.tracks[0]!.interpolation).toBe('STEP');
  });

  it('of Euler angles are followed between their keys', async () => {
    const fbx = new FbxBuilder();
    const joint = fbx.model('a', 'LimbNode');
    const { layers } = fbx.take('t', 0, 1);
    fbx.curves(layers[0]!, joint, 'Lcl Rotation', { X: [[0, 0], [1, 150]], Y: [[0, 0], [1, 700]] }); // prettier-ignore
    const { clips, joints } = await fbx.import();
    const model = { joints } as CharacterModel;
    for (let time = 0; time <= 1; time += 0.01) {
      const [x, y] = [(150 * time * Math.PI) / 360, (700 * time * Math.PI) / 360];
      const exact = [
        Math.sin(x) * Math.cos(y),
        Math.cos(x) * Math.sin(y),
        -Math.sin(x) * Math.sin(y),
        Math.cos(x) * Math.cos(y),
      ];
      const found = evaluatePose(model, clips[0], time).subarray(3, 7);
      const cosine = Math.abs(exact.reduce((sum, value, c) => sum + value * found[c]!, 0));
      expect(2 * Math.acos(Math.min(1, cosine))).toBeLessThan(6e-4);
    }
  });

  it('with broken keys lose these, with an issue', async () => {
    const { values, model } = await alongX([[0, 0], [1, NaN], [0.5, 7], [0.2, 9], [2, 2]], {}, [2]); // prettier-ignore
    expect(values[0]).toBeCloseTo(2);
    expect(model.issues.map(({ code }) => code)).toContain('GLTF_KEYS_REPAIRED');
  });
});

describe('takes', () => {
  it('start at their own start, and end where they end', async () => {
    const { values, model } = await alongX([[0, 0], [10, 10]], {}, [0, 1], [4, 5]); // prettier-ignore
    values.forEach((value, i) => expect(value).toBeCloseTo([4, 5][i]!));
    expect(model.clips[0]!.duration).toBe(1);
    expect(model.clips[0]!.tracks[0]!.times.at(-1)).toBe(1);
    expect(model.issues.map(({ code }) => code)).toContain('FBX_IGNORED');
  });

  it.each([
    ['without a span', [0, 0] as const],
    ['with a span that has none of its keys', [50, 60] as const],
  ])('%s last from the first key to the last', async (_, span) => {
    const { model } = await alongX([[1, 0], [3, 10]], {}, [], span); // prettier-ignore
    expect(model.clips[0]!.duration).toBe(2);
    expect(model.issues.map(({ code }) => code)).toContain('FBX_SIMPLIFIED');
  });

  it('have the span of the list of takes, if they have none', async () => {
    const fbx = new FbxBuilder();
    const joint = fbx.model('a', 'LimbNode');
    const { layers } = fbx.take('t', 0, 0);
    fbx.curves(layers[0]!, joint, 'Lcl Translation', { X: [[0, 0], [3, 1]] }); // prettier-ignore
    fbx.extra.push(record('Takes', [], [record('Take', ['t'], [record('LocalTime', [TICKS, 2 * TICKS])])]));
    expect((await fbx.import()).clips[0]!.duration).toBe(1);
  });

  it('without keys make no clip', async () => {
    const fbx = new FbxBuilder();
    fbx.model('a', 'LimbNode');
    fbx.take('Take 001', 0, 1);
    const { clips, issues } = await fbx.import();
    expect([clips, issues.map(({ code }) => code)]).toEqual([[], ['FBX_IGNORED', 'GLTF_NO_MESH']]);
  });

  it('use the defaults of components without a curve', async () => {
    const fbx = new FbxBuilder();
    const joint = fbx.model('a', 'LimbNode', { 'Lcl Translation': [100, 200, 300] });
    const { layers } = fbx.take('t', 0, 1);
    fbx.curves(layers[0]!, joint, 'Lcl Translation', { X: [[0, 500]] }); // prettier-ignore
    const model = await fbx.import();
    expect(Array.from(evaluatePose(model, model.clips[0], 0).subarray(0, 3))).toEqual([5, 2, 3]);
  });

  it.each<[string, Properties, number[]]>([
    ['add', { Weight: 50 }, [2, 15, 2]],
    ['override', { BlendMode: 1, Weight: 50 }, [1.5, 15, 2.5]],
    ['have no effect if they are muted', { Mute: 1 }, [1, 10, 1]],
  ])('with layers that %s', async (_, layer, [x, angle, size]) => {
    const fbx = new FbxBuilder();
    const joint = fbx.model('a', 'LimbNode');
    const { layers } = fbx.take('t', 0, 1, [{}, layer]);
    layers.forEach((each, i) => {
      fbx.curves(each, joint, 'Lcl Translation', { X: [[0, [100, 200][i]!]] });
      fbx.curves(each, joint, 'Lcl Rotation', { X: [[0, [10, i === 1 && layer.BlendMode ? 20 : 10][i]!]] });
      fbx.curves(each, joint, 'Lcl Scaling', { X: [[0, [1, 4][i]!]] });
    });
    const model = await fbx.import();
    const pose = evaluatePose(model, model.clips[0], 0);
    expect(pose[0]).toBeCloseTo(x!);
    expect((2 * Math.asin(pose[3]!) * 180) / Math.PI).toBeCloseTo(angle!, 4);
    expect(pose[7]).toBeCloseTo(size!);
  });
});
