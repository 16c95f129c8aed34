import { describe, expect, it, test } from 'vitest';
import { Random } from '../../test/support/random.ts';
import { someSeeds } from '../../test/support/setup.ts';
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
import type { Issue } from '../errors.ts';
import { alignQuaternion, multiplyQuaternion } from '../math/quaternion.ts';
import { additiveClip, type ReferencePose } from './additive-clip.ts';
import { evaluateMorphWeights, evaluatePose, POSE_STRIDE } from './evaluate.ts';
import type { CharacterModel, ClipModel } from './model.ts';

const NOTHING = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];

/** The pose that a reference and an additive clip make together. */
function appliedAt(model: CharacterModel, { clip, time: at }: ReferencePose, additive: ClipModel, time: number) {
  const out = evaluatePose(model, clip, at);
  const none = model.joints.flatMap(() => NOTHING);
  const difference = evaluatePose(model, additive, time, Float64Array.from(none));
  for (let j = 0; j < out.length; j += POSE_STRIDE) {
    for (let c = 0; c < 3; c++) {
      out[j + c]! += difference[j + c]!;
      out[j + 7 + c]! *= difference[j + 7 + c]!;
    }
    const rotation = out.subarray(j + 3, j + 7);
    multiplyQuaternion(rotation, difference.subarray(j + 3, j + 7), rotation);
  }
  return out;
}

function expectPose(actual: Float64Array, expected: Float64Array, label: string): void {
  let worst = 0;
  for (let j = 0; j < expected.length; j += POSE_STRIDE) {
    const rotation = actual.subarray(j + 3, j + 7);
    alignQuaternion(rotation, expected.subarray(j + 3, j + 7));
    for (let c = j; c < j + POSE_STRIDE; c++) worst = Math.max(worst, Math.abs(actual[c]! - expected[c]!));
  }
  expect(worst, label).toBeLessThan(2e-6);
}

/** The morph weights that an additive clip adds; it has to name every set or none. */
function addedWeights(model: CharacterModel, additive: ClipModel, time: number): Float64Array {
  const none = { ...model, morphSets: model.morphSets.map((set) => ({ ...set, weights: set.weights.map(() => 0) })) };
  return evaluateMorphWeights(none, additive, time);
}

describe.each(someSeeds(3, 60))('reference + difference is the clip, in float64 (seed %i)', (seed) => {
  const random = new Random(seed);
  const model = randomModel(random, {
    joints: 12,
    depth: 5,
    influences: 1,
    morphs: seed % 2 === 0 ? 4 : 0,
    clips: 3,
    vertices: 3,
    scales: true,
    meshes: 1,
    keys: 6,
    interpolations: ['LINEAR', 'STEP', 'CUBICSPLINE'],
  });
  const [clip, other, third] = model.clips as [ClipModel, ClipModel, ClipModel];
  const cases: [string, ReferencePose | undefined][] = [
    ['its own first moment', undefined],
    ['a moment of another clip', { clip: other, time: random.range(0, other.duration) }],
    ['the end of a third', { clip: third, time: third.duration }],
    ['a moment of its own', { clip, time: 0.37 * clip.duration }],
  ];

  test.each(cases)('%s', (label, reference) => {
    const additive = additiveClip(clip, reference, model);
    expect(additive.name).toBe(clip.name);
    expect(additive.duration).toBe(clip.duration);
    const from = reference ?? { clip, time: 0 };
    const times = Array.from({ length: 23 }, (_, i) => (i / 22) * clip.duration);
    for (const time of [...times, ...clip.tracks.flatMap((track) => Array.from(track.times))]) {
      expectPose(appliedAt(model, from, additive, time), evaluatePose(model, clip, time), `${label} at ${time}`);
      const base = evaluateMorphWeights(model, from.clip, from.time);
      const expected = evaluateMorphWeights(model, clip, time);
      addedWeights(model, additive, time).forEach((weight, w) =>
        expect(base[w]! + weight, `weight ${w}`).toBeCloseTo(expected[w]!, 6),
      );
    }
  });
});

