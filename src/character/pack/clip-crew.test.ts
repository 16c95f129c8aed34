// Clips that several workers pack: the order in which they answer, failures, and the number of workers.
import { expect, test } from 'vitest';
import { syntheticModel } from '../../bench/synthetic-model.ts';
import { testInTurn } from '../../../test/support/setup.ts';
import { thrownBy } from '../../../test/support/thrown-by.ts';
import type { ClipModel } from '../model.ts';
import { packClipsInWorkers, workerCount } from './clip-crew.ts';
import { Scratch } from './measure.ts';
import { ClipWork, packClip, sentClip, type ClipSetup } from './pack-clip.ts';
import type { PackRequest } from './pack-messages.ts';
import { clipSetup, packClipsHere } from './pack-rig.ts';
import { measureSkeleton } from './skeleton-metrics.ts';
import { finish, inSlices } from './steps.ts';
import type { OnAnswer, OnFailure, WorkerPort } from './worker-port.ts';

const model = syntheticModel({ joints: 20, clips: 16, keys: 120, vertices: 64, influences: 4 });
/** Keys stay as they are, which is fast. */
const exactly = (maxClipWork?: number): ClipSetup =>
  clipSetup(model, measureSkeleton(model), model.clips, { errorBudget: 0, maxClipWork });
const here = (setup: ClipSetup) => finish(packClipsHere(setup, model.clips, undefined));

/** Workers of this thread, of which the first is the slowest. Counts them, and those that run. */
function fakeWorkers(breaks: (index: number) => boolean = () => false) {
  const counts = { started: 0, running: 0 };
  const start = (onAnswer: OnAnswer, onFailure: OnFailure): WorkerPort => {
    const turns = 20 - 4 * counts.started++;
    counts.running++;
    let setup: ClipSetup | undefined;
    let isRunning = true;
    const work = (request: PackRequest, left: number): void => {
      if (left > 0) return void setImmediate(work, request, left - 1);
      if (!isRunning) return;
      if (request.kind === 'setup') setup = request.setup;
      else if (request.kind !== 'task') throw new Error(request.kind);
      else if (breaks(request.index)) onFailure('it broke');
      else answer(request.index, request.clip);
    };
    const answer = (index: number, clip: ClipModel): void => {
      const options = { work: new ClipWork(setup!.maxClipWork), scratch: new Scratch() };
      onAnswer({ kind: 'clip', index, clip: structuredClone(sentClip(finish(packClip(setup!, clip, options)))) });
    };
    const terminate = (): void => {
      isRunning = false;
      counts.running--;
    };
    return { post: (request) => work(structuredClone(request), turns), terminate };
  };
  return { start, counts };
}

test('the result does not depend on the order of answers', async () => {
  const { start, counts } = fakeWorkers();
  const packed = await inSlices(packClipsInWorkers(start, 4)(exactly(), model.clips, undefined));
  expect(packed.map(sentClip)).toEqual(here(exactly()).map(sentClip));
  expect(counts).toEqual({ started: 4, running: 0 });
});

testInTurn(0)('workers that cannot be started, or break, are not needed', async () => {
  const refusing = (): WorkerPort => {
    throw new Error('blocked by its policy');
  };
  const breaking = fakeWorkers((index) => index === 9);
  for (const start of [refusing, breaking.start]) {
    const progress: number[] = [];
    const packClips = packClipsInWorkers(start, 4);
    const packed = await inSlices(packClips(exactly(), model.clips, ({ done }) => progress.push(done)));
    expect(packed.map(sentClip)).toEqual(here(exactly()).map(sentClip));
    expect(progress).toEqual(model.clips.map((_, index) => index));
  }
  expect(breaking.counts.running).toBe(0);
});

testInTurn(2)('the limit of work is that of one thread', async () => {
  const total = here(exactly()).reduce((sum, { work }) => sum + work, 0);
  const inWorkers = (maxClipWork: number) =>
    inSlices(packClipsInWorkers(fakeWorkers().start, 4)(exactly(maxClipWork), model.clips, undefined));
  expect(await inWorkers(total)).toHaveLength(16);
  const atOnce = thrownBy(() => here(exactly(total - 1)));
  await expect(inWorkers(total - 1)).rejects.toMatchObject({ code: 'CLIP_TOO_LONG', issues: atOnce.issues });
});

test('listeners that throw end the workers', async () => {
  const { start, counts } = fakeWorkers();
  const thrown = new Error('of a listener');
  const refuse = (): never => {
    throw thrown;
  };
  await expect(inSlices(packClipsInWorkers(start, 4)(exactly(), model.clips, refuse))).rejects.toBe(thrown);
  expect(counts.running).toBe(0);
});

test('small clips have no workers, and large ones few', () => {
  const clip = (keys: number): ClipModel => ({
    name: 'clip',
    duration: 1,
    tracks: [
      {
        targetIndex: 0,
        path: 'translation',
        interpolation: 'LINEAR',
        times: new Float32Array(keys),
        values: new Float32Array(3),
      },
    ],
  });
  const clips = (count: number, keys: number) => Array.from({ length: count }, () => clip(keys));
  expect(workerCount(clips(30, 1000), 8)).toBe(1);
  expect(workerCount(clips(80, 1000), 8)).toBe(5);
  expect(workerCount(clips(3, 40_000), 8)).toBe(3);
  expect(workerCount(clips(100, 40_000), 4)).toBe(4);
  expect(workerCount(clips(100, 40_000), 1000)).toBe(8);
  expect(workerCount(clips(100, 1_000_000), 16)).toBe(3);
});
