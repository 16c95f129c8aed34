import { expect, test } from 'vitest';
import { randomModel, type ModelShape } from '../../../test/support/random-model.ts';
import { Random } from '../../../test/support/random.ts';
import { withRecordedClips } from '../../../test/support/recorded-clips.ts';
import { POSE_STRIDE, restPose } from '../evaluate.ts';
import { resolveMotion, RigTable, sampleLane } from '../format/clip-format.ts';
import { packCharacter } from './index.ts';
import { ClipReader } from './clip-reader.ts';

const INTERPOLATIONS = ['LINEAR', 'CUBICSPLINE', 'STEP'] as const;
const SHAPE: ModelShape = {
  joints: 6,
  depth: 4,
  influences: 2,
  morphs: 0,
  clips: 1,
  vertices: 40,
  scales: true,
  meshes: 1,
  keys: 12,
  interpolations: INTERPOLATIONS,
};

// A reader reads the only clip of a table, which every character with one clip has as its first.
test.each([
  ['packed', 0.001],
  ['sampled', 0.001],
  ['exact', 0],
])('reads the poses that sampleLane reads: %s form', (form, errorBudget) => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = new Random(seed);
    const keyed = randomModel(random, { ...SHAPE, interpolations: INTERPOLATIONS.slice(seed % 3) });
    const model = form === 'sampled' ? withRecordedClips(random, keyed, 40) : keyed;
    const character = packCharacter(model, { errorBudget });
    expect(character.clips[0]!.form === form).toBe(form !== 'packed');
    const rig = new RigTable(character.rig);
    const joints = model.joints.map((_, j) => j);
    const reader = new ClipReader(rig, joints);
    const phases = Array.from({ length: 40 }, (_, i) => (i % 2 ? random.integer(0, 2 ** 32 - 1) : i * 2 ** 26));
    for (const phase of phases) {
      const [expected, actual] = [restPose(model), restPose(model)];
      const [motion, other] = [phase, 2 ** 32 - 1 - phase].map((at) => resolveMotion(rig, 0, 0, at));
      for (const j of joints) {
        sampleLane(rig, motion!, j, expected, j * POSE_STRIDE);
        // constants stay as they are; animated channels are written again
        sampleLane(rig, other!, j, actual, j * POSE_STRIDE);
      }
      reader.read(phase, actual);
      expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, 9));
    }
  }
});
