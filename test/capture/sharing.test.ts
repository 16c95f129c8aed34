// Captures of crowds that share poses by themselves.
import { beforeAll, describe, expect, test } from 'vitest';
import {
  captureFrame,
  readCapture,
  replayStage,
  writeCapture,
  type CapturedArrays,
  type FrameCapture,
} from '../../src/capture/index.ts';
import { spaceOf } from '../../src/capture/replay.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { packCharacter } from '../../src/character/index.ts';
import { View } from '../../src/layout/index.ts';
import { Resident } from '../../src/stages/layout.ts';
import { capturedCrowd, PLAIN_STAGES, SHARING, TIDE, VIEWS } from '../support/captured-crowd.ts';
import { coded } from '../support/crowd-truth.ts';
import { recruit, soldierModel } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

/** Characters that live, and shared poses: 4 parts of 7 clips. Of the marchers' three, their controller plays one. */
const [CAPACITY, SHARED] = [40, 28];

describe('a capture of a crowd that shares poses', () => {
  let capture: FrameCapture;
  const culls = () => capture.stages.find(({ stage }) => stage === 'cull-characters')!;
  const leaders = ({ residents }: CapturedArrays) => {
    const view = new View(Resident, residents!.slice().buffer);
    return Array.from({ length: view.count }, (_, i) => view.get(i, 'leader'));
  };
  beforeAll(async () => {
    const crowd = await capturedCrowd(undefined, { backend: 'cpu', poseSharing: SHARING });
    capture = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.6, views: VIEWS })));
  });

  test('has the rows of shared poses in its columns, and whose pose each shows behind the stage', () => {
    const { inputs, outputs } = culls();
    expect(capture.options).toMatchObject({ capacity: CAPACITY, poseSharing: SHARING });
    expect(spaceOf(capture, []).shape.capacity).toBe(CAPACITY + SHARED);
    expect(inputs.sharers!.length).toBe(CAPACITY + SHARED);
    const [before, after] = [leaders(inputs), leaders(outputs)];
    expect(after).not.toEqual(before);
    // marchers and recruits share; fighters carry something
    expect(after.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(after.slice(6, 15).filter((leader) => leader >= CAPACITY).length).toBeGreaterThan(3);
  });

  test.each(PLAIN_STAGES)('%s does on its twin again what it did', async (stage) => {
    const { outputs, differences } = await replayStage(capture, stage);
    expect(differences).toEqual([]);
    expect(outputs).toEqual(capture.stages.find((each) => each.stage === stage)!.outputs);
  });

  test('shows who follows somebody else', async () => {
    const { inputs, outputs } = culls();
    const residents = outputs.residents!.slice();
    new View(Resident, residents.buffer).set(7, 'leader', 1);
    const stages = [{ stage: 'cull-characters' as const, inputs, outputs: { ...outputs, residents } }];
    const { differences } = await replayStage({ ...capture, stages }, 'cull-characters');
    expect(differences).toEqual([
      expect.objectContaining({ array: 'residents', field: 'leader', count: 1, row: 7, captured: 1 }),
    ]);
  });

  test('is refused where its columns have other lengths than such a crowd has', async () => {
    const { inputs, outputs } = culls();
    const shorter = { ...inputs, sharers: inputs.sharers!.slice(1) };
    const stages = [{ stage: 'cull-characters' as const, inputs: shorter, outputs }];
    await expect(replayStage({ ...capture, stages }, 'cull-characters')).rejects.toThrow(coded('CAPTURE_INVALID'));
    // without sharing its columns are too long
    const alone = { ...capture, options: { ...capture.options, poseSharing: undefined } };
    await expect(replayStage(alone, 'pose-joints')).rejects.toThrow(coded('CAPTURE_INVALID'));
  });

  test('with vertex providers, whose types share nothing, is replayed without them as far as it can', async () => {
    const [swimmer, walker] = [packCharacter(soldierModel(), { errorBudget: 0, providers: () => 0b1 }), recruit()];
    const options = { characters: [swimmer, walker], capacity: 8, providers: [TIDE], backend: 'cpu' } as const;
    const crowd = createCrowd(undefined, { ...options, poseSharing: SHARING });
    for (const character of [swimmer, walker]) crowd.spawn(character, { count: 2 }).play('walk');
    await updateAndWait(crowd, { dt: 0.2, views: VIEWS });
    const tidal = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.6, views: VIEWS })));
    expect(spaceOf(tidal, []).shape.capacity).toBe(8 + 12);
    for (const stage of ['cull-characters', 'gather-motions', 'pose-joints'] as const) {
      expect((await replayStage(tidal, stage)).differences).toEqual([]);
    }
    expect((await replayStage(tidal, 'skin-vertices', { providers: [TIDE] })).differences).toEqual([]);
  });
});
