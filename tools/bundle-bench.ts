// Bundles a bench into one file, for a machine without this repository: `npm run bench:bundle -- crowd` writes out/crowd.mjs.
// The packages with native code, and those that only some benches load, are installed there.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');
const benches = readdirSync(path.join(root, 'bench')).flatMap((file) => /^([\w-]+)\.ts$/.exec(file)?.[1] ?? []);
const [name = ''] = process.argv.slice(2);
if (benches.includes(name)) {
  const outfile = path.join('out', `${name}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [path.join('bench', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['webgpu', 'sharp', '@sparticuz/chromium', ...(name === 'three' || name === 'cpu' ? [] : ['three'])],
    // for CommonJS within
    banner: { js: "import{createRequire as cr}from'node:module';const require=cr(import.meta.url);" },
  });
  console.log(outfile);
} else {
  console.error(`There is no bench '${name}'. Name one of: ${benches.join(', ')}.`);
  process.exitCode = 1;
}
