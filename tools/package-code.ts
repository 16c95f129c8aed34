// The code of the package: sources and the packages that they use, in as few files as leave bundlers free to take what a
// page uses (docs/adr/0034-footprint.md).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { shippedShaders } from './ship-shaders.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Entries of which pages use a part: a file for each part, so that a bundler can leave out the others. */
const TAKEN_IN_PARTS = ['src/index.ts', 'src/render/index.ts'];

/** Modules that are imported by a URL, which keeps them out of bundles for browsers. */
const IMPORTED_BY_URL = ['src/render/images/decode-jpeg.ts'];

const SHARED = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['module', 'import'],
  target: 'es2022',
  external: ['playcanvas', 'three', 'three/*', 'node:*'],
  legalComments: 'none',
  logLevel: 'error',
  metafile: true,
  outdir: 'dist',
  write: false,
} as const satisfies BuildOptions;

/** Large packages that the command alone uses, and seldom. */
const COMPRESSED = ['gltf-validator'];

/** A built package: texts of files by their paths in dist/, and what went into them. */
export interface PackageCode {
  readonly files: ReadonlyMap<string, string>;
  readonly metafile: Metafile;
}

/** @param entries Sources of the public entries and of the command: `src/three/index.ts` becomes `three/index.js`. */
export async function packageCode(entries: readonly string[]): Promise<PackageCode> {
  const parts = await partsOf(TAKEN_IN_PARTS);
  const sources = [...new Set([...entries, ...parts, ...IMPORTED_BY_URL])];
  const { outputFiles, metafile } = await build({
    ...SHARED,
    entryPoints: sources.map((source) => ({ in: source, out: flatName(source) })),
    chunkNames: '[name]-[hash]',
    splitting: true,
    minify: true,
    lineLimit: 160,
    plugins: [compressed, packages, shippedShaders, urlsFromDist],
  });
  for (const name of COMPRESSED) metafile.inputs[`node_modules/${name}`] = { bytes: 0, imports: [] };
  const built = new Map(
    outputFiles.map((file) => [path.basename(file.path), reExported(withoutBareImports(file.text))]),
  );
  const files = new Map<string, string>();
  for (const source of entries) files.set(publicName(source), publicText(source, built));
  addImported(files, built);
  return { files, metafile };
}

/** What the entries re-export, and every module in their reach that runs code when it is loaded. */
async function partsOf(entries: readonly string[]): Promise<string[]> {
  const { inputs } = (await build({ ...SHARED, entryPoints: [...entries], treeShaking: false })).metafile;
  const importsOf = (file: string) =>
    inputs[file]!.imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
  const reach = new Set(entries);
  for (const file of reach) for (const { path: next } of importsOf(file)) if (next.startsWith('src/')) reach.add(next);
  const reExports = entries.flatMap((entry) => importsOf(entry).map((found) => found.path));
  return [...reExports, ...(await withEffects([...reach]))];
}

/** Modules of which something is left in a bundle that uses none of their exports. */
async function withEffects(modules: readonly string[]): Promise<string[]> {
  const alone: Plugin = {
    name: 'alone',
    setup(plugin) {
      plugin.onResolve({ filter: /^alone:/ }, ({ path: name }) => ({ path: name.slice(6), namespace: 'alone' }));
      plugin.onResolve({ filter: /./ }, ({ path: name, namespace }) =>
        namespace === 'alone' ? { path: name, sideEffects: true } : { path: name, external: true },
      );
      plugin.onLoad({ filter: /./, namespace: 'alone' }, ({ path: name }) => ({
        contents: `import ${JSON.stringify(path.join(root, name))}`,
        resolveDir: root,
      }));
    },
  };
  const { outputFiles } = await build({
    ...SHARED,
    external: [],
    entryPoints: modules.map((name, i) => ({ in: `alone:${name}`, out: String(i) })),
    plugins: [alone],
  });
  const texts = new Map(outputFiles.map(({ path: file, text }) => [path.basename(file, '.js'), text]));
  const isEmpty = (text: string) => text.replaceAll(/^(\/\/.*|import [^;]*;)$/gm, '').trim() === '';
  return modules.filter((_, i) => !isEmpty(texts.get(String(i))!));
}

