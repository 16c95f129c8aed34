import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { openFiles, type TestPage } from './page.ts';

const config = fileURLToPath(new URL('../../demo/vite.config.ts', import.meta.url));
let built: Promise<Readonly<Record<string, string>>> | undefined;

/** A page of the demo as it is built, from a server of its own. The pages are built once per process. */
export async function openDemo(page: 'index.html' | 'inspector.html'): Promise<TestPage> {
  built ??= buildDemo();
  return openFiles(await built, `/${page}`);
}

async function buildDemo(): Promise<Readonly<Record<string, string>>> {
  // characters of the battle without levels of detail: those take most of a minute
  process.env.MANIPLE_DEMO_QUICK = '1';
  const folder = mkdtempSync(path.join(tmpdir(), 'maniple-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({ configFile: config, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [`/${path.relative(folder, file).replaceAll(path.sep, '/')}`, file];
    }),
  );
}
