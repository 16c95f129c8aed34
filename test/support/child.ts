import path from 'node:path';
import { buildSync } from 'esbuild';

const folder = path.resolve(import.meta.dirname, '../../out/children');
const built = new Map<string, string>();

/**
 * `NAME-child.ts` of this folder as a script that Node runs without a loader, which takes a tenth of the time to start.
 * Packages are found from the repository.
 */
export function childScript(name: string): string {
  const known = built.get(name);
  if (known !== undefined) return known;
  // several workers may build it at once
  const outfile = path.join(folder, `${name}-${process.pid}.mjs`);
  buildSync({
    entryPoints: [path.join(import.meta.dirname, `${name}-child.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
  });
  built.set(name, outfile);
  return outfile;
}
