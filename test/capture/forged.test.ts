// Captures that somebody has changed, of crowds of every kind: refused or replayed, and never longer than others.
import { beforeAll, describe, expect, test } from 'vitest';
import { captureFrame, readCapture, replayStage, writeCapture, type FrameCapture } from '../../src/capture/index.ts';
import { spaceOf } from '../../src/capture/space.ts';
import { planFrame } from '../../src/frame/tables/plan.ts';
import { ManipleError } from '../../src/index.ts';
import { capturedCrowd, changedCrowd, SHARING, VIEWS } from '../support/captured-crowd.ts';
import { coded } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { runSeed } from '../support/setup.ts';

const CASES = 250;

describe.each([
  ['that shares poses', () => capturedCrowd(undefined, { backend: 'cpu', poseSharing: SHARING })],
  ['with changed characters', () => changedCrowd(undefined, { backend: 'cpu', poseSharing: SHARING })],
] as const)('of a crowd %s', (_, create) => {
  let capture: FrameCapture;
  beforeAll(async () => {
    capture = readCapture(writeCapture(await captureFrame(await create(), { dt: 0.6, views: VIEWS })));
  });

  test(`captures whose arrays were changed are refused or replayed, and never crash`, async () => {
    const random = new Random(runSeed);
    let refused = 0;
    for (let i = 0; i < CASES; i++) {
      const { stage, inputs, outputs } = random.pick(capture.stages);
      const name = random.pick(Object.keys(inputs));
      const words = inputs[name]!.slice();
      for (let k = random.integer(1, 4); k > 0 && words.length > 0; k--) {
        const value = random.pick([
          0,
          1,
          7,
          0x7fffffff,
          0xffffffff,
          random.integer(0, 100),
          random.integer(0, 2 ** 32 - 1),
        ]);
        words[random.integer(0, words.length - 1)] = value;
      }
      const stages = [{ stage, inputs: { ...inputs, [name]: words }, outputs }];
      const thrown = await replayStage({ ...capture, stages }, stage).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (thrown === undefined) continue;
      expect(thrown, `${stage}/${name}`).toBeInstanceOf(ManipleError);
      expect((thrown as ManipleError).code, `${stage}/${name}`).toBe('CAPTURE_INVALID');
      refused++;
    }
    expect(refused).toBeGreaterThan(CASES / 20);
  });

  test('captures are refused whose kernels would go round otherwise than for a visible list', async () => {
    const { shape, numbers } = spaceOf(capture, []);
    const plan = planFrame(shape.tables.types, numbers.pageVertices.length, shape.motionCapacity, shape.kernels);
    const dispatches = {
      'gather-motions': plan.gather,
      'pose-joints': plan.poses[0]!.at,
      'keep-palettes': plan.keeps[0]![0]!.at,
      'skin-vertices': plan.skins[0]![0]!.at,
    } as const;
    for (const { stage, inputs, outputs } of capture.stages) {
      if (!(stage in dispatches)) continue;
      const { rangesByte, argumentsByte } = dispatches[stage as keyof typeof dispatches];
      const ranges = rangesByte / 4;
      // ranges begin behind a row: first group, a word that stays, first row, rows
      const words = [0, 1, 4, 5, 6, 7].map((word) => ranges + word);
      for (const word of [...words, argumentsByte / 4, argumentsByte / 4 + 1, argumentsByte / 4 + 2]) {
        const targets = inputs.targets!.slice();
        targets[word]! += 1000;
        const stages = [{ stage, inputs: { ...inputs, targets }, outputs }];
        const replayed = replayStage({ ...capture, stages }, stage);
        await expect(replayed, `${stage} ${word - ranges}`).rejects.toThrow(coded('CAPTURE_INVALID'));
      }
    }
  });
});
