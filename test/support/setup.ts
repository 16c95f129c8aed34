import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { shared } from './shared.ts';

/**
 * Where the shared test data is, what must not be skipped, and how much of the long matrices to run.
 *
 * MANIPLE_SHARED   folder with the shared data (default ../shared)
 * MANIPLE_REQUIRE  comma list of shared, gpu, browser: a test that needs one and lacks it fails instead of skipping
 * MANIPLE_FULL     1 runs every case; otherwise a share of them that changes with the seed
 * MANIPLE_SEED     chooses the cases of short runs, and the first seed of fuzzing (default: see vitest.config.ts)
 */
const required = new Set((process.env.MANIPLE_REQUIRE ?? '').split(',').filter(Boolean));

export { shared };
export const full: boolean = process.env.MANIPLE_FULL === '1';
/** Seed of the run, printed at its start and below every failure. */
export const runSeed: number = Number(process.env.MANIPLE_SEED ?? 1);

// a failure in a case that other commits do not run has to be found again
afterEach(({ task }) => {
  for (const error of task.result?.errors ?? []) {
    if (!error.message.includes('MANIPLE_SEED=')) error.message += `\n(this run has MANIPLE_SEED=${runSeed})`;
  }
});

/** Bytes of a typed array. */
const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength);

// Vitest compares typed arrays key by key, which takes seconds; it still does where bytes differ, and says what differs
expect.addEqualityTesters([
  (one: unknown, other: unknown) => {
    if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other) || one.constructor !== other.constructor)
      return undefined;
    return bytesOf(one).equals(bytesOf(other)) || undefined;
  },
]);

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

/** 0 … count − 1, by the run's seed; lists of other lengths get others, so that samples of samples reach all cases. */
function chosen(count: number, salt: number): number {
  let hash = Math.imul(runSeed ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return ((hash ^ (hash >>> 13)) >>> 0) % count;
}

/** Every `share`-th case, from a start that the run's seed chooses: at least one. All of them in a full run. */
export function sample<T>(cases: readonly T[], share = 10): T[] {
  if (full || cases.length === 0) return [...cases];
  const every = Math.min(share, cases.length);
  const first = chosen(every, cases.length);
  return cases.filter((_, index) => index % every === first);
}

/** `count` neighbouring cases, from a start that the run's seed chooses; the first follows the last. All of them in a full run. */
export function some<T>(cases: readonly T[], count: number): T[] {
  if (full || cases.length <= count) return [...cases];
  const first = chosen(cases.length, count);
  return Array.from({ length: count }, (_, i) => cases[(first + i) % cases.length]!);
}

/** Long tests are in three groups that take about as long as each other. */
export type Turn = 0 | 1 | 2;

/** Whether this run takes a group of long tests: a short run takes one, which its seed chooses. */
export function hasTurn(turn: Turn): boolean {
  return full || chosen(3, 3) === turn;
}

/** A short run takes every eighth long test of its group, in the order of a file, from one that its seed chooses. */
const SHARE_OF_TURN = 8;
let longTests = 0;

/** For long tests of one of the groups. */
export function testInTurn(turn: Turn): ReturnType<typeof test.runIf> {
  return test.runIf(
    full || (hasTurn(turn) && longTests++ % SHARE_OF_TURN === chosen(SHARE_OF_TURN, SHARE_OF_TURN + 1)),
  );
}

/** Seeds of random tests: `all` of them from `first` on, or {@link some}. */
export function someSeeds(count: number, all: number, first = 1): number[] {
  return some(
    Array.from({ length: all }, (_, i) => first + i),
    count,
  );
}
