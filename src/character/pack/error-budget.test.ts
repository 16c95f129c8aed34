// What packing may cost, measured on the vertices themselves: nothing here asks the packer how far its errors reach.
import { describe, expect, test } from 'vitest';
import { randomModel, type ModelShape } from '../../../test/support/random-model.ts';
import { Random } from '../../../test/support/random.ts';
import { withRecordedClips } from '../../../test/support/recorded-clips.ts';
import { sample, someSeeds, testInTurn } from '../../../test/support/setup.ts';
import { bindingOf, clipOf, jointAt, meshOf, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { fixedPhase } from '../../math/fixed.ts';
import type { Character } from '../character.ts';
import { resolveMotion, RigTable, sampleLane } from '../format/clip-format.ts';
import {
  composeJoints,
  evaluateMorphWeights,
  evaluatePose,
  evaluateVertices,
  POSE_STRIDE,
  restPose,
} from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { packCharacter } from './index.ts';

/** A vertex off the axes of its joint moves by up to √(3/2) of what the worst point on them does. */
const OFF_AXES = Math.sqrt(1.5);
const MOMENTS = 400;
/** Metres; random models are some 2 m large. */
const BUDGET = 0.001;

/** Joints and morph weights as the packed clip has them at a time. */
function packedPose(model: CharacterModel, { rig: words }: Character, clip: number, time: number) {
  const rig = new RigTable(words);
  const { duration } = model.clips[clip]!;
  const motion = resolveMotion(rig, 0, clip, fixedPhase(time / duration));
  const pose = restPose(model);
  const jointCount = model.joints.length;
  for (let j = 0; j < jointCount; j++) sampleLane(rig, motion, j, pose, j * POSE_STRIDE);
  const weights = evaluateMorphWeights(model, undefined, 0);
  for (let w = 0; w < weights.length; w += 3) {
    const lane = new Float64Array(POSE_STRIDE);
    lane.set(weights.subarray(w, w + 3));
    sampleLane(rig, motion, jointCount + w / 3, lane);
    weights.set(lane.subarray(0, Math.min(3, weights.length - w)), w);
  }
  return { joints: composeJoints(model, pose), weights };
}

function trueState(model: CharacterModel, clip: ClipModel, time: number) {
  return {
    joints: composeJoints(model, evaluatePose(model, clip, time)),
    weights: evaluateMorphWeights(model, clip, time),
  };
}

/** Of each joint the distance of the farthest vertex that it has a share in, found by trying all. */
function farthestOfJoints({ joints, bindings, meshes }: CharacterModel): number[] {
  return joints.map((_, joint) => {
    let most = 0;
    for (const { vertexCount, positions, influences } of meshes) {
      for (let v = 0; v < vertexCount; v++) {
        for (let i = influences.offsets[v]!; i < influences.offsets[v + 1]!; i++) {
          const { jointIndex, jointFromMesh: m } = bindings[influences.bindings[i]!]!;
          if (jointIndex !== joint) continue;
          const p = [0, 1, 2].map((row) => {
            const [a, b, c, d] = m.subarray(4 * row, 4 * row + 4) as unknown as [number, number, number, number];
            return a * positions[3 * v]! + b * positions[3 * v + 1]! + c * positions[3 * v + 2]! + d;
          });
          most = Math.max(most, Math.hypot(...p));
        }
      }
    }
    return most;
  });
}

/** Six points on the axes of each joint, as far out as its farthest vertex: the distance of their images. */
function offAxes(model: CharacterModel, a: Float64Array, b: Float64Array): number {
  let most = 0;
  farthestOfJoints(model).forEach((distance, joint) => {
    if (distance === 0) return;
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [-distance, distance]) {
        const apart = [0, 1, 2].map((row) => {
          const at = 12 * joint + 4 * row;
          return side * (a[at + axis]! - b[at + axis]!) + a[at + 3]! - b[at + 3]!;
        });
        most = Math.max(most, Math.hypot(...apart));
      }
    }
  });
  return most;
}

/** Over a clip: how far its vertices, and the points around its joints, are off. */
function errorsOf(model: CharacterModel, character: Character, clipIndex: number) {
  const clip = model.clips[clipIndex]!;
  const keys = clip.tracks.flatMap(({ times }) => [...times]);
  const between = Array.from({ length: MOMENTS }, (_, i) => (i * clip.duration) / (MOMENTS - 1));
  let [vertices, points] = [0, 0];
  for (const time of new Set([...keys, ...between])) {
    const [expected, actual] = [trueState(model, clip, time), packedPose(model, character, clipIndex, time)];
    points = Math.max(points, offAxes(model, expected.joints, actual.joints));
    for (const mesh of model.meshes) {
      const [a, b] = [expected, actual].map(({ joints, weights }) =>
        evaluateVertices(model, mesh, joints, weights),
      ) as [Float64Array, Float64Array];
      for (let at = 0; at < a.length; at += 3) {
        vertices = Math.max(vertices, Math.hypot(a[at]! - b[at]!, a[at + 1]! - b[at + 1]!, a[at + 2]! - b[at + 2]!));
      }
    }
  }
  return { vertices, points };
}

const SHAPE: ModelShape = {
  joints: 12,
  depth: 5,
  influences: 3,
  morphs: 0,
  clips: 2,
  vertices: 60,
  scales: false,
  meshes: 2,
  keys: 12,
  interpolations: ['LINEAR', 'CUBICSPLINE'],
};

