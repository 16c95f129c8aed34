// Measures the size of every package entry in a page. esbuild splits and minifies it. The static part and the parts
// loaded on demand are listed separately. Writes docs/tables/sizes.md; --json prints the figures and writes nothing; --check
// fails if an entry is over its bar, or the table more than a hundredth off.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type BuildOptions, type Metafile, type Plugin, type StdinOptions } from 'esbuild';
import { shippedShaders } from './ship-shaders.ts';

const root = path.resolve(import.meta.dirname, '..');
const TABLE = path.join(root, 'docs/tables/sizes.md');
/** How far a figure of the table may be off before the table is out of date: what a small change makes of it. */
const TOLERANCE = 0.01;

interface Entry {
  readonly name: string;
  readonly source: string;
  /** Imported names; default: all. */
  readonly imports?: readonly string[];
  /** Limit of the static part, minified and compressed with Brotli, in kilobytes of 1000 bytes. */
  readonly bar: number;
  /** Chunks that such a page always loads, and their limit together with the static part. */
  readonly page?: { readonly loads: readonly string[]; readonly bar: number };
}

/** Crowds, and the reader of baked characters. */
const PLAYS = ['src/crowd/crowd.ts', 'src/character/file/read.ts'];

/** Every entry that pages import, and its bar; what is left out is for Node. */
const ENTRIES: readonly Entry[] = [
  { name: 'maniple', source: 'src/index.ts', bar: 22, page: { loads: PLAYS, bar: 133.5 } },
  {
    name: 'maniple: a crowd of baked characters',
    source: 'src/index.ts',
    imports: ['createCrowd', 'loadCharacter', 'requestDevice'],
    bar: 4.7,
    page: { loads: PLAYS, bar: 119 },
  },
  { name: 'maniple/character', source: 'src/character/index.ts', bar: 66 },
  { name: 'maniple/controller', source: 'src/controller/index.ts', bar: 26.5 },
  { name: 'maniple/import', source: 'src/import/index.ts', bar: 150 },
  { name: 'maniple/capture', source: 'src/capture/index.ts', bar: 86 },
  { name: 'maniple/render', source: 'src/render/index.ts', bar: 78 },
  { name: 'maniple/state', source: 'src/state/index.ts', bar: 31.5 },
  { name: 'maniple/diagram', source: 'src/diagram/index.ts', bar: 32.5 },
  { name: 'maniple/three', source: 'src/three/index.ts', bar: 99.5 },
];

/** Bytes. */
interface Size {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
}

interface Chunk extends Size {
  /** The source that it is loaded for. */
  readonly name: string;
}

interface EntrySizes {
  readonly name: string;
  readonly bar: number;
  /** The entry with all that it imports at once, in one file. */
  readonly static: Size;
  /** Chunks that are loaded on demand, with their own imports. */
  readonly lazy: readonly Chunk[];
  /** Size that a page always downloads, and its limit. */
  readonly page?: { readonly size: Size; readonly bar: number };
}

/** Modules that are imported at run time stay files of their own. */
const later: Plugin = {
  name: 'later',
  setup(plugin) {
    plugin.onResolve({ filter: /./ }, async ({ path: name, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === later || kind !== 'dynamic-import') return undefined;
      const found = await plugin.resolve(name, { kind, importer, resolveDir, pluginData: later });
      return found.external ? found : { path: `./${path.relative(root, found.path)}`, external: true };
    });
  },
};

const loads = new Map<string, Promise<string[]>>();

/** Where nothing is written. */
const OUT = 'out';
const SHARED = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  metafile: true,
  write: false,
  outdir: OUT,
  entryNames: '[name]-[hash]',
  logLevel: 'error',
  external: ['three', 'three/*', 'node:*', 'fs', 'path'],
} as const satisfies BuildOptions;

const sizes = await Promise.all(ENTRIES.filter(({ source }) => existsSync(path.join(root, source))).map(measure));
if (process.argv.includes('--json')) console.log(JSON.stringify(sizes, undefined, 2));
else {
  const table = tableOf(sizes);
  console.log(table);
  if (process.argv.includes('--check')) check(table);
  else {
    mkdirSync(path.dirname(TABLE), { recursive: true });
    writeFileSync(TABLE, pageOf(table));
  }
}

