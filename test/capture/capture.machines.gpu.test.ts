// Captures taken on kernels, replayed on kernels and on twins, and the other way round.
import { beforeAll, describe, expect, test } from 'vitest';
import { captureFrame, readCapture, replayStage, writeCapture, type FrameCapture } from '../../src/capture/index.ts';
import { capturedCrowd, PLAIN_STAGES, tidalCrowd, TIDE, VIEWS } from '../support/captured-crowd.ts';
import { expectRounding } from '../support/capture-rounding.ts';
import { groupThreadsOf } from '../../src/stages/kernel-choice.ts';
import { coded } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { testInTurn } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** A capture of twins for kernels of a device. Lists are the same either way, and the other kernels take seconds to compile here. */
function onKernels(capture: FrameCapture, { limits }: GPUDevice): FrameCapture {
  const kernels = { ...capture.kernels, serialLists: true, groupThreads: groupThreadsOf(limits) };
  return { ...capture, kernels };
}

describe.skipIf(noGpu())('a capture of kernels', () => {
  let device: GPUDevice;
  let capture: FrameCapture;
  beforeAll(async () => {
    ({ device } = await testDevice());
    const crowd = await capturedCrowd(device);
    capture = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1, views: VIEWS })));
    crowd.destroy();
  }, 120_000);

  test('has all stages, and says where it was taken', () => {
    expect(capture.stages.map(({ stage }) => stage)).toEqual(PLAIN_STAGES);
    expect(capture).toMatchObject({ backend: 'gpu', frame: 3, adapter: expect.stringMatching(/./) });
  });

  test.each(PLAIN_STAGES)('%s does on kernels again what it did, to the word', async (stage) => {
    const { outputs, differences, backend } = await replayStage(capture, stage, { device });
    expect(backend).toBe('gpu');
    expect(differences).toEqual([]);
    expect(outputs).toEqual(capture.stages.find((each) => each.stage === stage)!.outputs);
  });

  test.each(PLAIN_STAGES)('%s differs on its twin by rounding', async (stage) => {
    const { differences } = await replayStage(capture, stage);
    expectRounding(differences);
  });

  test('of a crowd with vertex providers, and neither controllers nor modifiers', async () => {
    const crowd = await tidalCrowd(device);
    const tidal = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1 })));
    crowd.destroy();
    const providers = [TIDE];
    expect(tidal.stages.length).toBe(6);
    for (const { stage } of tidal.stages) {
      expect((await replayStage(tidal, stage, { device, providers })).differences).toEqual([]);
      expectRounding((await replayStage(tidal, stage, { providers })).differences);
    }
  });

  test('of a crowd that draws skin, whoever ran it: nothing is left for skin-vertices', async () => {
    const crowd = await capturedCrowd(device, { skin: 'vertex' });
    const kept = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1, views: VIEWS })));
    crowd.destroy();
    expect(kept.stages.map(({ stage }) => stage)).toEqual(PLAIN_STAGES.filter((stage) => stage !== 'skin-vertices'));
    expect((await replayStage(kept, 'keep-palettes', { device })).differences).toEqual([]);
    expect((await replayStage(kept, 'keep-palettes')).differences).toEqual([]);
    const twins = await capturedCrowd(undefined, { skin: 'vertex', backend: 'cpu' });
    const skinned = await captureFrame(twins, { dt: 0.1, views: VIEWS, stages: ['skin-vertices'] });
    expect((await replayStage(onKernels(skinned, device), 'skin-vertices', { device })).differences).toEqual([]);
  });

  testInTurn(0)('asks a device for what the stage needs, and says what it lacks', async () => {
    const { device: least } = await testDevice({ limits: 'default' });
    // threads that only skin-vertices would run
    const wide = { ...capture, kernels: { ...capture.kernels, wideSkins: true } };
    expect((await replayStage(wide, 'pose-joints', { device: least })).differences).toEqual([]);
    await expect(replayStage(wide, 'skin-vertices', { device: least })).rejects.toThrow(coded('DEVICE_LIMIT'));
    const { device: weak } = await testDevice({ limits: 'compatibility' });
    const strong = { ...capture, kernels: { ...capture.kernels, groupThreads: 256 } };
    await expect(replayStage(strong, 'pose-joints', { device: weak })).rejects.toThrow(coded('DEVICE_LIMIT'));
    // pages that only skin-vertices binds
    const pageRows = capture.numbers.pageRows.map(() => 2 ** 28);
    const huge = { ...capture, numbers: { ...capture.numbers, pageRows } };
    for (const stage of ['cull-characters', 'gather-motions', 'pose-joints'] as const) {
      expect((await replayStage(huge, stage, { device: least })).differences, stage).toEqual([]);
    }
    await expect(replayStage(huge, 'skin-vertices', { device: least })).rejects.toThrow(coded('CAPTURE_INVALID'));
    // a page, and heights, that are in the capture and larger than one binding
    const [first] = capture.numbers.pageRows;
    const large = 2 ** 24 + first!;
    const arrays = { 'skinned/0': new Uint32Array(2 * large) };
    const heights = new Uint32Array(2 ** 25 + 4);
    const stages = capture.stages.map(({ stage, inputs, outputs }) => {
      if (stage === 'ground-characters') return { stage, inputs: { ...inputs, heights }, outputs };
      if (stage !== 'skin-vertices') return { stage, inputs, outputs };
      return { stage, inputs: { ...inputs, ...arrays }, outputs: { ...outputs, ...arrays } };
    });
    const numbers = { ...capture.numbers, pageRows: [large, ...capture.numbers.pageRows.slice(1)] };
    for (const stage of ['skin-vertices', 'ground-characters'] as const) {
      const done = replayStage({ ...capture, numbers, stages }, stage, { device: least });
      await expect(done, stage).rejects.toThrow(coded('DEVICE_LIMIT'));
    }
  });

  test('leaves the frame as it would have been', async () => {
    const run = async (take: boolean) => {
      const crowd = await capturedCrowd(device);
      if (take) await captureFrame(crowd, { dt: 0.1, views: VIEWS });
      else await updateAndWait(crowd, { dt: 0.1, views: VIEWS });
      const read = await internalsOf(crowd).host.backend.read(1);
      crowd.destroy();
      return read!.vertices;
    };
    expect(await run(true)).toEqual(await run(false));
  });
});

describe.skipIf(noGpu())('a capture of twins', () => {
  test.each(PLAIN_STAGES)('replays %s on kernels', async (stage) => {
    const { device } = await testDevice();
    const crowd = await capturedCrowd(undefined, { backend: 'cpu' });
    const capture = await captureFrame(crowd, { dt: 0.1, views: VIEWS, stages: [stage] });
    const { differences } = await replayStage(onKernels(capture, device), stage, { device });
    expectRounding(differences);
  });
});