describe('the error budget', () => {
  test.each([1, 0.5])('holds at the tip of a sword, and is used up there: the hand has a share of %f', (share) => {
    // the arm ends at 0.1 m, the tip is 2 m from the hand; that mesh is in centimetres
    const scaled = bindingOf(1, [0, 1, 0]).jointFromMesh.map((value, i) => (i % 4 === 3 ? value : value / 100));
    const swing = Array.from({ length: 61 }, (_, i): [number, number, number, number, number] => {
      const half = 0.7 * Math.sin(i / 5) + 0.2 * Math.sin(i / 1.7);
      return [i / 30, 0, 0, Math.sin(half), Math.cos(half)];
    });
    const still = meshOf(
      [
        [0.1, 0, 0],
        [0, 0.2, 0],
        [0, 0, 0.1],
      ],
      () => [[0, 1]],
    );
    const model = smallModel({
      joints: [jointAt([0, 0, 0]), jointAt([0, 1, 0], { parentIndex: 0 })],
      bindings: [bindingOf(0, [0, 0, 0]), { jointIndex: 1, jointFromMesh: scaled }],
      meshes: [
        still,
        // the tip is neither its first vertex nor its last, nor the hand its first joint
        meshOf(
          [
            [10, 100, 0],
            [200, 100, 0],
            [0, 110, 0],
          ],
          () =>
            share === 1
              ? [[1, 1]]
              : [
                  [0, 1 - share],
                  [1, share],
                ],
        ),
        still,
      ],
      clips: [clipOf(2, trackOf('rotation', 1, 'LINEAR', ...swing))],
    });
    for (const errorBudget of [0.01, 0.001]) {
      const character = packCharacter(model, { errorBudget });
      const { vertices, points } = errorsOf(model, character, 0);
      expect(character.clips[0]!.form).not.toBe('exact');
      expect(vertices).toBeLessThanOrEqual(share * errorBudget);
      // a shorter reach would break the budget, a longer one waste it
      expect(points / character.clips[0]!.maxError).toBeCloseTo(1, 1);
      if (share === 1) expect(vertices).toBeGreaterThan(0.3 * errorBudget);
    }
  });

  test.each(someSeeds(2, 40))('holds at the vertices of random models: seed %i', (seed) => {
    expectWithinBudget(randomModel(new Random(seed), SHAPE));
  });

  test.each(someSeeds(2, 20))('holds for recorded clips, which are sampled: seed %i', (seed) => {
    const random = new Random(seed);
    const character = expectWithinBudget(withRecordedClips(random, randomModel(random, SHAPE), 40));
    expect(character.clips.map(({ form }) => form)).toEqual(character.clips.map(() => 'sampled'));
  });

  function expectWithinBudget(model: CharacterModel): Character {
    const character = packCharacter(model, { errorBudget: BUDGET });
    model.clips.forEach((_, c) => {
      const { vertices, points } = errorsOf(model, character, c);
      const { maxError, form, name } = character.clips[c]!;
      expect(vertices, name).toBeLessThanOrEqual(OFF_AXES * BUDGET);
      expect(points, name).toBeLessThanOrEqual(1.1 * BUDGET);
      // what is said of a clip is what it does; the packer looks at other moments
      if (form === 'exact') return;
      expect(points / maxError, name).toBeGreaterThan(0.75);
      expect(points / maxError, name).toBeLessThan(1.03);
    });
    return character;
  }

  test('holds for a morph target of a mesh in centimetres, and is used up', () => {
    const inCentimetres = bindingOf(0, [0, 0, 0]).jointFromMesh.map((value, i) => (i === 15 ? 1 : value / 100));
    const weights = Array.from({ length: 241 }, (_, i): [number, number] => [i / 120, Math.sin(i / 28)]);
    const target = Float32Array.of(0, 0, 0, 100, 0, 0, 0, 0, 0);
    const places = [
      [10, 0, 0],
      [0, 20, 0],
      [0, 0, 10],
    ];
    const model = smallModel({
      bindings: [{ jointIndex: 0, jointFromMesh: inCentimetres }],
      meshes: [
        meshOf(places, () => [[0, 1]], {
          morphSetIndex: 0,
          targets: [{ positions: target, normals: undefined, tangents: undefined }],
        }),
      ],
      morphSets: [{ weights: [0], names: ['reach'] }] as never,
      clips: [clipOf(2, trackOf('weights', 0, 'LINEAR', ...weights))],
    });
    const character = packCharacter(model, { errorBudget: BUDGET });
    const { vertices } = errorsOf(model, character, 0);
    expect(character.clips[0]!.form).not.toBe('exact');
    expect(vertices).toBeLessThanOrEqual(BUDGET);
    expect(vertices).toBeGreaterThan(0.3 * BUDGET);
    expect(vertices / character.clips[0]!.maxError).toBeCloseTo(1, 1);
  });

  testInTurn(2)('holds at every key of a long clip, which the search looks at in part', () => {
    // this one errs most where the search does not look
    const model = randomModel(new Random(201), { ...SHAPE, clips: 1, keys: 1500, interpolations: ['LINEAR'] });
    const character = packCharacter(model, { errorBudget: 0.3 });
    const [clip] = model.clips;
    let worst = 0;
    const times = new Set(clip!.tracks.flatMap((track) => [...track.times]));
    for (const time of sample([...times], 4)) {
      const [expected, actual] = [trueState(model, clip!, time), packedPose(model, character, 0, time)];
      worst = Math.max(worst, offAxes(model, expected.joints, actual.joints));
    }
    expect(worst).toBeLessThanOrEqual(0.3);
  });

  test.each(someSeeds(1, 40, 100))('holds with morph targets and scales, too: seed %i', (seed) => {
    const model = randomModel(new Random(seed), { ...SHAPE, morphs: 4, scales: true });
    const character = packCharacter(model, { errorBudget: BUDGET });
    model.clips.forEach((_, c) => {
      const { vertices } = errorsOf(model, character, c);
      expect(vertices, character.clips[c]!.name).toBeLessThanOrEqual(OFF_AXES * BUDGET);
    });
  });
});
