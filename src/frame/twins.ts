import { fail } from '../errors.ts';
import type * as cpuBackend from './cpu-backend.ts';

type Twins = typeof cpuBackend;

let twins: Twins | undefined;

/**
 * Loads the twins of all stages, which `backend: 'cpu'` runs. A page that uses the GPU backend need not download them.
 * Await it once, before `createCrowd(…, { backend: 'cpu' })`. Later calls cost nothing.
 */
export async function loadTwins(): Promise<void> {
  twins ??= await import('./cpu-backend.ts');
}

/** Returns the module that `loadTwins` has loaded. @throws ManipleError RUNTIME_NOT_LOADED */
export function loadedTwins(): Twins {
  return (
    twins ??
    fail(
      'RUNTIME_NOT_LOADED',
      'backend',
      "is 'cpu', and the twins that it runs are not loaded.",
      'await loadTwins() first.',
    )
  );
}
