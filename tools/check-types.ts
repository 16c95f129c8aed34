// Compiles the README's and the guide's code against the built package, as users do: strict, with TypeScript 5.9 and 7.0, and with all
// declarations checked. `npm run site` installs the older compiler, `npm run build` makes the package.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { docBlocks, inDocuments, writeProject } from '../test/support/doc-blocks.ts';

const root = path.resolve(import.meta.dirname, '..');
const blocks = docBlocks();

/** A compiler, and what a page has to name for the types of WebGPU: site/guide/install.md says the same. */
const COMPILERS = [
  { folder: 'site/node_modules/typescript-5.9', types: ['../../site/node_modules/@webgpu/types'] },
  { folder: 'node_modules/typescript', types: [] },
];

for (const { folder, types } of COMPILERS) {
  // below the root, so that imports of the package's name use the exports in its package.json
  const project = path.join(root, 'out', `types-${path.basename(folder)}`);
  writeProject(project, blocks, {
    compilerOptions: {
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'esnext.float16', 'dom', 'dom.iterable'],
      libReplacement: false,
      types: ['node', ...types],
      strict: true,
      verbatimModuleSyntax: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    },
    include: ['*.ts'],
  });
  const compiler = path.join(root, folder, 'bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', project, '--pretty', 'false'], {
    encoding: 'utf8',
    cwd: project,
  });
  const version = spawnSync(process.execPath, [compiler, '--version'], { encoding: 'utf8' }).stdout.trim();
  if (status === 0) {
    console.log(`${version}: ${blocks.length} blocks of code compile`);
    continue;
  }
  process.exitCode = 1;
  console.error(`${version}:\n${inDocuments(stdout, blocks)}${stderr}`);
}
