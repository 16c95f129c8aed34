// `maniple replay` on the CPU, by a user's hands.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { captureFrame, writeCapture } from '../../src/capture/index.ts';
import { capturedCrowd, tidalCrowd, VIEWS } from '../support/captured-crowd.ts';
import { answer, maniple, refusal } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('maniple replay', () => {
  const file = path.join(temporaryFolder(), 'frame.capture');
  beforeAll(async () => {
    const crowd = await capturedCrowd(undefined, { backend: 'cpu' });
    const stages = ['gather-motions', 'pose-joints', 'skin-vertices'] as const;
    const capture = await captureFrame(crowd, { dt: 0.1, views: VIEWS, stages });
    const moved = capture.stages.map(({ stage, inputs, outputs }) => {
      const palettes = outputs.palettes?.slice();
      if (palettes) new Float32Array(palettes.buffer)[5]! += 1;
      return { stage, inputs, outputs: palettes ? { palettes } : outputs };
    });
    writeFileSync(file, writeCapture({ ...capture, stages: moved }));
  });

  test('lists stages and what differs, as text and as JSON', async () => {
    const { code, stdout, stderr } = await maniple(['replay', file, '--backend', 'cpu']);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/frame 3 of soldier, marcher, recruit/);
    expect(stdout).toMatch(/^gather-motions .* equal$/m);
    expect(stdout).toMatch(/^pose-joints .* differs$/m);
    expect(stdout).toMatch(/^pose-joints +palettes\.row +1 +1\.00 +1 /m);
    const json = await answer(['replay', file, '--backend', 'cpu', '--stage', 'pose-joints'], { code: 1 });
    expect(json).toMatchObject({
      capturedOn: 'cpu',
      replayedOn: 'cpu',
      stages: [{ stage: 'pose-joints', differences: [{ array: 'palettes', field: 'row', count: 1, row: 1 }] }],
    });
  });

  test('exits with 0 where nothing differs, and 1 where nothing could be replayed', async () => {
    const equal = await answer(['replay', file, '--backend', 'cpu', '--stage', 'gather-motions']);
    expect(equal).toMatchObject({ kernels: { wideSkins: false }, stages: [{ differences: [], issues: [] }] });
    const tidal = path.join(path.dirname(file), 'tidal.capture');
    const stages = ['pose-joints', 'skin-vertices'] as const;
    writeFileSync(tidal, writeCapture(await captureFrame(await tidalCrowd(undefined), { dt: 0.1, stages })));
    // its providers are not in the file
    const run = await maniple(['replay', tidal, '--backend', 'cpu']);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^pose-joints .* equal$/m);
    expect(run.stdout).toMatch(/^skin-vertices .* not replayed$/m);
    const alone = await answer(['replay', tidal, '--backend', 'cpu', '--stage', 'skin-vertices'], { code: 1 });
    expect(alone).toMatchObject({ stages: [{ issues: [{ code: 'CAPTURE_UNSUPPORTED' }] }] });
  });

  test('names the stages that there are', async () => {
    const [first] = await refusal(['replay', file, '--backend', 'cpu', '--stage', 'dance']);
    expect(first).toMatchObject({ code: 'CAPTURE_UNSUPPORTED', suggestion: expect.stringMatching(/gather-motions/) });
  });
});
