// What every entry of the package weighs in a page: bundled and minified by esbuild, the static part apart from what it
// loads when it is asked for. Writes docs/tables/sizes.md; --json prints the figures and writes nothing; --check
// fails where an entry is over its bar, or the table more than a hundredth off.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Plugin } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');
const TABLE = path.join(root, 'docs/tables/sizes.md');
/** How far a figure of the table may be off before the table is out of date: what a small change makes of it. */
const TOLERANCE = 0.01;

interface Entry {
  readonly name: string;
  readonly source: string;
  /** What of it is imported; default: everything. */
  readonly imports?: readonly string[];
  /** What the static part may take, minified and compressed with Brotli: kilobytes of 1000 bytes. */
  readonly bar: number;
}

/** Every entry that pages import, and its bar; what is left out is for Node. */
const ENTRIES: readonly Entry[] = [
  { name: 'maniple', source: 'src/index.ts', bar: 98 },
  {
    name: 'maniple: a crowd of baked characters',
    source: 'src/index.ts',
    imports: ['createCrowd', 'loadCharacter', 'requestDevice'],
    bar: 86,
  },
  { name: 'maniple/asset', source: 'src/asset/index.ts', bar: 67 },
  { name: 'maniple/import', source: 'src/import/index.ts', bar: 124 },
  { name: 'maniple/capture', source: 'src/capture/index.ts', bar: 72 },
  { name: 'maniple/reference', source: 'src/reference/index.ts', bar: 29.5 },
  { name: 'maniple/render', source: 'src/render/index.ts', bar: 55 },
  { name: 'maniple/three', source: 'src/three/index.ts', bar: 140 },
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
  /** Chunks that are loaded when they are asked for, and what else those bring. */
  readonly lazy: readonly Chunk[];
}

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

/** One entry, and everything that it can load later, in the order of the sources. */
async function measure({ name, source, imports, bar }: Entry): Promise<EntrySizes> {
  const main = await bundle(path.join(root, source), new Set(), imports);
  const known = new Set(main.inputs);
  const lazy: Chunk[] = [];
  const asked = [...main.asked].sort();
  for (const file of asked) {
    if (known.has(file)) continue;
    const chunk = await bundle(file, known);
    for (const input of chunk.inputs) known.add(input);
    asked.push(...[...chunk.asked].filter((each) => !asked.includes(each)).sort());
    lazy.push({ name: path.relative(root, file), ...chunk.size });
  }
  return { name, bar, static: main.size, lazy };
}

interface Bundle {
  readonly size: Size;
  readonly inputs: readonly string[];
  /** Files that it imports when it runs. */
  readonly asked: ReadonlySet<string>;
}

/** One chunk as bundlers make it: a file with all that it imports statically, but for what the page has by then. */
async function bundle(entry: string, known: ReadonlySet<string>, imports?: readonly string[]): Promise<Bundle> {
  const names = imports ? `{ ${imports.join(', ')} }` : '*';
  const chunks: Plugin = {
    name: 'chunks',
    setup(plugin) {
      plugin.onResolve({ filter: /./ }, async ({ path: name, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === chunks) return undefined;
        const isLazy = kind === 'dynamic-import';
        const found = await plugin.resolve(name, { kind, importer, resolveDir, pluginData: chunks });
        if (isLazy) return { path: `./${path.relative(root, found.path)}`, external: true };
        return known.has(found.path) ? { path: name, external: true } : found;
      });
    },
  };
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: `export ${names} from ${JSON.stringify(entry)};`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
    logLevel: 'error',
    external: ['three', 'three/*', 'node:*', 'fs', 'path'],
    plugins: [chunks],
  });
  const [output] = Object.values(metafile.outputs);
  const asked = output!.imports.filter(({ kind, path: name }) => kind === 'dynamic-import' && name.startsWith('./'));
  const paths = (names: readonly string[]): string[] => names.map((name) => path.join(root, name));
  return {
    size: await sizeOf(outputFiles[0]!.contents),
    inputs: paths(Object.keys(output!.inputs)),
    asked: new Set(paths(asked.map((found) => found.path))),
  };
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
  const rows = entries.flatMap(({ name, bar, static: atOnce, lazy }) => [
    `| ${name} | ${cells(atOnce)} | ${bar} |`,
    ...lazy.map((chunk) => `| … loads ${path.basename(chunk.name, '.ts')} | ${cells(chunk)} | |`),
  ]);
  return ['| entry | minified | gzip | Brotli | bar |', '|---|--:|--:|--:|--:|', ...rows].join('\n');
}

function pageOf(table: string): string {
  return `# Sizes of bundles

Kilobytes (1,000 bytes) of each entry as a page gets it: bundled and minified by esbuild with all that it exports, then
compressed, gzip at level 9, Brotli at 11. What a page does not use of an entry, bundlers leave out. Below an entry, what
it loads later, when a call asks for it. Bars are for the static part in Brotli. \`three\` is not counted. Made by
\`npm run sizes\`; what keeps them small is told in [ADR 0023](../adr/0023-sizes.md).

${table}
`;
}

function check(table: string): void {
  const over = sizes.filter(({ bar, static: { brotli } }) => brotli > 1000 * bar);
  for (const { name, bar, static: atOnce } of over) {
    console.error(`${name} takes ${(atOnce.brotli / 1000).toFixed(1)} kB in Brotli; its bar is ${bar}`);
  }
  const written = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '';
  const isFresh = agree(written, pageOf(table));
  if (!isFresh) console.error('docs/tables/sizes.md is out of date: run npm run sizes');
  if (over.length > 0 || !isFresh) process.exitCode = 1;
}

/** Whether two texts differ in their figures alone, and in those by little. */
function agree(written: string, made: string): boolean {
  const figure = /\d+\.\d/g;
  // formatters align columns
  const shape = (text: string): string => text.replaceAll(figure, '#').replaceAll(/[\s-:]+/g, ' ');
  if (shape(written) !== shape(made)) return false;
  const [before, after] = [written, made].map((text) => Array.from(text.matchAll(figure), ([value]) => Number(value)));
  return before!.every((value, i) => Math.abs(value - after![i]!) <= Math.max(0.1, TOLERANCE * after![i]!));
}