/** One entry, and everything that it can load later, in the order in which it is asked for. */
async function measure({ name, source, imports, bar, page }: Entry): Promise<EntrySizes> {
  const entry = `export ${imports ? `{ ${imports.join(', ')} }` : '*'} from ${JSON.stringify(`./${source}`)};`;
  const found = await loadsOf(entry);
  // what a page always loads comes first: later rows are without it
  const isLoaded = (file: string): boolean => page?.loads.includes(file) ?? false;
  const asked = [...found.filter(isLoaded), ...found.filter((file) => !isLoaded(file))];
  for (const file of asked) {
    const next = await loadsOf(`export * from ${JSON.stringify(`./${file}`)};`);
    asked.push(...next.filter((each) => !asked.includes(each)));
  }
  const split = await build({
    ...SHARED,
    stdin: stdin(entry),
    entryPoints: asked,
    splitting: true,
    plugins: [later, shippedShaders],
  });
  const pieces: Pieces = {
    outputs: split.metafile.outputs,
    texts: new Map(split.outputFiles.map((file) => [path.relative(root, file.path), file.text])),
  };
  const known = new Set<string>();
  const atOnce = await joined(pieces, '<stdin>', known);
  const lazy: Chunk[] = [];
  for (const file of asked) lazy.push({ name: file, ...(await joined(pieces, file, known)) });
  if (!page) return { name, bar, static: atOnce, lazy };
  const loaded = page.loads.map((file) => lazy.find((chunk) => chunk.name === file)!);
  return { name, bar, static: atOnce, lazy, page: { size: [atOnce, ...loaded].reduce(sum), bar: page.bar } };
}

/** Files that a module imports when it runs, as far as anything may call for them: once, whichever entries ask. */
function loadsOf(contents: string): Promise<string[]> {
  const found = loads.get(contents) ?? findLoads(contents);
  loads.set(contents, found);
  return found;
}

async function findLoads(contents: string): Promise<string[]> {
  const { metafile } = await build({ ...SHARED, minify: false, stdin: stdin(contents), plugins: [later] });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const found = imports.filter(({ kind, path: name }) => kind === 'dynamic-import' && name.startsWith('./'));
  return [...new Set(found.map((each) => each.path.slice(2)))].sort();
}

function stdin(contents: string): StdinOptions {
  return { contents, resolveDir: root };
}

/** Output of esbuild for an entry and its lazy chunks: one file for all sources with the same dependents. */
interface Pieces {
  readonly outputs: Metafile['outputs'];
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Joins all pieces that an output needs, except those already loaded, into one file, as most bundlers do.
 * Adds them to the known pieces.
 */
async function joined({ outputs, texts }: Pieces, entryPoint: string, known: Set<string>): Promise<Size> {
  const needed = Object.keys(outputs).filter((file) => outputs[file]!.entryPoint === entryPoint);
  for (const file of needed) {
    const next = outputs[file]!.imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
    needed.push(...next.map((found) => found.path).filter((each) => !needed.includes(each)));
  }
  const fresh = needed.filter((file) => !known.has(file));
  for (const file of fresh) known.add(file);
  const virtual: Plugin = {
    name: 'pieces',
    setup(plugin) {
      plugin.onResolve({ filter: /./ }, ({ path: name, kind }) => {
        const file = path.join(OUT, path.basename(name));
        if (kind !== 'dynamic-import' && fresh.includes(file)) return { path: file, namespace: 'pieces' };
        return { path: name, external: true };
      });
      plugin.onLoad({ filter: /./, namespace: 'pieces' }, ({ path: file }) => ({ contents: texts.get(file)! }));
    },
  };
  const others = [...texts].filter(([file]) => !fresh.includes(file)).map(([, text]) => text);
  const exported = fresh.map((file, i) => {
    const names = new Set(others.flatMap((text) => importedFrom(path.basename(file), text)));
    const list = Array.from(names, (name) => `${name} as ${name}${i}`);
    return `${i === 0 ? '' : `import './${file}';\n`}export ${i === 0 ? '*' : `{ ${list.join(', ')} }`} from './${file}';`;
  });
  const { outputFiles } = await build({ ...SHARED, stdin: stdin(exported.join('\n')), plugins: [virtual] });
  return sizeOf(outputFiles[0]!.contents);
}

/** Names that a piece imports from another. */
function importedFrom(name: string, text: string): string[] {
  const found = Array.from(text.matchAll(/\bimport\{([^}]*)\}from"([^"]*)"/g));
  const lists = found.filter(([, , from]) => path.basename(from!) === name).map(([, list]) => list!);
  return lists.flatMap((list) => list.split(',').map((each) => each.split(' as ')[0]!));
}