const flatName = (source: string) =>
  source
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-');
const publicName = (source: string) => source.replace(/^src\//, '').replace(/\.ts$/, '.js');

/** The file of a public entry, which refers to the files in dist/ itself. */
function publicText(source: string, built: ReadonlyMap<string, string>): string {
  const flat = `${flatName(source)}.js`;
  const up = path.posix.relative(path.posix.dirname(publicName(source)), '') || '.';
  const text = built.get(flat)!;
  if (text.startsWith('export {')) return text.replaceAll("from './", `from '${up}/`);
  const firstLine = readFileSync(path.join(root, source), 'utf8').split('\n', 1)[0]!;
  if (firstLine.startsWith('#!')) return `${firstLine}\nimport '${up}/${flat}';\n`;
  return /\bexport\s*\{/.test(text) ? `export * from '${up}/${flat}';\n` : `import '${up}/${flat}';\n`;
}

/** Adds the files that those already there import. */
function addImported(files: Map<string, string>, built: ReadonlyMap<string, string>): void {
  for (const text of files.values()) {
    for (const [, name] of text.matchAll(/["'`]\.{1,2}\/(?:\.\.\/)*([\w-]+\.js)["'`]/g))
      if (built.has(name!)) files.set(name!, built.get(name!)!);
  }
}

/** Nothing needs a file of ours only to be loaded, and bundlers warn of such imports: `sideEffects` is `false`. */
const withoutBareImports = (text: string) => text.replaceAll(/(?<=^|[;\n])import\s*"\.\/[\w-]+\.js";/g, '');

/**
 * A file that only passes on what it imports, as `export { … } from`: bundlers follow that to a file for each name.
 * esbuild writes it as an import of all and an export. Other files are returned as they are.
 */
export function reExported(text: string): string {
  const places = new Map<string, readonly [name: string, file: string]>();
  let rest = text;
  for (let found = IMPORT.exec(rest); found; found = IMPORT.exec(rest)) {
    rest = rest.slice(found[0].length);
    for (const [name, local] of namesIn(found[1] ?? '')) places.set(local, [name, found[2]!]);
  }
  const list = /^\s*export\s*\{([^}]*)\};?\s*$/.exec(rest)?.[1];
  if (list === undefined) return text;
  const byFile = new Map<string, string[]>();
  for (const [local, exported] of namesIn(list)) {
    const [name, file] = places.get(local) ?? [];
    if (name === undefined) return text;
    const names = byFile.get(file!) ?? [];
    byFile.set(file!, [...names, name === exported ? name : `${name} as ${exported}`]);
  }
  return Array.from(byFile, ([file, names]) => `export { ${names.join(', ')} } from '${file}';\n`).join('');
}

const IMPORT = /^\s*import\s*(?:\{([^}]*)\}\s*from\s*)?["']([^"']*)["'];?/;

/** `a, b as c` as [a, a] and [b, c]. */
function namesIn(list: string): [string, string][] {
  const names = list.split(',').map((each) => each.trim().split(' as '));
  return names.flatMap(([name, other]): [string, string][] => (name === '' ? [] : [[name!, other ?? name!]]));
}

/** Paths from a source to other files of the package, as they are from dist/. */
const urlsFromDist: Plugin = {
  name: 'urls from dist',
  setup(plugin) {
    plugin.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path: file }) => {
      const folder = path.join(root, 'dist', path.relative(path.join(root, 'src'), path.dirname(file)));
      const fromDist = (target: string) => {
        const relative = path.relative(path.join(root, 'dist'), path.join(folder, target));
        if (relative.endsWith('.ts')) return `./${flatName(relative)}.js`;
        return relative.startsWith('.') ? relative : `./${relative}`;
      };
      const contents = readFileSync(file, 'utf8').replaceAll(
        /(new URL\(['"`]|siblingOf\(import\.meta\.url, ')(\.[^'"`]*)(?=['"`](?:, import\.meta\.url)?\))/g,
        (_, before: string, target: string) => before + fromDist(target),
      );
      return { contents, loader: 'ts' };
    });
  },
};

/** What CommonJS has in Node, for files of packages that look for it: undefined in pages, which run none of it. */
const NODE_NAMES: readonly (readonly [file: RegExp, code: string])[] = [
  [/\/gltf_validator\.dart\.js$/, 'var require = globalThis.process?.getBuiltinModule;'],
  [/\/draco_decoder_gltf_nodejs\.js$/, "var { default: __dirname } = require('folder-of-dist');"],
];
const FOLDER_OF_DIST =
  "export default globalThis.process?.getBuiltinModule?.('url').fileURLToPath(new URL('.', import.meta.url));";

/** Other packages as modules: those that are CommonJS get Node's own modules without a `require`. */
const packages: Plugin = {
  name: 'packages',
  setup(plugin) {
    plugin.onResolve({ filter: /^folder-of-dist$/ }, ({ path: name }) => ({ path: name, namespace: 'packages' }));
    plugin.onLoad({ filter: /./, namespace: 'packages' }, () => ({ contents: FOLDER_OF_DIST }));
    plugin.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8').replaceAll(
        /\brequire\((["'])(?:node:)?(child_process|events|fs|path|process)\1\)/g,
        (_, quote: string, name: string) => `globalThis.process.getBuiltinModule(${quote}node:${name}${quote})`,
      );
      const names = NODE_NAMES.find(([pattern]) => pattern.test(file))?.[1] ?? '';
      return { contents: names + text, loader: 'js' };
    });
  },
};

/** Packages that Node decompresses when it imports them: a third of the bytes. */
const compressed: Plugin = {
  name: 'compressed',
  setup(plugin) {
    const filter = new RegExp(`^(${COMPRESSED.join('|')})$`);
    plugin.onResolve({ filter }, ({ path: name }) => ({ path: name, namespace: 'compressed' }));
    plugin.onLoad({ filter: /./, namespace: 'compressed' }, async ({ path: name }) => {
      const stdin = { contents: `export * from '${name}';`, resolveDir: root };
      const { outputFiles } = await build({ ...SHARED, stdin, minify: true, plugins: [packages] });
      const bytes = brotliCompressSync(outputFiles![0]!.contents).toString('base64');
      const code = `process.getBuiltinModule('zlib').brotliDecompressSync(Buffer.from('${bytes}', 'base64'))`;
      return {
        contents: `export default await import('data:text/javascript;base64,' + ${code}.toString('base64'));`,
      };
    });
  },
};
