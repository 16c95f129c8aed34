import type { PackAnswer, PackRequest } from './pack-messages.ts';

/** A worker, of a browser or of Node. */
export interface WorkerPort {
  readonly post: (request: PackRequest) => void;
  readonly terminate: () => void;
}

/** What a worker has to say. */
export interface WorkerListener {
  onAnswer(answer: PackAnswer): void;
  /** It could not be loaded, or broke. @param reason A clause, without a period. */
  onFailure(reason: string): void;
}

/**
 * Starts the worker that packs. Whether it could be loaded shows later.
 *
 * @param make Makes a worker of `maniple/pack-worker`. Default: one of the file beside this one, which Vite and webpack find here.
 * @throws where there are no workers, or none may be made
 */
export function startWorker(listener: WorkerListener, make?: () => Worker): WorkerPort {
  const threads = make ? undefined : globalThis.process?.getBuiltinModule?.('node:worker_threads');
  if (threads) {
    const worker = new threads.Worker(new URL('./pack-worker.js', import.meta.url));
    worker.on('message', (answer: PackAnswer) => listener.onAnswer(answer));
    worker.on('error', (thrown: Error) => listener.onFailure(thrown.message));
    worker.on('messageerror', () => listener.onFailure('its answer could not be read'));
    return { post: (request) => worker.postMessage(request, []), terminate: () => void worker.terminate() };
  }
  const worker = make?.() ?? new Worker(new URL('./pack-worker.js', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<PackAnswer>) => listener.onAnswer(data));
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    listener.onFailure(event.message || 'its script could not be loaded');
  });
  worker.addEventListener('messageerror', () => listener.onFailure('its answer could not be read'));
  return { post: (request) => worker.postMessage(request, []), terminate: () => worker.terminate() };
}
