// Packing apart from the calling thread: in a thread of Node, and in slices where there is none.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moteModel } from '../../../test/format/mote.ts';
import { coded } from '../../../test/support/crowd-truth.ts';
import { hasTurn, some } from '../../../test/support/setup.ts';
import { soldierModel } from '../../../test/support/soldiers.ts';
import { thrownBy } from '../../../test/support/thrown-by.ts';
import { importGltf } from '../../import/gltf/import-gltf.ts';
import { defineController } from '../../controller/builder.ts';
import type { ControllerModel } from '../../controller/model.ts';
import { syntheticModel } from '../../bench/synthetic-model.ts';
import type { Character } from '../character.ts';
import type { CharacterModel } from '../model.ts';
import { packCharacter, packCharacterAsync, type PackAsyncOptions, type PackProgress } from './index.ts';
import { inSlices, type Steps } from './steps.ts';

const here = import.meta.dirname;
/** Where the worker's script is a file, as in the package. */
let folder: string;
let inThread: typeof packCharacterAsync;

beforeAll(async () => {
  longModel = await importGltf({ name: 'legionary', bytes: await readFile('characters/legionary.glb') });
  folder = await mkdtemp(path.join(tmpdir(), 'maniple-pack-'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await build({
    entryPoints: ['pack-async.ts', 'pack-worker.ts'].map((file) => path.join(here, file)),
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir: folder,
    // a byte for each thread that starts
    banner: {
      js: `process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(path.join(folder, 'threads'))}, '+');`,
    },
  });
  const module: unknown = await import(/* @vite-ignore */ pathToFileURL(path.join(folder, 'pack-async.js')).href);
  ({ packCharacterAsync: inThread } = module as { packCharacterAsync: typeof packCharacterAsync });
});
afterAll(() => rm(folder, { recursive: true }));

/** Takes long enough that others have turns, on any machine. */
let longModel: CharacterModel;

/** Enough keys for five workers. */
const manyClips = syntheticModel({ joints: 34, clips: 10, keys: 120, vertices: 64, influences: 4 });
let manyPacked: Character | undefined;
const manyAtOnce = (): Character => (manyPacked ??= packCharacter(manyClips));

const playing = (motion: string): ControllerModel =>
  defineController({
    name: 'test',
    parameters: {},
    clips: { attack: { loops: true } },
    layers: [{ name: 'base', machine: { default: 'Go', states: { Go: { motion } } } }],
  });
const walker = playing('walk');
const lacking = playing('fly');

/** Turns of the event loop while a promise is pending. */
async function turnsDuring(promise: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isPending = true;
  const turn = (): void => {
    turns++;
    if (isPending) setImmediate(turn);
  };
  setImmediate(turn);
  await promise.finally(() => (isPending = false));
  return turns;
}

describe.runIf(hasTurn(0)).each([
  ['in a thread', () => inThread],
  ['in slices', () => packCharacterAsync], // TypeScript's file is no worker's script
])('packing %s', (_, chosen) => {
  test.each<[string, CharacterModel, PackAsyncOptions]>([
    ['coarser levels, morph targets, named channels', moteModel(), {}],
    ['choices by mesh', moteModel(), { vertexFormat: ({ name }) => (name === 'body' ? 'packed' : 'compact') }],
    ['providers and some clips', soldierModel(), { providers: () => 2, clips: ['walk', 0] }],
    ['a controller with facts of clips that it does not play', soldierModel(), { controller: walker }],
    ['names that are missing', soldierModel(), { controller: lacking, missingClips: 'warn' }],
    ['no clips', soldierModel(), { clips: () => false, errorBudget: 0 }],
  ])('gives what packing at once gives: %s', async (__, model, options) => {
    const packed = await chosen()(model, options);
    expect(packed).toEqual(packCharacter(model, options));
    expect(packed.materials).toBe(model.materials);
  });

  test('says how far it is, and lets others run', async () => {
    const model = longModel;
    const progress: PackProgress[] = [];
    const packing = chosen()(model, { onProgress: (step) => progress.push(step) });
    expect(await turnsDuring(packing)).toBeGreaterThan(3);
    expect(progress).toEqual(model.clips.map(({ name }, done) => ({ done, total: model.clips.length, clip: name })));
  });

  test('ends when it is aborted, before and meanwhile', async () => {
    const reason = new Error('another level');
    const options = { signal: AbortSignal.abort(reason) };
    await expect(chosen()(soldierModel(), options)).rejects.toBe(reason);
    const controller = new AbortController();
    const progress: PackProgress[] = [];
    const packing = chosen()(longModel, {
      signal: controller.signal,
      onProgress(step) {
        progress.push(step);
        if (step.done === 1) controller.abort(reason);
      },
    });
    await expect(packing).rejects.toBe(reason);
    expect(progress).toHaveLength(2);
  });

  test('passes on what packing refuses, and what listeners throw', async () => {
    const { clips } = soldierModel();
    const [clip] = clips;
    const far = { ...clip!, tracks: clip!.tracks.map((track) => ({ ...track, values: track.values.map(() => 1e38) })) };
    const tooFar = chosen()(soldierModel({ clips: [far] }));
    await expect(tooFar).rejects.toMatchObject({ code: 'CHARACTER_TOO_LARGE', message: expect.any(String) as string });
    await expect(chosen()(soldierModel(), { clips: ['fly'] })).rejects.toMatchObject({ code: 'CLIP_NOT_FOUND' });
    await expect(chosen()(soldierModel(), null as never)).rejects.toMatchObject({ code: 'CROWD_BAD_ARGUMENT' });
    await expect(chosen()({} as never)).rejects.toMatchObject({ code: 'CROWD_BAD_ARGUMENT' });
    const atOnce = thrownBy(() => packCharacter(soldierModel(), { controller: lacking }));
    await expect(chosen()(soldierModel(), { controller: lacking })).rejects.toMatchObject({ issues: atOnce.issues });
    const thrown = new Error('of a listener');
    const onProgress = (): never => {
      throw thrown;
    };
    await expect(chosen()(soldierModel(), { onProgress })).rejects.toBe(thrown);
  });
});

test('a thread leaves the calling one idle, slices do not', async () => {
  const busyShare = async (pack: typeof packCharacterAsync): Promise<number> => {
    const before = performance.eventLoopUtilization();
    await pack(longModel);
    return performance.eventLoopUtilization(before).utilization;
  };
  expect(await busyShare(inThread)).toBeLessThan(0.5);
  expect(await busyShare(packCharacterAsync)).toBeGreaterThan(0.5);
});

test.each(some([1, 2, 5], 1))('%i workers give the bytes of one thread', async (maxWorkers) => {
  const log = path.join(folder, 'threads');
  await rm(log, { force: true });
  const progress: PackProgress[] = [];
  const onProgress = (step: PackProgress): void => void progress.push(step);
  expect(await inThread(manyClips, { maxWorkers, onProgress })).toEqual(manyAtOnce());
  expect(progress.map(({ done }) => done)).toEqual(manyClips.clips.map((_, done) => done));
  // the worker, and those that it starts
  expect((await readFile(log)).length).toBe(maxWorkers === 1 ? 1 : 1 + maxWorkers);
});

test('a clip that one of several workers refuses is named as in one thread', async () => {
  const clips = manyClips.clips.map((clip, index) => {
    const tracks = clip.tracks.map((track) => ({ ...track, values: track.values.map(() => 1e38) }));
    return index === 7 || index === 3 ? { ...clip, tracks } : clip;
  });
  const packing = inThread({ ...manyClips, clips }, { maxWorkers: 5, errorBudget: 0 });
  await expect(packing).rejects.toMatchObject({ code: 'CHARACTER_TOO_LARGE', issues: [{ path: clips[3]!.name }] });
});

test.each([0, Number.NaN, '2'])('%s workers are refused', async (maxWorkers) => {
  await expect(packCharacterAsync(soldierModel(), { maxWorkers: maxWorkers as number })).rejects.toEqual(
    coded('CROWD_BAD_ARGUMENT'),
  );
});

describe.runIf(hasTurn(0))('a worker of the application', () => {
  test('that cannot be made, or breaks, is an error', async () => {
    const worker = (): Worker => {
      throw new Error('blocked by its policy');
    };
    const refused = packCharacterAsync(soldierModel(), { worker });
    await expect(refused).rejects.toEqual(coded('WORKER_FAILED'));
    await expect(refused).rejects.toThrow(/blocked by its policy\. .*`worker: false`/);
  });

  test('is not needed', async () => {
    const packed = await packCharacterAsync(soldierModel(), { worker: false });
    expect(packed).toEqual(packCharacter(soldierModel()));
  });
});

describe.runIf(hasTurn(0))('work in slices', () => {
  test('takes as many steps at a time as fit', async () => {
    const log: string[] = [];
    function* steps(): Steps<string> {
      for (let step = 0; step < 40; step++) {
        const end = performance.now() + 1;
        while (performance.now() < end);
        log.push('step');
        yield;
      }
      return 'done';
    }
    let isDone = false;
    const turn = (): void => {
      log.push('turn');
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await inSlices(steps())).toBe('done');
    isDone = true;
    const runs = log.join(' ').split(/(?: ?turn ?)+/);
    expect(runs.length).toBeGreaterThan(3);
    for (const run of runs) expect(run.split(' ').length).toBeLessThan(12);
  });
});
