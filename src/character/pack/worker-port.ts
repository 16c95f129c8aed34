import type { PackAnswer, PackRequest } from './pack-messages.ts';

/** A worker, of a browser or of Node. */
export interface WorkerPort {
  readonly post: (request: PackRequest) => void;
  readonly terminate: () => void;
}

/** Receives messages of a worker. */
export interface WorkerListener {
  onAnswer(answer: PackAnswer): void;
  /** The worker could not be loaded, or failed. @param reason A clause, without a period. */
  onFailure(reason: string): void;
}

/**
 * Starts the worker that packs. Loading errors are reported later, to the listener.
 *
 * @param make Creates a worker of `maniple/pack-worker`. Default: one of the file next to this one, which Vite and
 * webpack find here.
 * @throws where workers are unavailable, or may not be created
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
