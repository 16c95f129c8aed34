import { describe, expect, it, test } from 'vitest';
import { poseByList, type WriteRecord } from '../../../test/support/pose-list.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { clipOf, heldAt, jointAt, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { randomPose, reflectedPoint, symmetricModel } from '../../../test/support/symmetric-model.ts';
import { RigTable, resolveMotion, sampleLane } from '../../character/format/clip-format.ts';
import { evaluatePose, POSE_STRIDE } from '../../character/evaluate.ts';
import { mirrorPairs, mirrorTable } from '../../character/mirror.ts';
import type { CharacterModel, ClipModel } from '../../character/model.ts';
import { View } from '../../layout/index.ts';
import { transformPoint } from '../../math/affine.ts';
import { LAYER_ADDITIVE, MASK_NONE, MOTION_EXACT, MOTION_LAYER, MOTION_MIRROR, Motion } from '../layout.ts';
import { readMotion, writeMotion } from '../motion-record.ts';
import { mirrorSample } from './mirror.ts';
import { mirroredLane } from './skeletons.ts';

const motion =
  (clip: number, mirrored: boolean, weight = 1): WriteRecord =>
  (motions, row, { rig, typeRow, extraRow }) =>
    writeMotion(motions, row, resolveMotion(rig, typeRow, clip, 0), weight, mirrored ? extraRow : undefined);

const additiveLayer: WriteRecord = (motions, row) =>
  new View(Motion, motions.buffer, row * 16, 1).assign(0, {
    kind: MOTION_LAYER,
    value0: LAYER_ADDITIVE,
    weight: 0.7,
    trackPair: MASK_NONE,
  });

function tableOf({ joints, morphSets }: CharacterModel): Uint32Array<ArrayBuffer> {
  const morphs = morphSets.reduce((sum, { weights }) => sum + weights.length, 0);
  const { words, unmirrored } = mirrorTable(
    joints,
    mirrorPairs(joints.map(({ name }) => name)),
    joints.length + Math.ceil(morphs / 3),
  );
  expect(unmirrored).toEqual([]);
  return words;
}

/** Where the vertices of the first mesh come to. */
function verticesOf(model: CharacterModel, records: readonly WriteRecord[]): number[][] {
  const { entries } = poseByList(model, records, tableOf(model));
  const { vertexCount, positions, influences } = model.meshes[0]!;
  return Array.from({ length: vertexCount }, (_, v) => {
    const at = [0, 0, 0];
    const moved: number[] = [];
    for (let i = influences.offsets[v]!; i < influences.offsets[v + 1]!; i++) {
      const [x, y, z] = positions.subarray(3 * v, 3 * v + 3);
      transformPoint(entries[influences.bindings[i]!]! as number[] & Float64Array, 0, x!, y!, z!, moved, 0);
      for (let c = 0; c < 3; c++) at[c]! += moved[c]! * influences.weights[i]!;
    }
    return at;
  });
}

/** Expects every vertex where its counterpart's mirror image is. */
function expectReflected(actual: readonly number[][], original: readonly number[][]): void {
  actual.forEach((point, v) =>
    reflectedPoint(original[v ^ 1]!).forEach((value, c) =>
      expect(point[c], `vertex ${v}, ${'xyz'[c]}`).toBeCloseTo(value, 5),
    ),
  );
}

