// The types of the package: the declarations that its entries reach, in few files, without those of other packages.
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const root = path.resolve(import.meta.dirname, '..');

/** @param declarations Folder of the compiler's declarations. @param entries Theirs, as in dist/: `three/index.d.ts`. */
export async function packageTypes(declarations: string, entries: readonly string[]): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((file) => [file.replace(/\.d\.ts$/, ''), path.join(declarations, file)])),
    plugins: [dts({ dtsInput: true, oxc: true, sourcemap: false, tsconfig: path.join(root, 'tsconfig.build.json') })],
    external: /^[^./]/,
  });
  await bundle.write({
    dir: path.join(root, 'dist'),
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name]-[hash].d.ts',
  });
}
