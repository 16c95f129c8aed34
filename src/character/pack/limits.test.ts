import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { full, hasTurn, runSeed, some } from '../../../test/support/setup.ts';
import { thrownBy } from '../../../test/support/thrown-by.ts';
import { standIn } from '../../cli/stand-in.ts';
import { fixedPhase } from '../../math/fixed.ts';
import { readBaked, writeBaked } from '../file/index.ts';
import type { Character } from '../character.ts';
import { RigTable, resolveMotion, sampleLane } from '../format/clip-format.ts';
import type { CharacterModel, ClipModel, Interpolation, TrackModel } from '../model.ts';
import { INTERVAL_LIMIT } from '../format/rig-layout.ts';
import { packCharacter } from './index.ts';

/** A joint that moves a triangle, and clips. */
const modelWith = (...clips: ClipModel[]): CharacterModel => ({ ...standIn([]), name: 'kite', clips });

/** A clip that moves the joint along X. */
function along(name: string, times: ArrayLike<number>, x: (k: number) => number, duration?: number): ClipModel {
  const values = new Float32Array(3 * times.length).map((_, i) => (i % 3 === 0 ? x(i / 3) : 0));
  const track: TrackModel = {
    path: 'translation',
    targetIndex: 0,
    interpolation: 'LINEAR',
    times: Float32Array.from(times),
    values,
  };
  return { name, duration: duration ?? times[times.length - 1]!, tracks: [track] };
}

/** Frames at 64 Hz: sums that floats hold exactly. */
function frames(count: number): Float32Array {
  return new Float32Array(count).map((_, k) => k / 64);
}

function xAt({ rig }: Character, phase: number): number {
  const [table, out] = [new RigTable(rig), new Float64Array(10)];
  sampleLane(table, resolveMotion(table, 0, 0, fixedPhase(phase)), 0, out);
  return out[0]!;
}

describe.runIf(hasTurn(2))('a clip of as many intervals as there can be', () => {
  it('keeps its keys, all of them in reach of the hints', () => {
    const clip = along('Longest', frames(INTERVAL_LIMIT + 1), (k) => k % 7);
    const character = readBaked(writeBaked(packCharacter(modelWith(clip), { errorBudget: 0 })));
    expect(character.clips[0]).toMatchObject({ form: 'exact', knots: INTERVAL_LIMIT + 1 });
    for (const k of [0, 1, 32767, 32768, 65533, 65534]) {
      expect(xAt(character, (k + 0.5) / INTERVAL_LIMIT)).toBeCloseTo(((k % 7) + ((k + 1) % 7)) / 2, 2);
    }
  });

  it.each([
    ['one key more', along('Too long', frames(INTERVAL_LIMIT + 2), (k) => k % 7)],
    [
      'a jump at the end',
      {
        ...along('Too long', frames(INTERVAL_LIMIT + 1), (k) => k % 7),
        tracks: along('', frames(INTERVAL_LIMIT + 1), (k) => k % 7).tracks.map((track) =>
          Object.assign(track, { interpolation: 'STEP' as const }),
        ),
      },
    ],
  ])('is refused with %s', (_, clip) => {
    const refusal = thrownBy(() =>
      packCharacter(
        modelWith(
          along('Short', [0, 1], (k) => k),
          clip,
        ),
        { errorBudget: 0 },
      ),
    );
    expect(refusal.issues).toEqual([
      {
        code: 'CLIP_TOO_LONG',
        severity: 'error',
        path: 'Too long',
        message: 'The unquantised clip has 65536 intervals between keys; the limit is 65535.',
        suggestion: 'Raise the error budget, or split the clip.',
      },
    ]);
  });
});

