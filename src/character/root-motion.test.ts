import { describe, expect, it, test } from 'vitest';
import { Random } from '../../test/support/random.ts';
import { randomModel } from '../../test/support/random-model.ts';
import {
  HALF_TURN,
  NO_TURN,
  QUARTER_TURN,
  clipOf,
  heldAt,
  jointAt,
  smallModel,
  trackOf,
} from '../../test/support/small-model.ts';
import { stopwatch } from '../../test/support/stopwatch.ts';
import { full, hasTurn, someSeeds } from '../../test/support/setup.ts';
import { ManipleError, type Issue } from '../errors.ts';
import { affineFromPose, multiplyAffine } from '../math/affine.ts';
import { composeJoints, evaluatePose, findKey, sampleTrack } from './evaluate.ts';
import type { CharacterModel, ClipModel, TrackModel, Vec4 } from './model.ts';
import { extractRootMotion, type RootMotionOptions } from './root-motion.ts';

/** Root motion at a time as an affine matrix: straight lines, quaternions normalised. */
function rootAt({ root }: ClipModel, time: number): Float64Array {
  const { times, positions, rotations } = root!;
  const key = Math.min(findKey(times, time), times.length - 2);
  const f = (time - times[key]!) / (times[key + 1]! - times[key]!);
  const at = (values: Float32Array, width: number, c: number) =>
    values[key * width + c]! * (1 - f) + values[(key + 1) * width + c]! * f;
  const rotation = [0, 1, 2, 3].map((c) => at(rotations, 4, c));
  const length = Math.hypot(...rotation);
  const pose = [...[0, 1, 2].map((c) => at(positions, 3, c)), ...rotation.map((q) => q / length), 1, 1, 1];
  const out = new Float64Array(12);
  affineFromPose(pose, 0, out, 0);
  return out;
}

/** The largest distance between what a clip shows and root × what is left of it, of the joint and all below. */
function compositionError(model: CharacterModel, clip: ClipModel, stripped: ClipModel, joint: number): number {
  const below = model.joints.map(() => false);
  model.joints.forEach(({ parentIndex }, j) => (below[j] = j === joint || (below[parentIndex] ?? false)));
  let worst = 0;
  const keys = clip.tracks.flatMap(({ times }) => Array.from(times)).filter((time) => time <= clip.duration);
  for (const time of [...Array.from({ length: 400 }, (_, i) => (i / 399) * clip.duration), ...keys]) {
    const original = composeJoints(model, evaluatePose(model, clip, time));
    const left = composeJoints(model, evaluatePose(model, stripped, time));
    const root = rootAt(stripped, time);
    for (let j = 0; j < model.joints.length; j++) {
      if (!below[j]) continue;
      multiplyAffine(root, 0, left, 12 * j, left, 12 * j);
      for (let c = 0; c < 12; c++) worst = Math.max(worst, Math.abs(left[12 * j + c]! - original[12 * j + c]!));
    }
  }
  return worst;
}

const about = (axis: readonly number[], degrees: number): Vec4 => {
  const half = (degrees * Math.PI) / 360;
  return [...axis.map((c) => c * Math.sin(half)), Math.cos(half)] as unknown as Vec4;
};
const aboutY = (degrees: number) => about([0, 1, 0], degrees);

const issuesOf = (run: () => unknown): readonly Issue[] => {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ManipleError) return thrown.issues;
    throw thrown;
  }
  return [];
};

