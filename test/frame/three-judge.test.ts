import { describe, expect, test } from 'vitest';
import { POSE_LIMITS } from '../support/pose-limits.ts';
import { referencedFiles } from '../support/references.ts';
import { hasTurn, noShared, sample } from '../support/setup.ts';
import { NOT_JUDGED, judge } from '../support/three-judge.ts';

/** The second outside judge: AnimationMixer, SkinnedMesh and GLTFLoader of three.js, on the same files. */
describe.skipIf(noShared() || !hasTurn(0))('poses of the twins against three.js', () => {
  const files = referencedFiles();
  const judged = files.filter(({ file }) => !(file in NOT_JUDGED));

  test('all files but those that are named with a reason', () => {
    expect(files.map(({ file }) => file)).toEqual(expect.arrayContaining(Object.keys(NOT_JUDGED)));
    expect(judged).toHaveLength(29);
  });

  test.each(sample(judged, 8))('$file', async (file) => {
    const { worst, mean } = await judge(file, { backend: 'cpu' });
    expect(worst).toBeLessThan(POSE_LIMITS.worst);
    expect(mean).toBeLessThan(POSE_LIMITS.mean);
  });

  // tighter by forty: what compression may cost no longer hides a wrong curve
  test.each(sample(judged, 12))('$file, keys unquantised', async (file) => {
    const { worst } = await judge(file, { backend: 'cpu', errorBudget: 0 });
    expect(worst).toBeLessThan(file.quantized ? POSE_LIMITS.exactQuantized : POSE_LIMITS.exact);
  });
});
