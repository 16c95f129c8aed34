/** Milliseconds that the yardstick takes, warm, on a current desktop: limits are meant for such. */
const YARDSTICK_MS = 1;
const SHORT_MS = 100;

/** Some allocation, hashing and arithmetic, like what is measured; the least of three runs is the machine's pace. */
function yardstick(): number {
  const runs = [0, 1, 2].map(() => {
    const start = performance.now();
    const known = new Map<string, { readonly n: number }>();
    for (let i = 0; i < 20_000; i++) known.set(`k${i}`, { n: Math.sqrt(i) });
    let sum = 0;
    for (const { n } of known.values()) sum += n;
    const time = performance.now() - start;
    return sum > 0 ? time : 0; // what nobody reads, a compiler may leave out
  });
  return Math.min(...runs);
}

/**
 * Starts a clock and returns what reads it: milliseconds of a current desktop. A slower machine's, or a busy
 * one's, count for as much less as a yardstick takes longer there; the process's own work counts where others keep
 * the processor from it.
 */
export function stopwatch(): () => number {
  const start = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const spent = Math.min(performance.now() - start, (user + system) / 1000);
    // limits are far above what is short on any machine
    return spent < SHORT_MS ? spent : spent / Math.max(1, yardstick() / YARDSTICK_MS);
  };
}