describe.runIf(hasTurn(1))('a walk along Z', () => {
  const model = smallModel({ joints: [jointAt([0, 1, 0]), jointAt([0, 0.5, 0], { parentIndex: 0 })] });
  // from (0.5, 1, 1) forwards by 2 m in 2 s, up and down by 0.1 m on the way
  const clip = clipOf(
    2,
    trackOf('translation', 0, 'LINEAR', [0, 0.5, 1, 1], [1, 0.5, 1.1, 2], [2, 0.5, 1, 3]),
    trackOf('rotation', 1, 'LINEAR', [0, ...NO_TURN], [2, ...HALF_TURN]),
  );

  it('becomes that of the character', () => {
    const { root, tracks, name } = extractRootMotion(model, clip, { joint: 0 });
    expect(name).toBe(clip.name);
    expect(Array.from(root!.times)).toEqual([0, 1, 2]);
    [0, 0, 0, 0, 0.1, 1, 0, 0, 2].forEach((value, c) => expect(root!.positions[c], `${c}`).toBeCloseTo(value, 6));
    expect(Array.from(root!.rotations)).toEqual([...NO_TURN, ...NO_TURN, ...NO_TURN]);
    const left = tracks.find(({ path }) => path === 'translation')!;
    expect(Array.from(left.values)).toEqual([0.5, 1, 1]);
    expect(tracks.find(({ path }) => path === 'rotation')).toBe(clip.tracks[1]);
    expect(tracks).toHaveLength(2);
  });

  it('keeps what is baked in the pose', () => {
    const high = extractRootMotion(model, clip, { joint: 0, bake: { y: true } });
    expect(Array.from(high.root!.positions)).toEqual([0, 0, 0, 0, 0, 2]);
    const left = high.tracks.find(({ path }) => path === 'translation')!;
    expect(Array.from(left.values)).toEqual(Array.from(Float32Array.of(0.5, 1, 1, 0.5, 1.1, 1, 0.5, 1, 1)));
    const along = extractRootMotion(model, clip, { joint: 0, bake: { xz: true } });
    [0, 0, 0, 0, 0.1, 0, 0, 0, 0].forEach((value, c) => expect(along.root!.positions[c]).toBeCloseTo(value, 6));
  });

  it('is returned as it is where nothing is left to take', () => {
    expect(extractRootMotion(model, clip, { joint: 0, bake: { rotation: true, y: true, xz: true } })).toBe(clip);
    const turning = clipOf(2, clip.tracks[1]!);
    expect(extractRootMotion(model, turning, { joint: 1, bake: { rotation: true } })).toBe(turning);
    const held = clipOf(2, trackOf('translation', 0, 'LINEAR', [0, 1, 2, 3], [2, 1, 2, 3]));
    expect(extractRootMotion(model, held, { joint: 0 })).toBe(held);
    const rounded = clipOf(2, trackOf('translation', 0, 'LINEAR', [0, 1, 2, 300], [2, 1, 2 + 5e-7, 300.0002]));
    expect(extractRootMotion(model, rounded, { joint: 0 })).toBe(rounded);
    const pose = clipOf(0, heldAt('translation', 0, [1, 2, 3]));
    expect(extractRootMotion(model, pose, { joint: 0 })).toBe(pose);
  });
});

