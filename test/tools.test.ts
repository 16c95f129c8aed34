// Tools and benchmarks share code with tests, and run without Vitest.
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { trackedFiles } from './support/tracked-files.ts';

const scripts = trackedFiles().filter((file) => /^(tools|bench)\/[\w-]+\.ts$/.test(file) && !file.endsWith('.test.ts'));

test('there are some', () => {
  expect(scripts).toEqual(expect.arrayContaining(['tools/pose-table.ts', 'tools/unity-table.ts', 'bench/crowd.ts']));
});

test.each(scripts)('%s does not load Vitest', async (script) => {
  const { metafile } = await build({
    entryPoints: [script],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const importers = Object.entries(metafile.inputs).filter(([, { imports }]) =>
    imports.some(({ path }) => path === 'vitest'),
  );
  expect(importers.map(([file]) => file)).toEqual([]);
});
