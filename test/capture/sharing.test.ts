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
import { spaceOf } from '../../src/capture/space.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { packCharacter } from '../../src/character/index.ts';
import { View } from '../../src/layout/index.ts';
import { CullParams, ShareParams } from '../../src/stages/cull-characters/layout.ts';
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

  test('is refused where rows lead to what is not there', async () => {
    const { inputs, outputs } = culls();
    const { players, sharers, residents, shareParams, params } = inputs;
    const word = (words: Uint32Array<ArrayBuffer>, at: number, value: number) => {
      const changed = words.slice();
      changed[at] = value;
      return changed;
    };
    const share = (key: keyof typeof ShareParams.offsets, value: number) => ({
      shareParams: word(shareParams!, ShareParams.offsets[key] / 4, value),
    });
    const ofRow = (row: number, key: 'typeIndex' | 'leader', value: number) => ({
      residents: word(residents!, (row * Resident.size + Resident.offsets[key]) / 4, value),
    });
    const sharer = sharers!.findIndex((first, i) => i > 10 && first !== 0xffffffff);
    const firstPlayer = players!.length * (sharer / (CAPACITY + SHARED));
    const wrong: CapturedArrays[] = [
      share('characterCount', CAPACITY + 1),
      share('playerCapacity', 9),
      share('modifierCapacity', 3),
      share('firstShared', CAPACITY - 1),
      share('phases', 5),
      ofRow(3, 'typeIndex', 3),
      ofRow(3, 'leader', CAPACITY + SHARED),
      { sharers: word(sharers!, sharer, CAPACITY) },
      { players: word(players!, firstPlayer, 3) },
      { params: word(params!, CullParams.offsets.sharedCount / 4, SHARED + 1) },
      { sharers: sharers!.slice(1) },
    ];
    for (const part of wrong) {
      const stages = [{ stage: 'cull-characters' as const, inputs: { ...inputs, ...part }, outputs }];
      const replayed = replayStage({ ...capture, stages }, 'cull-characters');
      await expect(replayed, Object.keys(part)[0]).rejects.toThrow(coded('CAPTURE_INVALID'));
    }
  });

  test('is refused where there can be no such crowd', async () => {
    const RULES = capture.options.poseSharing!;
    const forged = (sharing: FrameCapture['options']['poseSharing']) =>
      writeCapture({ ...capture, options: { ...capture.options, poseSharing: sharing } });
    expect(() => readCapture(forged({ ...RULES, minWeight: 0.4 }))).toThrow(coded('CAPTURE_INVALID'));
    expect(() => readCapture(forged({ ...RULES, phases: 257 }))).toThrow(coded('CAPTURE_INVALID'));
    // more poses than a crowd may share
    const { options } = capture;
    const characters = Array.from({ length: 200 }, () => ({ ...options.characters[2]! }));
    const many = { ...options, characters, skin: characters.map(() => 'compute' as const) };
    const crowded = { ...capture, options: { ...many, poseSharing: { ...RULES, phases: 256 } } };
    await expect(replayStage(crowded, 'cull-characters')).rejects.toThrow(coded('CAPTURE_INVALID'));
    // without sharing its columns are too long
    const alone = { ...capture, options: { ...options, poseSharing: undefined } };
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