describe.runIf(hasTurn(1))('turns', () => {
  const model = smallModel({ joints: [jointAt([1, 0, 0])] });

  it('about Y are taken, about the place where the character stood', () => {
    const clip = clipOf(1, trackOf('rotation', 0, 'LINEAR', [0, ...aboutY(0)], [1, ...aboutY(90)]));
    const stripped = extractRootMotion(model, clip, { joint: 0 });
    // the joint stands still at (1, 0, 0): a quarter turn about the origin would take it to (0, 0, −1)
    const last = stripped.root!.times.length - 1;
    const end = Array.from(stripped.root!.positions.subarray(3 * last));
    [1, 0, 1].forEach((value, c) => expect(end[c]).toBeCloseTo(value, 6));
    aboutY(90).forEach((value, c) => expect(stripped.root!.rotations[4 * last + c]).toBeCloseTo(value, 6));
    // what is left of the rotation holds still; no track was needed for the place, and none is made
    expect(stripped.tracks.map(({ path, times }) => [path, times.length])).toEqual([['rotation', 1]]);
  });

  it('about other axes stay in the pose', () => {
    const nod = about([1, 0, 0], 40);
    const clip = clipOf(1, trackOf('rotation', 0, 'LINEAR', [0, ...NO_TURN], [1, ...nod]));
    const stripped = extractRootMotion(model, { ...clip, tracks: [...clip.tracks, walk()] }, { joint: 0 });
    expect(Math.max(...stripped.root!.rotations.map((q, i) => Math.abs(q - (i % 4 === 3 ? 1 : 0))))).toBeLessThan(1e-6);
    const left = new Float64Array(4);
    sampleTrack(
      stripped.tracks.find(({ path }) => path === 'rotation')!,
      1,
      left,
      0,
    );
    nod.forEach((value, c) => expect(left[c]).toBeCloseTo(value, 6));
  });

  const walk = (): TrackModel => trackOf('translation', 0, 'LINEAR', [0, 1, 0, 0], [1, 1, 0, 3]);

  it('of more than a whole circle are all kept', () => {
    const keys = Array.from({ length: 13 }, (_, i) => [i, ...aboutY(60 * i)] as const);
    const clip = clipOf(12, trackOf('rotation', 0, 'LINEAR', ...keys));
    const stripped = extractRootMotion(model, clip, { joint: 0 });
    expect(compositionError(model, clip, stripped, 0)).toBeLessThan(3e-4);
    const { rotations } = stripped.root!;
    for (let at = 4; at < rotations.length; at += 4) {
      const dot = [0, 1, 2, 3].reduce((sum, c) => sum + rotations[at + c]! * rotations[at - 4 + c]!, 0);
      expect(dot).toBeGreaterThan(0.9);
    }
  });

  it('stay in the pose where they are baked, and then untouched', () => {
    const spin = trackOf('rotation', 0, 'LINEAR', [0, ...aboutY(0)], [1, ...aboutY(90)]);
    const clip = clipOf(1, spin, walk());
    const stripped = extractRootMotion(model, clip, { joint: 0, bake: { rotation: true } });
    expect(stripped.tracks.find(({ path }) => path === 'rotation')).toBe(spin);
    expect(Array.from(stripped.root!.positions)).toEqual([0, 0, 0, 0, 0, 3]);
  });
});

describe.runIf(hasTurn(1))('an armature above the joint', () => {
  it('may be turned and scaled, as tools export it', () => {
    // Z up and centimetres: (0, −100, 50) in the armature is 1 m along Z and 0.5 m up in the model
    const armature = jointAt([0, 0, 2], { rotation: about([1, 0, 0], -90), scale: [0.01, 0.01, 0.01] });
    const model = smallModel({ joints: [armature, jointAt([0, 0, 100], { parentIndex: 0 })] });
    const clip = clipOf(1, trackOf('translation', 1, 'LINEAR', [0, 0, 0, 100], [1, 0, -100, 150]));
    const stripped = extractRootMotion(model, clip, { joint: 1 });
    [0, 0, 0, 0, 0.5, 1].forEach((value, c) => expect(stripped.root!.positions[c]).toBeCloseTo(value, 6));
    expect(compositionError(model, clip, stripped, 1)).toBeLessThan(1e-6);
    const left = Array.from(stripped.tracks[0]!.values);
    [0, 0, 100].forEach((value, c) => expect(left[c]).toBeCloseTo(value, 4));
  });

  it('may be posed by tracks that hold still', () => {
    const model = smallModel({ joints: [jointAt([0, 0, 0]), jointAt([0, 1, 0], { parentIndex: 0 })] });
    const clip = clipOf(
      1,
      trackOf('rotation', 0, 'LINEAR', [0, ...aboutY(90)], [1, ...aboutY(90)]),
      trackOf('translation', 1, 'LINEAR', [0, 0, 1, 0], [1, 0, 1, 2]),
    );
    const stripped = extractRootMotion(model, clip, { joint: 1 });
    [0, 0, 0, 2, 0, 0].forEach((value, c) => expect(stripped.root!.positions[c]).toBeCloseTo(value, 6));
  });
});

