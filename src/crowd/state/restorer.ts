import { fail } from '../../errors.ts';
import type { restoreSnapshot } from './restore.ts';

let restorer: typeof restoreSnapshot | undefined;

/** Whoever makes snapshots sees to it that they can be restored: crowds that never see any do without the code. */
export function provideRestorer(restore: typeof restoreSnapshot): void {
  restorer = restore;
}

/** Loads what restores snapshots. Where that fails, whoever restores one is told so. */
export async function loadRestorer(): Promise<void> {
  if (restorer) return;
  const loaded = await import('./restore.ts').catch(() => undefined);
  if (loaded) provideRestorer(loaded.restoreSnapshot);
}

/** Brings a host that is new to where a snapshot was taken. @throws ManipleError RUNTIME_NOT_LOADED, and as `restoreSnapshot` */
export function restore(...args: Parameters<typeof restoreSnapshot>): void {
  if (restorer) return restorer(...args);
  const suggestion = 'Pass what readSnapshot() makes of its bytes.';
  return fail('RUNTIME_NOT_LOADED', 'from', 'is there, and what restores snapshots could not be loaded.', suggestion);
}
