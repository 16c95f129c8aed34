// Builds the package into dist/ and proves it: publint on what would be published, and every entry loaded by plain Node.
// --unchecked: types are checked beside it.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageCode } from './package-code.ts';
import { packageNotices } from './package-notices.ts';
import { packageTypes } from './package-types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
const run = (file: string, args: readonly string[]): string =>
  execFileSync(file, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const bin = (name: string) => path.join(root, 'node_modules/.bin', name);

const { bin: command, exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  bin: { maniple: string };
  exports: Record<string, string | { default: string; types: string }>;
};
const entries = Object.entries(exports).flatMap(([name, files]) =>
  typeof files === 'string' ? [] : [[name, files] as const],
);
const fromDist = (file: string) => file.replace(/^\.\/dist\//, '');

rmSync(dist, { recursive: true, force: true });
await Promise.all([writeCode(), writeTypes()]);
chmodSync(path.join(root, command.maniple), 0o755);
// the package names itself, so this goes through its exports as a user's import does
const imports = entries.map(([name]) => `await import(${JSON.stringify(name.replace(/^\./, 'maniple'))});`);
run('node', ['--input-type=module', '--eval', imports.join('\n')]);
const inspected = run('node', [command.maniple, 'inspect', 'characters/raider.glb', '--json']);
// the validator is compressed in the package: it would say that it gave up
if (inspected.includes('GLTF_VALIDATOR')) throw new Error(`The validator fails from dist/: ${inspected}`);
console.log(`dist/: ${entries.length} entries and the command load`);
console.log(run(bin('publint'), ['--strict']).trim());

async function writeCode(): Promise<void> {
  const built = [...entries.map(([, files]) => files.default), command.maniple];
  const sources = built.map((file) => `src/${fromDist(file).replace(/\.js$/, '.ts')}`);
  const { files, metafile } = await packageCode(sources);
  for (const [name, text] of files) {
    const file = path.join(dist, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(path.join(dist, 'THIRD-PARTY.txt'), packageNotices(metafile));
  const wasm = 'draco_decoder_gltf.wasm';
  copyFileSync(createRequire(import.meta.url).resolve(`draco3dgltf/${wasm}`), path.join(dist, wasm));
}

async function writeTypes(): Promise<void> {
  const declarations = path.join(root, 'out/declarations');
  rmSync(declarations, { recursive: true, force: true });
  const unchecked = process.argv.includes('--unchecked') ? ['--noCheck'] : [];
  try {
    run(bin('tsc'), ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', declarations, ...unchecked]);
  } catch (thrown) {
    console.error((thrown as { stdout: string }).stdout);
    process.exit(1);
  }
  const names = entries.map(([, files]) => fromDist(files.types));
  await packageTypes(declarations, names);
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  )) {
    if (!readFileSync(path.join(dist, file), 'utf8').includes('@internal')) continue;
    console.error(`dist/${file} has internal declarations; tsconfig.build.json strips them.`);
    process.exit(1);
  }
}
