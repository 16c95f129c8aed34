import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a bundler for browsers makes of an entry: the files that go in, and what is left to load at run time. */
async function bundle(entry: string) {
  const { warnings, metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    splitting: true,
    outdir: 'unused',
    write: false,
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    warnings,
    inputs: Object.keys(metafile.inputs),
    imports: imports.map((found) => found.path),
    external: imports.filter(({ external }) => external).map((found) => found.path),
    text: outputFiles.map(({ text }) => text).join('\n'),
  };
}

/** The folders that each entry may draw on: imports point one way. */
const ENTRIES: [name: string, file: string, folders: RegExp][] = [
  ['maniple', 'src/index.ts', /^src\/(character|controller|forms|crowd|device|frame|layout|math|stages|vertex|wgsl)\//],
  [
    'maniple/character',
    'src/character/index.ts',
    /^(src\/(character|controller|forms|layout|math|vertex)|node_modules\/zod)\//,
  ],
  [
    'maniple/controller',
    'src/controller/index.ts',
    /^(src\/(character|controller|forms|layout|math)|node_modules\/zod)\//,
  ],
  [
    'maniple/capture',
    'src/capture/index.ts',
    /^src\/(character|controller|forms|crowd|device|frame|layout|math|stages|vertex|wgsl|capture)\//,
  ],
  [
    'maniple/state',
    'src/state/index.ts',
    /^src\/(character|controller|forms|crowd|device|frame|layout|math|stages|state|vertex|wgsl)\//,
  ],
  ['maniple/diagram', 'src/diagram/index.ts', /^(src\/diagram|node_modules\/@dagrejs\/dagre)\//],
  [
    'maniple/render',
    'src/render/index.ts',
    /^src\/(character|controller|forms|crowd|device|frame|layout|math|stages|vertex|wgsl|render)\//,
  ],
];

describe('entries for browsers', () => {
  test.each(ENTRIES)(
    '%s holds no importer, no package but what checks forms, and nothing of Node',
    async (_, file, folders) => {
      const { warnings, inputs, external, text } = await bundle(file);
      expect(warnings).toEqual([]);
      expect(external).toEqual([]);
      const strangers = inputs.filter((input) => !folders.test(input) && input !== file && input !== 'src/errors.ts');
      expect(strangers).toEqual([]);
      expect(inputs.filter((input) => /^src\/(import|cli|three)\/|^src\/node\//.test(input))).toEqual([]);
      expect(text).not.toMatch(/(from|import|require\()\s*["'](node:|sharp|three|webgpu|@gltf-transform)/);
    },
  );

  test('the worker that packs is files of ours, and loads nothing later', async () => {
    const { warnings, inputs, external, imports } = await bundle('src/character/pack/pack-worker.ts');
    expect({ warnings, external, imports }).toEqual({ warnings: [], external: [], imports: [] });
    expect(
      inputs.filter((input) => !/^src\/(character|controller|forms|layout|math|vertex|errors\.ts)/.test(input)),
    ).toEqual([]);
  });

  test('a page that plays baked characters has no renderer in it either', async () => {
    const { inputs } = await bundle('src/index.ts');
    expect(inputs.filter((input) => input.startsWith('src/render/'))).toEqual([]);
  });
});

describe('package.json', () => {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string; default: string }>;
  };

  test.each(Object.entries(exports).filter(([name]) => name !== './package.json'))(
    'what %s exports has a source',
    async (name, target) => {
      if (typeof target === 'string') throw new Error('types are missing');
      const source = target.default.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts');
      expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
      const exported = Object.keys((await import(path.join(root, source))) as object);
      if (name === './pack-worker') expect(exported).toEqual([]);
      else expect(exported.length).toBeGreaterThan(0);
    },
  );
});
