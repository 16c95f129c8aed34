import { issuesOf } from '../../src/errors.ts';
import type { Command, FieldStart, Told } from '../protocol.ts';
import type { Field } from './field.ts';

/** The page's connection to a field in this thread or in a worker. */
export interface FieldPort {
  send(command: Command): void;
  close(): void;
}

/** Opens a field on a canvas without a context. Errors arrive as `failed`. */
export function connectField(
  canvas: HTMLCanvasElement,
  start: FieldStart,
  inWorker: boolean,
  tell: (told: Told) => void,
): FieldPort {
  return inWorker ? inAWorker(canvas, start, tell) : inThePage(canvas, start, tell);
}

/** Returns true if a field can run in a worker here. */
export function hasWorkerCanvas(): boolean {
  return 'transferControlToOffscreen' in HTMLCanvasElement.prototype && typeof Worker === 'function';
}

function inAWorker(canvas: HTMLCanvasElement, start: FieldStart, tell: (told: Told) => void): FieldPort {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'field' });
  worker.addEventListener('message', ({ data }: MessageEvent<Told>) => tell(data));
  worker.addEventListener('error', ({ message }) => {
    tell({ kind: 'failed', issues: issuesOf(new Error(message || 'The worker could not be started.')) });
  });
  const offscreen = canvas.transferControlToOffscreen();
  worker.postMessage({ kind: 'open', canvas: offscreen, start }, [offscreen]);
  return { send: (command) => worker.postMessage(command, []), close: () => worker.terminate() };
}

function inThePage(canvas: HTMLCanvasElement, start: FieldStart, tell: (told: Told) => void): FieldPort {
  const waiting: Command[] = [];
  let field: Field | undefined;
  let isClosed = false;
  import('./field.ts')
    .then(({ openField }) => openField(canvas, start, (told) => isClosed || tell(told)))
    .then((opened) => {
      if (isClosed) return opened.destroy();
      field = opened;
      for (const command of waiting.splice(0)) field.command(command);
    })
    .catch((thrown: unknown) => isClosed || tell({ kind: 'failed', issues: issuesOf(thrown) }));
  return {
    send(command) {
      if (field) field.command(command);
      else waiting.push(command);
    },
    close() {
      isClosed = true;
      field?.destroy();
    },
  };
}
