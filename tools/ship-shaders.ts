// Shaders as the package ships them: shortened, with a table that leads back to their names. Bundlers of this source tree take
// them by plugin: the package build, the sizes of bundles, and the demo.
import path from 'node:path';
import { buildSync, type Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin as VitePlugin } from 'vite';
import { declarationsOf, kernelFiles, mapDeclarations, readKernels } from './kernel-files.ts';
import type { ShaderNames } from './readable-wgsl.ts';
import { KEPT_NAMES, Shortener } from './shorten-wgsl.ts';

const tools = import.meta.dirname;
const src = path.resolve(tools, '../src');

let files: ReadonlyMap<string, string> | undefined;

/** Text of every file of src that ships in another form, by its path below src. */
export function shippedFiles(): ReadonlyMap<string, string> {
  if (files) return files;
  const kernels = readKernels(src);
  const shortener = new Shortener(declarationsOf(kernels), KEPT_NAMES);
  const short = kernelFiles(mapDeclarations(kernels, (text) => shortener.shorten(text)));
  return (files = new Map([...short, ['wgsl/names.ts', namesModule(shortener.names())]]));
}

/** The module that restores names: JavaScript, since it is bundled. */
function namesModule(names: ShaderNames): string {
  const contents = `import { reader } from './readable-wgsl.ts';\nexport const readable = reader(${JSON.stringify(names)});`;
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: tools },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]!.text;
}

/** Files that may be shipped in another form. */
const FILES = /(?:\.gen|[\\/]wgsl[\\/]names)\.ts$/;

const shippedAt = (file: string): string | undefined =>
  shippedFiles().get(path.relative(src, file).replaceAll('\\', '/'));

/** Shipped shaders in a bundle that esbuild makes of src. */
export const shippedShaders: EsbuildPlugin = {
  name: 'shipped-shaders',
  setup(plugin) {
    plugin.onLoad({ filter: FILES }, ({ path: file }) => {
      const contents = shippedAt(file);
      return contents === undefined ? undefined : { contents, loader: 'ts' };
    });
  },
};

/** Shipped shaders in a page that Vite builds of src; its server keeps readable ones. */
export const shippedShadersOfPage = (): VitePlugin => ({
  name: 'shipped-shaders',
  apply: 'build',
  enforce: 'pre',
  load: (id) => (FILES.test(id) ? shippedAt(id) : undefined),
});
