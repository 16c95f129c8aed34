// Captures of crowds whose characters are not those that they were created with.
import { beforeAll, describe, expect, test } from 'vitest';
import { captureFrame, readCapture, replayStage, writeCapture, type FrameCapture } from '../../src/capture/index.ts';
import { spaceOf } from '../../src/capture/replay.ts';
import { blobsOf } from '../../src/frame/tables/crowd-types.ts';
import type { Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { changedCrowd, PLAIN_STAGES, SHARING, VIEWS } from '../support/captured-crowd.ts';
import { recruit, soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

describe('a capture of a crowd whose characters have changed', () => {
  let crowd: Crowd;
  let capture: FrameCapture;
  beforeAll(async () => {
    crowd = await changedCrowd(undefined, { backend: 'cpu' });
    capture = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1, views: VIEWS })));
  });

  test('has its tables as they stand, gaps included', () => {
    const { types, rig, geometry, indices } = internalsOf(crowd).host.tables;
    const anew = spaceOf(capture, []).shape.tables;
    expect(anew.rig.words).toEqual(rig.words);
    expect(anew.geometry).toEqual(geometry);
    expect(anew.indices).toEqual(indices);
    const used = Object.values(blobsOf(types))
      .flat()
      .reduce((sum, { words }) => sum + words.length, 0);
    expect(rig.words.length + geometry.length + indices.length).toBeGreaterThan(used);
    // another crowd of the same characters has them elsewhere
    const { characters } = internalsOf(crowd).options();
    const other = createCrowd(undefined, { characters, capacity: 40, backend: 'cpu' });
    expect(internalsOf(other).host.tables.types.map(({ typeRow }) => typeRow)).not.toEqual(
      types.map(({ typeRow }) => typeRow),
    );
    // one level has a skeleton of its own
    expect(types.some(({ typeRow, levels }) => levels[1] && levels[1].skeletonRow !== typeRow)).toBe(true);
  });

  test.each(PLAIN_STAGES)('%s does on its twin again what it did', async (stage) => {
    const { outputs, differences } = await replayStage(capture, stage);
    expect(differences).toEqual([]);
    expect(outputs).toEqual(capture.stages.find((each) => each.stage === stage)!.outputs);
  });

  test('shows what differs where places are others', async () => {
    const { inputs, outputs } = capture.stages.find(({ stage }) => stage === 'cull-characters')!;
    const visible = outputs.visible!.slice();
    visible[2]! += 1;
    const stages = [{ stage: 'cull-characters' as const, inputs, outputs: { ...outputs, visible } }];
    const { differences } = await replayStage({ ...capture, stages }, 'cull-characters');
    expect(differences).toEqual([
      expect.objectContaining({ array: 'visible', field: 'geometryRow', count: 1, largest: 1, row: 0 }),
    ]);
  });

  test('that shares poses, too', async () => {
    const sharing = await changedCrowd(undefined, { backend: 'cpu', poseSharing: SHARING });
    const shared = readCapture(writeCapture(await captureFrame(sharing, { dt: 0.6, views: VIEWS })));
    for (const { stage } of shared.stages) expect((await replayStage(shared, stage)).differences).toEqual([]);
  });

  test('has a character in one place that is in the crowd twice', async () => {
    const [twice, once] = [recruit(), soldier()];
    const double = createCrowd(undefined, { characters: [twice, once, twice], capacity: 8, backend: 'cpu' });
    double.spawn(twice, { count: 3 }).play('walk');
    double.spawn(once, { count: 2 });
    await updateAndWait(double, { dt: 0.2 });
    const read = readCapture(writeCapture(await captureFrame(double, { dt: 0.1 })));
    expect(read.places[0]).toEqual(read.places[2]);
    for (const { stage } of read.stages) expect((await replayStage(read, stage)).differences).toEqual([]);
  });
});