describe('an additive clip', () => {
  const model = smallModel({ joints: [jointAt([2, 0, 0]), jointAt([0, 0, 0], { parentIndex: 0, scale: [2, 4, 1] })] });
  const trackAt = (clip: ClipModel, path: string, target = 0) =>
    clip.tracks.find((track) => track.path === path && track.targetIndex === target);

  it('takes the reference from the left of rotations, tangents too', () => {
    const tangent = [0, 0, 1, 0];
    const clip = clipOf(
      1,
      trackOf(
        'rotation',
        0,
        'CUBICSPLINE',
        [0, ...tangent, ...HALF_TURN, ...tangent],
        [1, ...tangent, ...NO_TURN, ...tangent],
      ),
    );
    const additive = additiveClip(clip, { clip: clipOf(0, heldAt('rotation', 0, QUARTER_TURN)), time: 0 }, model);
    // 180° − 90° = 90°, 0° − 90° = −90°; −90° × (0, 0, 1, 0) = (0, 0, √½, √½)
    const half = Math.SQRT1_2;
    const turned = [0, 0, half, half];
    const expected = [...turned, 0, 0, half, half, ...turned, ...turned, 0, 0, -half, half, ...turned];
    additive.tracks[0]!.values.forEach((value, i) => expect(value, `${i}`).toBeCloseTo(expected[i]!, 6));
  });

  it('subtracts places and divides scales', () => {
    const clip = clipOf(
      1,
      trackOf('translation', 0, 'LINEAR', [0, 1, 2, 3], [1, 5, 5, 5]),
      trackOf('scale', 1, 'LINEAR', [0, 2, 4, 1], [1, 6, 4, 2]),
    );
    const additive = additiveClip(clip, undefined, model);
    expect(Array.from(trackAt(additive, 'translation')!.values)).toEqual([0, 0, 0, 4, 3, 2]);
    expect(Array.from(trackAt(additive, 'scale', 1)!.values)).toEqual([1, 1, 1, 3, 1, 2]);
  });

  it('holds what only the reference moves at the difference to rest', () => {
    const reference = clipOf(
      2,
      trackOf('translation', 0, 'LINEAR', [0, 2, 0, 0], [2, 2, 8, 0]),
      heldAt('scale', 1, [1, 1, 1]),
    );
    const additive = additiveClip(clipOf(1), { clip: reference, time: 1 }, model);
    // rest (2, 0, 0) − (2, 4, 0); rest (2, 4, 1) / 1
    expect(Array.from(trackAt(additive, 'translation')!.values)).toEqual([0, -4, 0]);
    expect(Array.from(trackAt(additive, 'scale', 1)!.values)).toEqual([2, 4, 1]);
    expect(additive.tracks).toHaveLength(2);
  });

  it('loses the tracks that stay at the reference', () => {
    const held = clipOf(
      1,
      trackOf('rotation', 0, 'LINEAR', [0, ...QUARTER_TURN], [1, ...QUARTER_TURN.map((c) => -c)]),
      trackOf('translation', 0, 'STEP', [0, 1, 2, 3], [1, 1, 2, 3]),
      trackOf('scale', 1, 'LINEAR', [0, 3, 3, 3]),
      // the same at both keys, but not between them
      trackOf('translation', 1, 'CUBICSPLINE', [0, 0, 0, 0, 1, 1, 1, 0, 5, 0], [1, 0, -5, 0, 1, 1, 1, 0, 0, 0]),
    );
    expect(additiveClip(held, undefined, model).tracks.map(({ path, targetIndex }) => [path, targetIndex])).toEqual([
      ['translation', 1],
    ]);
  });

  it('says that sets of morph weights next to a moved one add nothing', () => {
    const set = (...weights: number[]) => ({ nodeIndex: 0, names: weights.map(String), weights });
    const face = smallModel({ morphSets: [set(0.5, 0.25), set(0.75)] });
    const clip = clipOf(1, trackOf('weights', 0, 'LINEAR', [0, 0.5, 0.25], [1, 1, 0]));
    const additive = additiveClip(clip, undefined, face);
    expect(additive.tracks.map(({ targetIndex, values }) => [targetIndex, Array.from(values)])).toEqual([
      [0, [0, 0, 0.5, -0.25]],
      [1, [0]],
    ]);
    expect(additiveClip(clipOf(1), undefined, face).tracks).toEqual([]);
  });

  it('reports scales of 0 in the reference, and leaves them', () => {
    const clip = { ...clipOf(1, trackOf('scale', 1, 'LINEAR', [0, 0, 2, 1], [1, 1, 4, 1])), name: 'grow' };
    const named = { ...model, joints: model.joints.map((joint, j) => ({ ...joint, name: `joint ${j}` })) };
    const issues: Issue[] = [];
    const additive = additiveClip(clip, undefined, named, issues);
    expect(Array.from(additive.tracks[0]!.values)).toEqual([1, 1, 1, 1, 2, 1]);
    expect(issues.map(({ code, severity, path }) => [code, severity, path])).toEqual([
      ['CONTROLLER_SIMPLIFIED', 'warning', 'grow/joint 1/scale'],
    ]);
  });

  it('keeps everything else of the clip', () => {
    const events = [{ name: 'step', time: 0.5 }];
    expect(additiveClip({ ...clipOf(1), loops: false, events }, undefined, model)).toMatchObject({
      loops: false,
      events,
    });
  });
});