describe.runIf(hasTurn(2))('a clip of more keys than intervals', () => {
  const count = 70_000;

  const cases: Readonly<Record<string, () => void>> = {
    'is packed where most keys lie on a curve': () => {
      const clip = along('Sway', frames(count), (k) => Math.sin(k / 4000));
      const { clips } = packCharacter(modelWith(clip));
      expect(clips[0]!.form).not.toBe('exact');
      expect(clips[0]!.knots).toBeLessThan(2000);
    },
    'is packed with as much of the budget as it takes': () => {
      // half the budget would keep every key, the whole none
      const clip = along('Tremble', frames(count), (k) => (k % 2 ? 0.0004 : -0.0004));
      const { clips } = packCharacter(modelWith(clip), { errorBudget: 0.001 });
      expect(clips[0]).toMatchObject({ form: 'linear', knots: 2 });
    },
    'is sampled where every key counts, at equal steps': () => {
      const random = new Random(1);
      const { clips } = packCharacter(modelWith(along('Noise', frames(count), () => random.next())));
      expect(clips[0]).toMatchObject({ form: 'sampled', knots: count });
    },
    'is refused where every key counts, at others': () => {
      const random = new Random(1);
      const uneven = frames(count).map((time, k) => time + (k % 3) / 512);
      const clip = along('Noise', uneven, () => random.next());
      expect(thrownBy(() => packCharacter(modelWith(clip))).issues).toMatchObject([
        {
          code: 'CLIP_TOO_LONG',
          path: 'Noise',
          message: expect.stringContaining('has 69999 intervals') as string,
        },
      ]);
    },
  };

  it.each(some(Object.entries(cases), 1))('%s', (_, run) => run());
});