describe.each(someSeeds(5, 50))('a symmetric rig, whatever the frames of its joints (seed %i)', (seed) => {
  const random = new Random(seed);
  const base = symmetricModel(random, 4, 3);
  const rest: ClipModel = {
    name: 'rest',
    duration: 0,
    tracks: base.joints.flatMap(({ rotation, translation }, j) => [
      heldAt('rotation', j, rotation),
      heldAt('translation', j, translation),
    ]),
  };
  const clips = [rest, randomPose(random, base), randomPose(random, base)];
  const model: CharacterModel = { ...base, clips };

  it('stays at rest', () => {
    const { entries } = poseByList(model, [motion(0, true)], tableOf(model));
    const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
    for (const entry of entries) {
      entry.forEach((value, c) => expect(value, `number ${c}`).toBeCloseTo(identity[c]!, 5));
    }
  });

  it('shows the mirror image of a pose', () => {
    expectReflected(verticesOf(model, [motion(1, true)]), verticesOf(model, [motion(1, false)]));
  });

  it('shows the mirror image of a blend, and of half a pose over the rest', () => {
    const list = (mirrored: boolean) => [motion(1, mirrored, 0.3), motion(2, mirrored, 0.4)];
    expectReflected(verticesOf(model, list(true)), verticesOf(model, list(false)));
  });

  it('adds the mirror image of a difference', () => {
    // the rotations of a difference stand behind those that they are added to
    const difference = randomPose(random, base);
    const all = { ...model, clips: [...clips, difference] };
    const list = (mirrored: boolean) => [motion(1, mirrored), additiveLayer, motion(3, mirrored)];
    expectReflected(verticesOf(all, list(true)), verticesOf(all, list(false)));
  });

  it('is the same when it is mirrored twice', () => {
    const rig = new RigTable(tableOf(model));
    const locals = evaluatePose(model, clips[1], 0);
    // sampleLane's order: translation, rotation, scale, as poses have it
    const mirrored = (pose: Float64Array) => {
      const out = pose.slice();
      for (let j = 0; j < model.joints.length; j++) {
        const from = mirroredLane(rig, 0, j) * POSE_STRIDE;
        const sample = pose.slice(from, from + POSE_STRIDE);
        mirrorSample(rig, 0, j, false, sample);
        out.set(sample, j * POSE_STRIDE);
      }
      return out;
    };
    mirrored(mirrored(locals)).forEach((value, i) => expect(Math.abs(value - locals[i]!), `${i}`).toBeLessThan(1e-5));
  });
});

test('an arm is raised on the other side', () => {
  // two arms that point away from the body; the right one's frame is turned by 180° about Y
  const model = smallModel({
    joints: [
      { ...jointAt([1, 0, 0]), name: 'LeftArm' },
      { ...jointAt([-1, 0, 0], { rotation: [0, 1, 0, 0] }), name: 'RightArm' },
    ],
    clips: [clipOf(0, heldAt('rotation', 0, [0, 0, Math.SQRT1_2, Math.SQRT1_2]))],
  });
  const { entries } = poseByList(model, [motion(0, true)], tableOf(model));
  // the left arm rests; the right one points up: its X axis, which pointed to −X, to +Y; its Z axis still to −Z
  const expected = [
    [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0],
    [0, 1, 0, -1, 1, 0, 0, 0, 0, 0, -1, 0],
  ];
  entries.forEach((entry, e) => entry.forEach((value, c) => expect(value).toBeCloseTo(expected[e]![c]!, 6)));
});

test('morph weights are played as they are', () => {
  const model = smallModel({
    morphSets: [{ nodeIndex: 0, names: ['a', 'b'], weights: [0, 0] }],
    clips: [clipOf(0, trackOf('weights', 0, 'LINEAR', [0, 0.25, 0.5]))],
  });
  expect(poseByList(model, [motion(0, true)], tableOf(model)).morphs).toEqual([0.25, 0.5, 0]);
});

test('a record holds the row of the mirror table next to its kind', () => {
  const model = smallModel({ clips: [clipOf(0, heldAt('translation', 0, [1, 2, 3]))] });
  poseByList(model, [
    (motions, row, { rig, typeRow }) => {
      const resolved = resolveMotion(rig, typeRow, 0, 0);
      writeMotion(motions, row, resolved, 0.5, 123_456_789);
      expect(new View(Motion, motions.buffer).get(0, 'kind')).toBe(123_456_789 * 8 + MOTION_MIRROR + MOTION_EXACT);
      expect(readMotion(motions, row)).toEqual({ motion: resolved, weight: 0.5, mirrorRow: 123_456_789 });
      // the largest row that fits
      writeMotion(motions, row, resolved, 0.5, 2 ** 29 - 1);
      expect(readMotion(motions, row).mirrorRow).toBe(2 ** 29 - 1);
      expect(sampleLane(rig, readMotion(motions, row).motion, 0, new Float64Array(POSE_STRIDE))).toBe(2);
      writeMotion(motions, row, resolved, 0.5);
    },
  ]);
});