function sum(one: Size, other: Size): Size {
  const { minified, gzip: zipped, brotli } = other;
  return { minified: one.minified + minified, gzip: one.gzip + zipped, brotli: one.brotli + brotli };
}

async function sizeOf(contents: Uint8Array): Promise<Size> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  const [small, zipped] = await Promise.all([
    promisify(brotliCompress)(contents, { params }),
    promisify(gzip)(contents, { level: 9 }),
  ]);
  return { minified: contents.byteLength, gzip: zipped.byteLength, brotli: small.byteLength };
}

function tableOf(entries: readonly EntrySizes[]): string {
  const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);
  const cells = ({ minified, gzip, brotli }: Size): string => [minified, gzip, brotli].map(kilobytes).join(' | ');
  const rows = entries.flatMap(({ name, bar, static: atOnce, lazy, page }) => [
    `| ${name} | ${cells(atOnce)} | ${bar} |`,
    ...lazy.map((chunk) => `| … loads ${path.basename(chunk.name, '.ts')} | ${cells(chunk)} | |`),
    ...(page ? [`| … what a page downloads | ${cells(page.size)} | ${page.bar} |`] : []),
  ]);
  return ['| entry | minified | gzip | Brotli | bar |', '|---|--:|--:|--:|--:|', ...rows].join('\n');
}

function pageOf(table: string): string {
  return `# Sizes of bundles

Kilobytes (1,000 bytes) of each entry as a page gets it: split and minified by esbuild with all that it exports, then
compressed, gzip at level 9, Brotli at 11. Bundlers leave out the parts of an entry that a page does not use. The first row of an entry
is what it imports at once. The rows below it are parts that calls load later, each without the parts above it. Crowds
themselves (\`crowd\`) are such a part: \`createCrowd\` loads them. **What a page downloads** in all to play baked characters
is the sum of the entry, \`crowd\` and \`read\`. Bars are for Brotli. \`three\` is not counted. Made by \`npm run sizes\`.
[ADR 0023](../adr/0023-sizes.md) explains how they are kept small.

${table}
`;
}

function check(table: string): void {
  const bars = sizes.flatMap(({ name, bar, static: size, page }) => [
    { what: name, size, bar },
    ...(page ? [{ what: `${name}, in all,`, ...page }] : []),
  ]);
  const over = bars.filter(({ bar, size }) => size.brotli > 1000 * bar);
  for (const { what, bar, size } of over) {
    console.error(`${what} takes ${(size.brotli / 1000).toFixed(1)} kB in Brotli; its bar is ${bar}`);
  }
  const written = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '';
  const isFresh = agree(written, pageOf(table));
  if (!isFresh) console.error('docs/tables/sizes.md is out of date: run npm run sizes');
  if (over.length > 0 || !isFresh) process.exitCode = 1;
}

/** Returns true if two texts differ only in their numbers, and those only slightly. */
function agree(written: string, made: string): boolean {
  const figure = /\d+\.\d/g;
  // formatters align columns
  const shape = (text: string): string => text.replaceAll(figure, '#').replaceAll(/[\s-:]+/g, ' ');
  if (shape(written) !== shape(made)) return false;
  const [before, after] = [written, made].map((text) => Array.from(text.matchAll(figure), ([value]) => Number(value)));
  return before!.every((value, i) => Math.abs(value - after![i]!) <= Math.max(0.1, TOLERANCE * after![i]!));
}