test('steps stay steps', () => {
  const model = smallModel();
  const clip = clipOf(
    2,
    trackOf('translation', 0, 'STEP', [0, 0, 0, 0], [1, 4, 0, 0]),
    trackOf('rotation', 0, 'STEP', [0, ...aboutY(0)], [0.5, ...aboutY(120)], [1.5, ...aboutY(10)]),
  );
  const stripped = extractRootMotion(model, clip, { joint: 0 });
  expect(compositionError(model, clip, stripped, 0)).toBeLessThan(1e-6);
  expect(Array.from(stripped.root!.times)).toEqual(
    [0, 0.5, 1, 1.5, 2]
      .flatMap((time) => (time === 0 || time === 2 ? [time] : [time * (1 - 2 ** -24), time]))
      .map(Math.fround),
  );
});

describe.runIf(hasTurn(1)).each(someSeeds(4, 80))(
  'random clips come back from root × rest, in float64 (seed %i)',
  (seed) => {
    const random = new Random(seed);
    const random12 = randomModel(random, {
      joints: 12,
      depth: 5,
      influences: 1,
      morphs: 0,
      clips: 1,
      vertices: 3,
      scales: false,
      meshes: 1,
      keys: 8,
      interpolations: [(['LINEAR', 'STEP', 'CUBICSPLINE'] as const)[seed % 3]!],
    });
    // two joints that hold still above the one that moves; scales only there and on the joint itself
    const joints = random12.joints.map((joint, j) => (j === 0 ? { ...joint, scale: [0.5, 0.5, 0.5] as const } : joint));
    const model = { ...random12, joints };
    const times = Array.from({ length: 6 }, (_, i) => [0, 0.31, 0.5, 1.07, 1.6, 2][i]!);
    const moves = (path: 'translation' | 'rotation', value: () => readonly number[]): TrackModel => {
      const interpolation = (['LINEAR', 'STEP', 'CUBICSPLINE'] as const)[seed % 3]!;
      const rate = (width: number) => Array.from({ length: width }, () => random.range(-1, 1));
      const keys = times.map((time) => {
        const v = value();
        const all = interpolation === 'CUBICSPLINE' ? [...rate(v.length), ...v, ...rate(v.length)] : v;
        return [time, ...all] as const;
      });
      return trackOf(path, 2, interpolation, ...keys);
    };
    const clip: ClipModel = {
      name: 'random',
      duration: 2,
      tracks: [
        ...random12.clips[0]!.tracks.filter(({ targetIndex }) => targetIndex > 2),
        moves('translation', () => random.vector(2)),
        moves('rotation', () => random.quaternion(2)),
        heldAt('scale', 2, [1, 2, 0.5]),
      ],
    };
    const bakes: RootMotionOptions['bake'][] = [
      {},
      { y: true },
      { xz: true },
      { rotation: true },
      { rotation: true, y: true },
      { rotation: true, xz: true },
      { y: true, xz: true },
    ];

    it.each(bakes)('%o', (bake) => {
      const stripped = extractRootMotion(model, clip, { joint: 2, ...(bake ? { bake } : {}) });
      // 0.1 mm and 1e-4 rad each of root and pose, seen at joints up to 2.5 m away
      expect(compositionError(model, clip, stripped, 2)).toBeLessThan(6e-4);
      const { positions, rotations, times: keys } = stripped.root!;
      expect([keys[0], keys.at(-1)]).toEqual([0, 2]);
      expect(keys.every((key, i) => i === 0 || key > keys[i - 1]!)).toBe(true);
      expect([...positions.subarray(0, 3), ...rotations.subarray(0, 4)]).toEqual([0, 0, 0, 0, 0, 0, 1]);
      for (let i = 0; i < keys.length; i++) {
        if (bake?.y) expect(Math.abs(positions[3 * i + 1]!)).toBeLessThan(1e-6);
        if (bake?.xz) expect(Math.hypot(positions[3 * i]!, positions[3 * i + 2]!)).toBeLessThan(1e-6);
        const turn = rotations.subarray(4 * i, 4 * i + 4);
        expect(Math.hypot(turn[0]!, turn[2]!)).toBe(0);
        if (bake?.rotation) expect(turn[1]).toBe(0);
      }
    });
  },
);

