import { rmSync } from 'node:fs';

/** Ways in which a process is asked to end. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const parts = new Set<string>();

/**
 * The name under which a file is written before it is renamed. Until `closePart`, a signal that ends the process removes it
 * first.
 */
export function openPart(file: string): string {
  const part = `${file}.${process.pid}.part`;
  if (parts.size === 0) for (const signal of SIGNALS) process.on(signal, endBy);
  parts.add(part);
  return part;
}

/** Removes the part, unless it was renamed. */
export function closePart(part: string): void {
  rmSync(part, { force: true });
  parts.delete(part);
  if (parts.size === 0) for (const signal of SIGNALS) process.off(signal, endBy);
}

function endBy(signal: NodeJS.Signals): void {
  for (const part of parts) closePart(part);
  // without a listener, it ends the process as signals do
  process.kill(process.pid, signal);
}
