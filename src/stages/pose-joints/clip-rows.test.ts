import { describe, expect, test } from 'vitest';
import { randomModel } from '../../../test/support/random-model.ts';
import { Random } from '../../../test/support/random.ts';
import { withRecordedClips } from '../../../test/support/recorded-clips.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { POSE_STRIDE } from '../../character/evaluate.ts';
import {
  COVERS_ROTATION,
  COVERS_SCALE,
  COVERS_TRANSLATION,
  resolveMotion,
  RigTable,
  sampleLane,
} from '../../character/format/clip-format.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { MASK_NONE, MOTION_ROWS } from '../layout.ts';
import { MotionRecord, readMotion, writeMotion } from '../motion-record.ts';
import { CHANNEL_ROTATION, CHANNEL_SCALE, CHANNEL_TRANSLATION, LANE_PLACES, RowTable } from './clip-rows.ts';
import { LayerSums, ROTATION, SCALE } from './layer-sums.ts';
import { PoseTable } from './skeletons.ts';

const SHAPE = { depth: 4, influences: 2, morphs: 4, vertices: 12, meshes: 1, keys: 9, clips: 3 };

/** Characters of each form that clips are packed in. */
function rigsOf(seed: number): readonly RigTable[] {
  const random = new Random(seed);
  const linear = randomModel(random, { ...SHAPE, joints: 9, scales: true, interpolations: ['LINEAR', 'STEP'] });
  const curved = randomModel(random, { ...SHAPE, joints: 6, scales: false, interpolations: ['CUBICSPLINE', 'LINEAR'] });
  const recorded = withRecordedClips(random, linear, 30);
  const options = [{}, { errorBudget: 0.0001 }, { errorBudget: 0.05 }, { errorBudget: 0 }];
  return options.flatMap((each) =>
    [linear, curved, recorded].map((model) => new RigTable(packCharacter(model, each).rig)),
  );
}

function recordOf(
  rig: RigTable,
  clip: number,
  phase: number,
): { record: MotionRecord; words: Uint32Array<ArrayBuffer> } {
  const words = new Uint32Array(4 * MOTION_ROWS);
  writeMotion(words, 0, resolveMotion(rig, 0, clip, phase), 1);
  const record = new MotionRecord();
  record.read(words, new Float32Array(words.buffer), 0);
  return { record, words };
}

const CHANNELS = [
  [COVERS_ROTATION, CHANNEL_ROTATION, ROTATION, 4],
  [COVERS_TRANSLATION, CHANNEL_TRANSLATION, 0, 3],
  [COVERS_SCALE, CHANNEL_SCALE, SCALE, 3],
] as const;

describe.each(someSeeds(3, 30))('rows of clips (seed %i)', (seed) => {
  test('give the sums of a motion what sampleLane gives, in every form', () => {
    const random = new Random(seed);
    const sample = new Float64Array(POSE_STRIDE);
    const seen = { curved: 0, sampled: 0, exact: 0, linear: 0 };
    for (const rig of rigsOf(seed)) {
      const table = new PoseTable(rig);
      const skeleton = table.skeleton(0, 0);
      const sums = new LayerSums();
      const { clipCount } = rig.type(0);
      for (let n = 0; n < 12; n++) {
        const phase = random.pick([0, 0xffffffff, random.integer(0, 0xffffffff)]);
        const { record, words } = recordOf(rig, random.integer(0, clipCount! - 1), phase);
        const { motion } = readMotion(words, 0);
        const form = motion.exact ? 'exact' : motion.sampled ? 'sampled' : motion.basis[2] === 0 ? 'linear' : 'curved';
        seen[form]++;
        sums.clear(skeleton.laneCount);
        sums.add(table, skeleton, record, MASK_NONE, false);
        for (let lane = 0; lane < skeleton.laneCount; lane++) {
          const covers = sampleLane(rig, motion, skeleton.clipLanes[lane]!, sample);
          for (const [bit, channel, first, width] of CHANNELS) {
            const isCovered = (covers & bit) !== 0;
            expect(sums.covered[LANE_PLACES * lane + channel], `${form}, lane ${lane}`).toBe(Number(isCovered));
            for (let c = first; c < (isCovered ? first + width : first); c++) {
              const apart = Math.abs(sums.values[POSE_STRIDE * lane + c]! - sample[c]!);
              expect(apart, `${form}, lane ${lane}, number ${c}`).toBeLessThan(
                1e-14 * Math.max(1, Math.abs(sample[c]!)),
              );
            }
          }
        }
      }
    }
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
  });
});

describe('kept rows', () => {
  const [rig] = rigsOf(7) as [RigTable];
  const phases = Array.from({ length: 40 }, (_, i) => Math.floor((i / 40) * 2 ** 32));

  /** All numbers of all rows that some phases need. */
  function read(table: RowTable): number[] {
    return phases.flatMap((phase) => {
      const { record } = recordOf(rig, 0, phase);
      const clip = table.clip(record, rig.type(0).laneCount!);
      return [0, 1].flatMap((side) => [
        ...(record.sampled ? clip.samples(record, side as 0) : clip.values(record, side as 0)),
      ]);
    });
  }

  test('are the same ones when they are asked for again', () => {
    const table = new RowTable(rig);
    const { record } = recordOf(rig, 0, 0);
    const rowOf = () => {
      const clip = table.clip(record, rig.type(0).laneCount!);
      return record.sampled ? clip.samples(record, 0) : clip.values(record, 0);
    };
    expect(rowOf()).toBe(rowOf());
  });

  test('take no more than their limit, and are right beyond it', () => {
    const [all, few] = [new RowTable(rig), new RowTable(rig, 2000)];
    expect(read(few)).toEqual(read(all));
    expect(all.byteLength).toBeGreaterThan(2000);
    expect(few.byteLength).toBeLessThanOrEqual(2000);
  });

  test('are forgotten when clips arrive', () => {
    const table = new RowTable(rig);
    const { record } = recordOf(rig, 0, 0);
    const clip = table.clip(record, rig.type(0).laneCount!);
    rig.replace(0, rig.words.slice(0, 1));
    expect(table.clip(record, rig.type(0).laneCount!)).not.toBe(clip);
  });
});