describe.runIf(hasTurn(2))('clips that take more work than is allowed', () => {
  // 400 keys, three samples more between any two; a joint and a channel
  const work = 2 * (4 * 399 + 1);
  const clip = (name: string) => along(name, frames(400), (k) => Math.sin(k / 40));

  it('are packed up to the limit', () => {
    expect(packCharacter(modelWith(clip('a'), clip('b')), { maxClipWork: 2 * work }).clips).toHaveLength(2);
  });

  it('are refused past it, by the first that is too much', () => {
    const refusal = thrownBy(() => packCharacter(modelWith(clip('a'), clip('b')), { maxClipWork: 2 * work - 1 }));
    expect(refusal.issues).toMatchObject([
      { code: 'CLIP_TOO_LONG', path: 'b', message: expect.stringContaining(`over ${2 * work - 1} values`) as string },
    ]);
  });

  it('are refused in milliseconds by default: channels with as many times of their own', () => {
    const joints = Array.from({ length: 100 }, () => standIn([]).joints[0]!);
    const tracks = joints.map((_, targetIndex) => ({
      ...clip('').tracks[0]!,
      targetIndex,
      times: frames(400).map((time) => time + targetIndex / 6400),
    }));
    const start = performance.now();
    const refusal = thrownBy(() => packCharacter({ ...modelWith({ name: 'all', duration: 7, tracks }), joints }));
    expect(refusal.issues).toMatchObject([{ code: 'CLIP_TOO_LONG', path: 'all' }]);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe.runIf(hasTurn(2))('keys that are next to no time apart', () => {
  const rates = ({ rig }: Character) => {
    const { valuePair, intervalCount, rowStride } = new RigTable(rig).clip(0, 0);
    const floats = new Float32Array(rig.buffer, 8 * valuePair, 8 * rowStride * intervalCount);
    return floats.filter((_, i) => (i / (2 * rowStride)) % 4 >= 2);
  };

  it('have no rates where they share a phase', () => {
    const character = packCharacter(modelWith(along('Snap', [0, 1e-39, 1], (k) => k)), { errorBudget: 0 });
    expect([...rates(character)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    expect(xAt(readBaked(writeBaked(character)), 0.5)).toBe(1.5);
  });

  it('have finite rates where they do not', () => {
    const character = packCharacter(modelWith(along('Flash', [0, 1e-39, 2e-38], (k) => 5 * k)), { errorBudget: 0 });
    expect(rates(character)[0]).toBe(Math.fround(3.4028234663852886e38));
    expect(xAt(readBaked(writeBaked(character)), 1)).toBeCloseTo(10, 5);
  });

  it('can be baked, whatever they hold', () => {
    const random = new Random(runSeed);
    for (let round = 0; round < (full ? 3000 : 60); round++) {
      const duration = Math.fround(2 ** random.range(-126, 20));
      const near = () => Math.fround(duration * 2 ** random.range(-40, 0));
      const times = [0, duration, near(), near(), random.pick([1, 0.5, 2 ** -33]) * duration * (1 - 2 ** -24)];
      const sorted = Float32Array.from(new Set(times.map(Math.fround))).sort();
      const interpolation = random.pick<Interpolation>(['STEP', 'LINEAR', 'CUBICSPLINE']);
      const size = 10 ** random.range(-30, 17);
      const [path, width] = random.pick([['translation', 3] as const, ['rotation', 4] as const]);
      const value = () => (path === 'rotation' ? random.quaternion(3) : random.vector(size));
      const slope = () => Array.from({ length: width }, () => random.range(-1, 1) * Math.min(1e30, size / duration));
      const keys = Array.from(sorted, () =>
        interpolation === 'CUBICSPLINE' ? [slope(), value(), slope()] : [value()],
      );
      const values = Float32Array.from(keys.flat(2));
      const tracks: TrackModel[] = [{ path, targetIndex: 0, interpolation, times: sorted, values }];
      const character = packCharacter(modelWith({ name: 'Any', duration, tracks }), { errorBudget: 0 });
      expect(rates(character).every(Number.isFinite), `round ${round}`).toBe(true);
      expect(() => writeBaked(character), `round ${round}`).not.toThrow();
    }
  });
});

describe.runIf(hasTurn(2))('a clip that is shorter than floats can say', () => {
  it.each([0, 0.001])('becomes a pose, at a budget of %f', (errorBudget) => {
    const model = modelWith(along('Blip', [0, 2 ** -127], (k) => 1 + k));
    const character = readBaked(writeBaked(packCharacter(model, { errorBudget })));
    expect(character.clips[0]!.duration).toBe(0);
    expect(new RigTable(character.rig).clip(0, 0).duration).toBe(0);
    for (const phase of [0, 0.5, 1]) expect(xAt(character, phase)).toBeCloseTo(1, 3);
  });

  it('stays a clip from 2⁻¹²⁶ s on', () => {
    const character = packCharacter(modelWith(along('Blip', [0, 2 ** -126], (k) => 1 + k)), { errorBudget: 0 });
    expect(readBaked(writeBaked(character)).clips[0]!.duration).toBe(2 ** -126);
  });
});

describe.runIf(hasTurn(2))('a model that cannot be packed', () => {
  it('has no joints', () => {
    const model = { ...modelWith(), joints: [], bindings: [], meshes: [] };
    expect(thrownBy(() => packCharacter(model)).issues).toMatchObject([{ code: 'CHARACTER_NO_JOINTS', path: 'kite' }]);
  });

  it('has morph weights without names, and names without weights; all is said at once', () => {
    const morphSets = [
      { nodeIndex: 0, names: ['smile'], weights: [0, 1] },
      { nodeIndex: 1, names: ['frown'], weights: [0] },
      { nodeIndex: 2, names: ['blink', 'wink'], weights: [] },
    ];
    expect(thrownBy(() => packCharacter({ ...modelWith(), joints: [], morphSets })).issues).toMatchObject([
      { code: 'CHARACTER_NO_JOINTS' },
      { code: 'CHARACTER_MORPHS_UNMATCHED', path: 'kite/morphSets/0', message: '1 names for 2 weights.' },
      { code: 'CHARACTER_MORPHS_UNMATCHED', path: 'kite/morphSets/2', message: '2 names for 0 weights.' },
    ]);
  });

  it.each([
    [4096, 1024, undefined],
    [4097, 1024, 'CHARACTER_TOO_MANY_JOINTS'],
    [4096, 1025, 'CHARACTER_TOO_MANY_MORPHS'],
  ] as const)('has %i joints and %i morph weights: %s', (jointCount, morphCount, code) => {
    const base = modelWith();
    const joints = Array.from({ length: jointCount }, (_, j) => ({
      ...base.joints[0]!,
      parentIndex: Math.min(j - 1, 0),
    }));
    const names = Array.from({ length: morphCount }, (_, i) => `morph ${i}`);
    const model = { ...base, joints, morphSets: [{ nodeIndex: 0, names, weights: names.map(() => 0) }] };
    if (code) expect(thrownBy(() => packCharacter(model)).code).toBe(code);
    else expect(readBaked(writeBaked(packCharacter(model))).joints.length).toBe(4096);
  });
});
