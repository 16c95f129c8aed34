import { describe, expect, it } from 'vitest';
import { randomModel } from '../../test/support/random-model.ts';
import { Random } from '../../test/support/random.ts';
import { rigShape, withFewerJoints } from '../../test/support/random-rigs.ts';
import { runSeed, someSeeds } from '../../test/support/setup.ts';
import { bindingOf, clipOf, jointAt, meshOf, smallModel, trackOf } from '../../test/support/small-model.ts';
import { joinTables } from '../frame/tables/crowd-types.ts';
import { View } from '../layout/index.ts';
import { multiplyAffine } from '../math/affine.ts';
import { MOTION_END, MOTION_ROWS, Motion, VisibleCharacter } from '../stages/layout.ts';
import { writeMotion } from '../stages/motion-record.ts';
import { poseJoints } from '../stages/pose-joints/reference.ts';
import type { Character } from './character.ts';
import { resolveMotion } from './format/clip-format.ts';
import { composeJoints, evaluatePose, POSE_STRIDE, restPose } from './evaluate.ts';
import type { CharacterModel } from './model.ts';
import { CharacterType } from './format/rig-layout.ts';
import { addSockets } from './sockets.ts';
import { packCharacter } from './pack/index.ts';
import { levelSkeleton } from './level-skeleton.ts';

/** The palette that the twin makes of clip 0 at half its time, at the character's second level. */
function posedAtLevel(character: Character): Float32Array {
  const tables = joinTables([character, character], { serialPoses: false, layers: false });
  const { typeRow, levels, paletteCount, paletteStride } = tables.types[1]!;
  const { geometryRow, skeletonRow } = levels[1]!;
  const motions = new Uint32Array(2 * MOTION_ROWS * 4);
  writeMotion(motions, 0, resolveMotion(tables.rig, typeRow, 0, 2 ** 31), 1);
  new View(Motion, motions.buffer).set(1, 'kind', MOTION_END);
  const visible = new View(VisibleCharacter, 1);
  visible.assign(0, { typeRow, geometryRow, paletteRow: 0, motionRow: 0 });
  const palettes = new Float32Array(4 * paletteStride);
  const skeletons = new Map([[geometryRow, skeletonRow]]);
  poseJoints({ visible, visibleCount: 1, motionCapacity: 2, rig: tables.rig, skeletons, motions, palettes });
  return palettes.subarray(0, 12 * paletteCount);
}

/** The same from the model: joints that are not posed stand as at rest. */
function truth(model: CharacterModel, posedJoints: readonly number[]): Float64Array {
  const clip = model.clips[0]!;
  const pose = restPose(model);
  const whole = evaluatePose(model, clip, clip.duration / 2);
  for (const joint of posedJoints) {
    pose.set(whole.subarray(joint * POSE_STRIDE, (joint + 1) * POSE_STRIDE), joint * POSE_STRIDE);
  }
  const joints = composeJoints(model, pose);
  const palette = new Float64Array(12 * model.bindings.length);
  model.bindings.forEach(({ jointIndex, jointFromMesh }, entry) => {
    multiplyAffine(joints, 12 * jointIndex, jointFromMesh, 0, palette, 12 * entry);
  });
  return palette;
}

/** An arm of three joints, a metre each, along X, whose last two turn by a quarter about Z in the middle of the clip. */
function arm(): CharacterModel {
  const quarter = [0, 0, Math.SQRT1_2, Math.SQRT1_2] as const;
  const turn = (joint: number) => trackOf('rotation', joint, 'LINEAR', [0, ...quarter], [2, ...quarter]);
  return smallModel({
    joints: [0, 1, 2].map((j) => jointAt(j === 0 ? [0, 0, 0] : [1, 0, 0], { parentIndex: j - 1 })),
    bindings: [0, 1, 2].map((j) => bindingOf(j, [j, 0, 0])),
    meshes: [meshOf([[0, 0, 0], [1, 1, 0], [3, 0, 0]], (v) => [[v, 1]])], // prettier-ignore
    clips: [clipOf(2, turn(1), turn(2))],
  });
}

describe('the skeleton of a level', () => {
  it('leaves joints where rest puts them', () => {
    const character = packCharacter(arm(), { errorBudget: 0 });
    const { error, geometry, indices, vertexCount, primitives, batchRuns } = character;
    const lods = [{ error, posedJoints: [0, 1], geometry, indices, vertexCount, primitives, batchRuns }];
    const palette = posedAtLevel({ ...character, lods });
    // joint 1 turns about (1, 0, 0); joint 2 goes with it, straight on: entries are modelFromMesh
    const turned = [0, -1, 0, 1, 1, 0, 0, -1, 0, 0, 1, 0];
    [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], turned, turned].flat().forEach((expected, i) => {
      expect(palette[i], `entry ${Math.floor(i / 12)}, number ${i % 12}`).toBeCloseTo(expected, 6);
    });
  });

  it('holds sockets of joints that it lacks', () => {
    const character = packCharacter(arm(), { errorBudget: 0 });
    const { error, geometry, indices, vertexCount, primitives, batchRuns } = character;
    const lods = [{ error, posedJoints: [0, 1], geometry, indices, vertexCount, primitives, batchRuns }];
    const palette = posedAtLevel(addSockets({ ...character, lods }, [2]));
    // the joint itself, a metre behind the one that turns
    [0, -1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0].forEach((expected, c) => expect(palette[36 + c]).toBeCloseTo(expected, 6));
  });

  it('fits into workgroup memory where the whole one does not', () => {
    const random = new Random(runSeed);
    const shape = { ...rigShape(random), joints: 300, depth: 40, vertices: 20, morphs: 4, clips: 1 };
    const character = packCharacter(randomModel(random, shape), { errorBudget: 0 });
    const kept = Array.from({ length: 250 }, (_, joint) => joint);
    const header = new View(CharacterType, levelSkeleton(character, kept).buffer, 0, 1);
    const whole = new View(CharacterType, character.rig.buffer, character.rig.byteOffset, 1);
    const read = (view: typeof header) =>
      (['jointCount', 'laneCount', 'flags', 'paletteStride'] as const).map((field) => view.get(0, field));
    const [joints, lanes, flags, stride] = read(whole);
    expect(read(header)).toEqual([250, lanes! - joints! + 250, (flags! & ~2) | 16, stride]);
  });

  it.each(someSeeds(2, 60, 5))('poses as the model does: seed %i', (seed) => {
    const random = new Random(seed);
    const model = randomModel(random, { ...rigShape(random), vertices: 12 });
    const character = withFewerJoints(random, packCharacter(model, { errorBudget: 0 }));
    const palette = posedAtLevel(character);
    const expected = truth(model, character.lods[0]!.posedJoints!);
    const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    const wrong = [...palette.keys()].filter((i) => !(Math.abs(palette[i]! - expected[i]!) / largest < 2e-6));
    expect(wrong, 'numbers').toEqual([]);
  });
});
