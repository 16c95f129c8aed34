import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

describe('a bundle for browsers', () => {
  test.each([false, true])('holds nothing of Node (minified: %s)', async (minify) => {
    const { warnings, metafile, outputFiles } = await build({
      entryPoints: [
        fileURLToPath(new URL('index.ts', import.meta.url)),
        fileURLToPath(new URL('../../device/request-device.ts', import.meta.url)),
      ],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      minify,
      outdir: 'unused',
      splitting: true,
      write: false,
    });
    expect(warnings).toEqual([]);
    expect(Object.keys(metafile.inputs).filter((input) => !/^src\/(render\/images|device|errors)/.test(input))).toEqual(
      [],
    );
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external),
    );
    expect(imported).toEqual([]);
    expect(outputFiles.some(({ text }) => /(from|import|require\()\s*["'](sharp|node:)/.test(text))).toBe(false);
  });
});
