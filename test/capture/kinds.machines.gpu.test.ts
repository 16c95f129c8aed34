// Captures of crowds of every kind, on kernels and on twins.
import { beforeAll, describe, expect, test } from 'vitest';
import { captureFrame, readCapture, replayStage, writeCapture, type FrameCapture } from '../../src/capture/index.ts';
import type { Crowd } from '../../src/index.ts';
import { groupThreadsOf } from '../../src/stages/kernel-choice.ts';
import { expectRounding } from '../support/capture-rounding.ts';
import { capturedCrowd, changedCrowd, PLAIN_STAGES, SHARING, VIEWS } from '../support/captured-crowd.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { companions } from '../support/companions.ts';

const KINDS = {
  'that shares poses by itself': (device, backend) =>
    capturedCrowd(device, { poseSharing: SHARING, backend }, companions()),
  'whose characters have changed': (device, backend) => changedCrowd(device, { backend }, companions()),
} satisfies Record<string, (device: GPUDevice | undefined, backend: 'gpu' | 'cpu') => Promise<Crowd>>;

describe.skipIf(noGpu()).each(Object.entries(KINDS))('a crowd %s', (_, create) => {
  let device: GPUDevice;
  let capture: FrameCapture;
  let ofTwins: FrameCapture;
  beforeAll(async () => {
    ({ device } = await testDevice());
    const crowds = await Promise.all([create(device, 'gpu'), create(undefined, 'cpu')]);
    const captures: FrameCapture[] = [];
    for (const crowd of crowds)
      captures.push(readCapture(writeCapture(await captureFrame(crowd, { dt: 0.6, views: VIEWS }))));
    [capture, ofTwins] = captures as [FrameCapture, FrameCapture];
    for (const crowd of crowds) crowd.destroy();
  }, 120_000);

  test.each(PLAIN_STAGES)('%s does on kernels again what it did, and on its twin but for rounding', async (stage) => {
    const { outputs, differences } = await replayStage(capture, stage, { device });
    expect(differences).toEqual([]);
    expect(outputs).toEqual(capture.stages.find((each) => each.stage === stage)!.outputs);
    expectRounding((await replayStage(capture, stage)).differences);
  });

  test.each(PLAIN_STAGES)('%s of twins does on kernels the same but for rounding', async (stage) => {
    // lists are the same either way, and the other kernels take seconds to compile here
    const kernels = { ...ofTwins.kernels, serialLists: true, groupThreads: groupThreadsOf(device.limits) };
    expectRounding((await replayStage({ ...ofTwins, kernels }, stage, { device })).differences);
  });
});
