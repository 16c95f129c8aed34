import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Where the shared test data is, what must not be skipped, and how much of the long matrices to run.
 *
 * MANIPLE_SHARED   folder with the shared data (default ../shared)
 * MANIPLE_REQUIRE  comma list of shared, gpu, browser: a test that needs one and lacks it fails instead of skipping
 * MANIPLE_FULL     1 runs every case; otherwise a seeded tenth
 */
const required = new Set((process.env.MANIPLE_REQUIRE ?? '').split(',').filter(Boolean));

export const shared: string = path.resolve(process.env.MANIPLE_SHARED ?? '../shared');
export const full: boolean = process.env.MANIPLE_FULL === '1';

/** Whether a test that needs `what` must be skipped; throws where skipping is forbidden, and says why either way. */
export function missing(what: 'shared' | 'gpu' | 'browser', present: boolean, why: string): boolean {
  if (present) return false;
  if (required.has(what)) throw new Error(`MANIPLE_REQUIRE names ${what}, but ${why}`);
  console.warn(`skipped: ${why}`);
  return true;
}

/** True when tests on shared data have to be skipped: `describe.skipIf(noShared())`. */
export function noShared(): boolean {
  return missing('shared', existsSync(path.join(shared, 'assets/assets.json')), `no shared data in ${shared}`);
}

/** The cases to run: all of them in a full run, otherwise every tenth from a fixed start. */
export function sample<T>(cases: readonly T[], share = 10): T[] {
  return full ? [...cases] : cases.filter((_, index) => index % share === 3 % share);
}
