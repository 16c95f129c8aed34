import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { some } from '../support/setup.ts';

const folder = path.resolve(import.meta.dirname, '../../examples');
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const pages = names.filter((name) => existsSync(path.join(folder, name, 'index.html')));
/** What an example runs: in a page, or in Node. */
const mainOf = (name: string) =>
  ['main.ts', 'main.tsx', 'render.ts'].find((file) => existsSync(path.join(folder, name, file)))!;
const text = (...parts: string[]) => readFileSync(path.join(folder, ...parts), 'utf8');

describe('examples', () => {
  test('bundle for browsers, as npm run examples does it', async () => {
    const script = (JSON.parse(text('..', 'package.json')) as { scripts: { examples: string } }).scripts.examples;
    const external = Array.from(script.matchAll(/--external:(\S+)/g), ([, name]) => name!);
    const bundled = some(pages, 4);
    const { warnings, outputFiles } = await build({
      entryPoints: bundled.map((name) => path.join(folder, name, mainOf(name))),
      bundle: true,
      format: 'esm',
      external,
      jsx: 'automatic',
      outdir: 'unused',
      write: false,
      logLevel: 'silent',
    });
    expect(warnings).toEqual([]);
    expect(outputFiles).toHaveLength(bundled.length);
  });

  test.each(names)('%s says what it is, and is on both lists', (name) => {
    expect(text(name, 'README.md')).toMatch(/^# /);
    expect(text('README.md')).toContain(`](${name}/README.md)`);
    expect(text('index.html').includes(`href="${name}/"`)).toBe(pages.includes(name));
  });

  test.each(pages)('%s is a page with a canvas and a message', (name) => {
    const html = text(name, 'index.html');
    expect(html).toContain('<script type="module" src="main.js"></script>');
    expect(html).toContain('<p role="alert">Loading…</p>');
  });

  test.each(names)('%s is read in one go', (name) => {
    expect(text(name, mainOf(name)).split('\n').length).toBeLessThanOrEqual(name === 'sockets' ? 170 : 120);
  });
});
