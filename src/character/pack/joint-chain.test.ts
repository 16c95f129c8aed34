// What packing reads many times over, beside the plain evaluation that everything is measured against.
import { describe, expect, test } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { randomModel } from '../../../test/support/random-model.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { clipOf, heldAt, jointAt, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { composeJoints, evaluatePose } from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { ClipPoses } from './joint-chain.ts';
import { isStill } from './track-reader.ts';

const SHAPE = {
  joints: 14,
  depth: 6,
  influences: 2,
  morphs: 2,
  clips: 2,
  vertices: 12,
  scales: true,
  meshes: 1,
  keys: 9,
  interpolations: ['LINEAR', 'STEP', 'CUBICSPLINE'] as const,
};

/** Every key of a clip, what lies next to it, and times beyond both ends. */
function times({ tracks, duration }: ClipModel): number[] {
  const keys = tracks.flatMap((track) => [...track.times]);
  return [-1, 0, ...keys.flatMap((key) => [key - 1e-7, key, key + 0.013]), duration, duration + 1];
}

function expectSame(model: CharacterModel, clip: ClipModel, at: readonly number[], ends?: readonly number[]): void {
  const poses = new ClipPoses(model, clip, ends);
  const out = new Float64Array(12 * model.joints.length + 5);
  for (const time of at) {
    poses.compose(time, out, 5);
    const truth = composeJoints(model, evaluatePose(model, clip, time));
    // one call of expect for all numbers: one for each would take most of the time
    let worst = { distance: 0, joint: -1 };
    for (const joint of ends ?? model.joints.keys()) {
      for (let c = 12 * joint; c < 12 * joint + 12; c++) {
        const distance = Math.abs(out[5 + c]! - truth[c]!);
        if (!(distance <= worst.distance)) worst = { distance, joint };
      }
    }
    expect(worst.distance, `joint ${worst.joint} at ${time} s`).toBeLessThan(1e-12);
  }
}

describe('joints of a clip at many times', () => {
  test.each(someSeeds(3, 60))(
    'are those of the plain evaluation, in whatever order they are asked for: seed %i',
    (seed) => {
      const random = new Random(seed);
      const model = randomModel(random, SHAPE);
      for (const clip of model.clips) {
        const all = times(clip);
        expectSame(
          model,
          clip,
          all.toSorted((a, b) => a - b),
        );
        expectSame(
          model,
          clip,
          Array.from({ length: 60 }, () => random.pick(all)),
          [2, SHAPE.joints - 1],
        );
      }
    },
  );

  test('go the short way round, hold what is still, and step', () => {
    const clip = clipOf(
      2,
      trackOf('rotation', 0, 'LINEAR', [0, 0, 0, 0, 1], [1, 0, 0, -0.6, -0.8], [2, 0, 0, 0, -1]),
      heldAt('translation', 0, [1, 2, 3]),
      trackOf('translation', 1, 'LINEAR', [0, 0, 1, 0], [2, 0, 1, 0]),
      trackOf('scale', 1, 'STEP', [0.5, 1, 1, 1], [1, 2, 2, 2]),
    );
    const model = smallModel({ joints: [jointAt([0, 0, 0]), jointAt([1, 0, 0], { parentIndex: 0 })], clips: [clip] });
    expectSame(model, clip, times(clip));
    expect(clip.tracks.map(isStill)).toEqual([false, true, true, false]);
  });
});
