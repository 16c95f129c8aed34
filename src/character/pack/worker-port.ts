import type { PackAnswer, PackRequest } from './pack-messages.ts';

/** A worker of `maniple/pack-worker`, of a browser or of Node. */
export interface WorkerPort {
  readonly post: (request: PackRequest) => void;
  readonly terminate: () => void;
}

export type OnAnswer = (answer: PackAnswer) => void;
/** Called when the worker could not be loaded, or failed. The reason is a clause, without a period. */
export type OnFailure = (reason: string) => void;

type Threads = ReturnType<typeof process.getBuiltinModule<'node:worker_threads'>>;

/** Node's threads. Undefined in a browser. */
export function nodeThreads(): Threads | undefined {
  return globalThis.process?.getBuiltinModule?.('node:worker_threads');
}

export function connectThread(
  worker: InstanceType<Threads['Worker']>,
  onAnswer: OnAnswer,
  onFailure: OnFailure,
): WorkerPort {
  worker.on('message', onAnswer);
  worker.on('error', (thrown: Error) => onFailure(thrown.message));
  worker.on('messageerror', () => onFailure('its answer could not be read'));
  return { post: (request) => worker.postMessage(request, []), terminate: () => void worker.terminate() };
}

export function connectWorker(worker: Worker, onAnswer: OnAnswer, onFailure: OnFailure): WorkerPort {
  worker.addEventListener('message', ({ data }: MessageEvent<PackAnswer>) => onAnswer(data));
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    onFailure(event.message || 'its script could not be loaded');
  });
  worker.addEventListener('messageerror', () => onFailure('its answer could not be read'));
  return { post: (request) => worker.postMessage(request, []), terminate: () => worker.terminate() };
}
