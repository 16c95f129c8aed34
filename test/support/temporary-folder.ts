import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a test run leaves in the temporary folder. @param runner Process that started the workers. */
const folderOfRun = (runner: number): string => path.join(tmpdir(), `maniple-test-${runner}`);

/** Where tests find the demo page that one of them has built. */
export const builtFolder = (): string => path.join(made(folderOfRun(process.ppid)), 'demo');

/** An empty folder that is kept until the run has ended: hooks of skipped tests do not run, and workers end without a word. */
export const temporaryFolder = (): string => mkdtempSync(path.join(made(folderOfRun(process.ppid)), 'files-'));

function made(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Of the whole run: takes all of it away when all tests have ended. */
export default function setup(): () => void {
  const folder = folderOfRun(process.pid);
  rmSync(folder, { recursive: true, force: true });
  return () => rmSync(folder, { recursive: true, force: true });
}
