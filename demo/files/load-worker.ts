import type { Drop, Dropped, Told } from './load-dropped.ts';
import { loadFiles } from './load-files.ts';
import { issuesOf } from '../../src/errors.ts';

// Loads the files of its one message, and sends the results: `Told`.

const tell = (told: Told, transfer: Transferable[] = []): void => self.postMessage(told, { transfer });

self.addEventListener('message', ({ data }: MessageEvent<Drop>) => {
  const onDropped = (dropped: Dropped): void => tell({ kind: 'dropped', dropped }, buffersOf(dropped));
  loadFiles(data, { onProgress: (told) => tell({ kind: 'progress', told }), onDropped })
    .catch((thrown: unknown) => onDropped({ kind: 'failed', name: 'files', issues: issuesOf(thrown) }))
    .finally(() => tell({ kind: 'done' }));
});

/** Returns each buffer of a result once, to transfer instead of copying. */
function buffersOf(dropped: Dropped): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const seen = new Set<object>();
  const todo: unknown[] = [dropped];
  while (todo.length > 0) {
    const value = todo.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (ArrayBuffer.isView(value)) buffers.add(value.buffer as ArrayBuffer);
    else todo.push(...Object.values(value));
  }
  return [...buffers];
}
