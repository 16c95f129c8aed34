import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Where tests find the demo page that one of them has built. @param runner Process that started them. */
export const builtFolder = (runner: number): string => path.join(tmpdir(), `maniple-demo-${runner}`);

/** Of the whole run: takes the page away when all tests have ended. */
export default function setup(): () => void {
  const folder = builtFolder(process.pid);
  rmSync(folder, { recursive: true, force: true });
  return () => rmSync(folder, { recursive: true, force: true });
}
