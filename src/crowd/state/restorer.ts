import { fail } from '../../errors.ts';
import type { restoreSnapshot } from './restore.ts';

let restorer: typeof restoreSnapshot | undefined;

/**
 * Sets the function that restores snapshots. Code that makes snapshots calls this, so that crowds without snapshots
 * never load that function.
 */
export function provideRestorer(restore: typeof restoreSnapshot): void {
  restorer = restore;
}

/** Loads the code that restores snapshots. If that fails, `restore` throws. */
export async function loadRestorer(): Promise<void> {
  if (restorer) return;
  const loaded = await import('./restore.ts').catch(() => undefined);
  if (loaded) provideRestorer(loaded.restoreSnapshot);
}

/** Puts a new host into the state of a snapshot. @throws ManipleError RUNTIME_NOT_LOADED, and as `restoreSnapshot` */
export function restore(...args: Parameters<typeof restoreSnapshot>): void {
  if (restorer) return restorer(...args);
  const suggestion = 'Pass what readSnapshot() makes of its bytes.';
  return fail('RUNTIME_NOT_LOADED', 'from', 'is there, and what restores snapshots could not be loaded.', suggestion);
}
