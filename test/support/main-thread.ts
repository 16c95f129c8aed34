import type { Page } from 'playwright-core';
import { openBrowser } from './launch-chromium.ts';

/** An event of Chromium's trace format; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Time that the thread ran: what others took of the machine is not in it. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const CATEGORIES = ['disabled-by-default-devtools.timeline', 'toplevel', 'blink.user_timing'];

/**
 * Milliseconds of processor time that each task of a page's main thread took, the longest first, while something ran in it.
 * The page calls `performance.mark` with `begin` and `end`.
 */
export async function mainThreadTasks(page: Page, run: () => Promise<void>): Promise<number[]> {
  const browser = await openBrowser();
  await browser.startTracing(page, { categories: CATEGORIES });
  let buffer: Buffer;
  try {
    await run();
    // a task is in the trace once it has ended: the last one has when the next one runs
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  } finally {
    buffer = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(buffer.toString()) as { traceEvents: readonly TraceEvent[] };
  const [begin, end] = ['begin', 'end'].map((mark) => traceEvents.find(({ name }) => name === mark));
  if (!begin || !end) throw new Error('the trace lacks its marks');
  const isTask = ({ name, pid, tid, ts, dur }: TraceEvent): boolean =>
    name === 'RunTask' && pid === begin.pid && tid === begin.tid && ts + (dur ?? 0) > begin.ts && ts < end.ts;
  return traceEvents
    .filter(isTask)
    .map(({ dur, tdur }) => (tdur ?? dur ?? 0) / 1000)
    .sort((a, b) => b - a);
}
