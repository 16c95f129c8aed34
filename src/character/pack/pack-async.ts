import { error, fail, ManipleError, quoted, reasonOf } from '../../errors.ts';
import type { Character } from '../character.ts';
import type { CharacterModel } from '../model.ts';
import { checkModel } from './check-model.ts';
import { chooseClips } from './choose-clips.ts';
import { checkPackOptions, type PackOptions } from './options.ts';
import { type PackAnswer, sendModel } from './pack-messages.ts';
import { packSteps } from './pack-steps.ts';
import { inSlices } from './steps.ts';
import {
  connectThread,
  connectWorker,
  nodeThreads,
  type OnAnswer,
  type OnFailure,
  type WorkerPort,
} from './worker-port.ts';

/** Options of packing that does not block the calling thread. */
export interface PackAsyncOptions extends PackOptions {
  /** Cancels the packing. The promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Creates the worker, from the script `maniple/pack-worker`, for bundlers that do not find workers themselves.
   * `false`: pack in slices of 5 ms on the calling thread. Default: a worker if one can be created, else slices.
   */
  readonly worker?: (() => Worker) | false;
  /**
   * The most workers that pack clips at the same time; 1 or more. Default: one per processor, up to 8, and fewer if clips are
   * small or take much memory. The result is the same with any number of them.
   */
  readonly maxWorkers?: number;
}

/**
 * Packs a model as `packCharacter` does, in a worker: a Web Worker, or a thread of Node. For clips that take longer than some
 * tenths of a second, it starts further workers from its own script. The calling thread copies the
 * model and receives the result, in pieces of some milliseconds. If a worker cannot be started, the calling thread
 * packs in slices of 5 ms.
 *
 * Vite and webpack bundle the worker automatically. For esbuild, add `maniple/pack-worker` to the entry points, next to
 * the page's script; or create the worker in the option \`worker\`.
 *
 * @param model Plain data, which is copied to the worker.
 * @throws ManipleError as `packCharacter`, and WORKER_FAILED: a worker of the option could not be started, or one
 * failed; the reason of an aborted signal
 * @example const knight = await packCharacterAsync(model, { onProgress: ({ done, total }) => show(done / total) });
 */
export async function packCharacterAsync(model: CharacterModel, options: PackAsyncOptions = {}): Promise<Character> {
  checkModel(model);
  checkPackOptions(options);
  const { signal, worker, maxWorkers, ...pack } = options;
  if (maxWorkers !== undefined && !(typeof maxWorkers === 'number' && maxWorkers >= 1)) {
    fail(
      'CROWD_BAD_ARGUMENT',
      'maxWorkers',
      `Got ${quoted(maxWorkers)} for maxWorkers; expected a number of 1 or more.`,
    );
  }
  signal?.throwIfAborted();
  if (worker === false) return inSlices(packSteps(model, pack), signal);
  const names = model.clips.map(({ name }) => name);
  const chosen = chooseClips(names, pack, model.name);
  const packed = await packInWorker(model, chosen, options);
  if (!packed) return inSlices(packSteps(model, pack), signal);
  const { materials, images } = model; // these were not sent
  return { ...packed, materials, images };
}

/** Undefined if the default worker could not be started. */
function packInWorker(
  model: CharacterModel,
  clips: readonly number[],
  { signal, worker, ...pack }: PackAsyncOptions,
): Promise<Character | undefined> {
  const ended = new AbortController();
  let port: WorkerPort | undefined;
  let isStarted = false;
  const result = new Promise<Character | undefined>((resolve, reject) => {
    const fails = (reason: unknown): void => {
      if (!isStarted && !worker) return resolve(undefined);
      const suggestion = 'Check the option `worker`, and the address of its script; or pass `worker: false`.';
      const message = `Its worker failed: ${reasonOf(reason)}.`;
      reject(new ManipleError(error('WORKER_FAILED', model.name, message, suggestion)));
    };
    const onAnswer = (answer: PackAnswer): void => {
      isStarted = true;
      if (answer.kind === 'packed') return resolve(answer.character);
      if (answer.kind === 'failed') return reject(new ManipleError(answer.issues));
      if (answer.kind === 'clip') return; // of workers that the worker starts
      try {
        pack.onProgress?.(answer.progress);
      } catch (thrown) {
        reject(thrown as Error);
      }
    };
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { signal: ended.signal });
    try {
      port = startWorker(onAnswer, fails, worker || undefined);
    } catch (thrown) {
      return fails(thrown);
    }
    const { post } = port;
    inSlices(sendModel(model, clips, pack, post), ended.signal).catch(reject);
  });
  return result.finally(() => {
    ended.abort();
    port?.terminate();
  });
}

/**
 * Starts the worker that packs: of a browser, or of Node.
 *
 * @param make Creates a worker of `maniple/pack-worker`. Default: one of the file next to this one, which Vite and
 * webpack find here.
 * @throws where workers are unavailable, or may not be created
 */
function startWorker(onAnswer: OnAnswer, onFailure: OnFailure, make?: () => Worker): WorkerPort {
  const threads = make ? undefined : nodeThreads();
  if (threads) {
    return connectThread(new threads.Worker(new URL('./pack-worker.js', import.meta.url)), onAnswer, onFailure);
  }
  const worker = make?.() ?? new Worker(new URL('./pack-worker.js', import.meta.url), { type: 'module' });
  return connectWorker(worker, onAnswer, onFailure);
}