describe.runIf(hasTurn(1))('refusals', () => {
  const joint = (name: string, parentIndex: number, parts: Parameters<typeof jointAt>[1] = {}) => ({
    ...jointAt([0, 1, 0], { ...parts, parentIndex }),
    name,
  });
  const model = smallModel({ joints: [joint('root', -1), joint('hips', 0), joint('hand', 1), joint('hand', 1)] });
  const walk = trackOf('translation', 1, 'LINEAR', [0, 0, 0, 0], [1, 0, 0, 1]);
  const clip = clipOf(1, walk);
  const refused = (options: RootMotionOptions, of: ClipModel = clip, by: CharacterModel = model) =>
    issuesOf(() => extractRootMotion(by, of, options)).map(({ code, path }) => [code, path]);

  it('name joints that are not there, or several', () => {
    expect(refused({ joint: 'tail' })).toEqual([['CLIP_ROOT_JOINT', 'clip/tail']]);
    expect(refused({ joint: 4 })).toEqual([['CLIP_ROOT_JOINT', 'clip/4']]);
    expect(refused({ joint: -1 })).toEqual([['CLIP_ROOT_JOINT', 'clip/-1']]);
    expect(refused({ joint: 'hand' })).toEqual([['CLIP_ROOT_JOINT', 'clip/hand']]);
    expect(refused({ joint: 'hips' })).toEqual([]);
  });

  it('name ancestors that move', () => {
    const turning = trackOf('rotation', 0, 'LINEAR', [0, ...NO_TURN], [1, ...QUARTER_TURN]);
    expect(refused({ joint: 'hips' }, clipOf(1, walk, turning))).toEqual([['CLIP_ROOT_JOINT', 'clip/root/rotation']]);
  });

  it('name ancestors that are scaled unevenly, or mirrored', () => {
    for (const scale of [
      [1, 2, 1],
      [-1, -1, -1],
      [0, 0, 0],
    ] as const) {
      const uneven = smallModel({ joints: [joint('root', -1, { scale }), joint('hips', 0)] });
      expect(refused({ joint: 'hips' }, clip, uneven)).toEqual([['CLIP_ROOT_JOINT', 'clip/root']]);
    }
  });

  it('are given to clips that have root motion', () => {
    expect(refused({ joint: 'hips' }, extractRootMotion(model, clip, { joint: 'hips' }))).toEqual([
      ['CLIP_ROOT_JOINT', 'clip'],
    ]);
  });

  it('are warnings where other joints move separately', () => {
    const issues: Issue[] = [];
    const beside = smallModel({ joints: [joint('root', -1), joint('hips', 0), joint('target', 0), joint('knee', 1)] });
    const other = [2, 3].map((j) => trackOf('translation', j, 'LINEAR', [0, 0, 0, 0], [1, 0, 0, 1]));
    extractRootMotion(beside, clipOf(1, walk, ...other), { joint: 'hips', issues });
    expect(issues.map(({ code, severity, path }) => [code, severity, path])).toEqual([
      ['CLIP_ROOT_JOINT', 'warning', 'clip/hips'],
    ]);
    expect(issues[0]!.message).toMatch(/^1 joints .*: target;/);
  });

  it.runIf(hasTurn(1))('come before endless work', () => {
    // a cubic that swings by kilometres between each two of its keys
    const keys = Array.from({ length: full ? 3000 : 400 }, (_, i) => {
      const tangent = [1e7 * (i % 2 ? 1 : -1), 0, 0];
      return [i, ...tangent, 0, 0, 0, ...tangent] as const;
    });
    const wild = clipOf(keys.length - 1, trackOf('translation', 1, 'CUBICSPLINE', ...keys));
    const elapsed = stopwatch();
    const issues = issuesOf(() => extractRootMotion(model, wild, { joint: 1 }));
    expect(elapsed()).toBeLessThan(20_000);
    expect(issues.map(({ code, path }) => [code, path])).toEqual([['CLIP_TOO_LONG', 'clip/hips']]);
  });
});
