import type { ClipModel } from '../model.ts';
import { CLIP_WORK_LIMIT, receivedClip, type ClipSetup, type PackedClip } from './pack-clip.ts';
import { packClipsHere, type PackClips } from './pack-rig.ts';
import type { PackOptions } from './options.ts';
import type { Steps } from './steps.ts';
import type { OnAnswer, OnFailure, WorkerPort } from './worker-port.ts';

/** On 16 processors, 16 workers took longer than 8. */
const MOST_WORKERS = 8;
/** Keys of all tracks that take some 0.4 s to pack. A worker for fewer would start and compile for longer than it packs. */
const KEYS_PER_WORKER = 16_000;
/** Memory of all workers, of one, and of each key of the clip that it packs. */
const CREW_BYTES = 2 ** 30;
const WORKER_BYTES = 2 ** 25;
const KEY_BYTES = 256;
/** Clips that a worker has at first, so that it need not wait for the next one. */
const CLIPS_AHEAD = 3;

type StartWorker = (onAnswer: OnAnswer, onFailure: OnFailure) => WorkerPort;

/**
 * Packs clips in several workers, with the result of `packClipsHere`: no clip's packing depends on another's. If the clips
 * are small, a worker fails or a clip is refused, they are packed in this thread, which finds the error of the first clip
 * that has one.
 */
export function packClipsInWorkers(start: StartWorker, maxWorkers: number | undefined): PackClips {
  return function* packClips(setup, clips, onProgress) {
    let reported = -1;
    const report: PackOptions['onProgress'] = (progress) => {
      if (progress.done <= reported) return;
      reported = progress.done;
      onProgress?.(progress);
    };
    const count = workerCount(clips, maxWorkers);
    const packed = count > 1 ? yield* packInCrew(setup, clips, report, start, count) : undefined;
    return packed ?? (yield* packClipsHere(setup, clips, report));
  };
}

/** Number of workers that pay off. */
export function workerCount(clips: readonly ClipModel[], maxWorkers = processorCount()): number {
  const sizes = clips.map(keyCount);
  const largest = sizes.reduce((a, b) => Math.max(a, b), 0);
  const byWork = sizes.reduce((sum, size) => sum + size, 0) / KEYS_PER_WORKER;
  const byMemory = CREW_BYTES / (WORKER_BYTES + KEY_BYTES * largest);
  return Math.floor(Math.min(MOST_WORKERS, maxWorkers, clips.length, byWork, byMemory));
}

function processorCount(): number {
  const cores = globalThis.navigator?.hardwareConcurrency;
  return cores ?? globalThis.process?.getBuiltinModule?.('node:os').availableParallelism() ?? 1;
}

function keyCount({ tracks }: ClipModel): number {
  return tracks.reduce((sum, { times }) => sum + times.length, 0);
}

/** Undefined if any of it fails. */
function* packInCrew(
  setup: ClipSetup,
  clips: readonly ClipModel[],
  report: NonNullable<PackOptions['onProgress']>,
  start: StartWorker,
  count: number,
): Steps<readonly PackedClip[] | undefined> {
  const sizes = clips.map(keyCount);
  // the longest first, so that all workers end at about the same time
  const order = [...clips.keys()].sort((a, b) => sizes[b]! - sizes[a]!);
  const packed: PackedClip[] = [];
  const ports: WorkerPort[] = [];
  let [sent, done, work] = [0, 0, 0];
  const state = { hasFailed: false };
  let wake = (): void => {};
  const fails = (): void => {
    state.hasFailed = true;
    wake();
  };
  const sayProgress = (): void => {
    if (done < clips.length) report({ done, total: clips.length, clip: clips[done]!.name });
  };
  const sendNext = (port: WorkerPort): void => {
    const index = order[sent++];
    if (index !== undefined) port.post({ kind: 'task', index, clip: clips[index]! });
  };
  const startOne = (): void => {
    const onAnswer: OnAnswer = (answer) => {
      if (answer.kind !== 'clip') return fails();
      packed[answer.index] = receivedClip(answer.clip);
      work += answer.clip.work;
      done++;
      if (work > (setup.maxClipWork ?? CLIP_WORK_LIMIT)) return fails();
      sayProgress();
      sendNext(port);
      wake();
    };
    const port = start(onAnswer, fails);
    ports.push(port);
    port.post({ kind: 'setup', setup: bare(setup) });
  };
  sayProgress();
  try {
    for (let w = 0; w < count; w++) startOne();
    for (let ahead = 0; ahead < CLIPS_AHEAD; ahead++) {
      for (const port of ports) {
        sendNext(port);
        yield;
      }
    }
    while (!state.hasFailed && done < clips.length) yield new Promise<void>((resolve) => (wake = resolve));
  } catch {
    state.hasFailed = true;
  } finally {
    for (const port of ports) port.terminate();
  }
  return state.hasFailed ? undefined : packed;
}

/** Leaves out everything that packing a clip does not read. */
function bare({ model, ...setup }: ClipSetup): ClipSetup {
  const { name, joints, morphSets } = model;
  const none = { meshes: [], lods: [], clips: [], bindings: [], materials: [], images: [], issues: [] };
  return { ...setup, model: { name, joints, morphSets, ...none } };
}
