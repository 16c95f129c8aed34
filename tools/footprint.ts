// Installs the built package as users do, in fresh folders, and fails where that takes more than it may: for a page, and for
// a game with three.js. Then loads its entries there, decodes a JPEG, runs the command, and compiles against its types, with no
// other package.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { encode } from 'jpeg-js';

/** What installing may take on disk, and in how many packages, `three` not counted. */
const LIMIT = { bytes: 5 * 2 ** 20, packages: 1 };
/** Bytes that a file takes on most disks are a multiple of this; a folder takes one. */
const BLOCK = 4096;

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'maniple-footprint-'));
try {
  const maniple = pack(root);
  const page = install('page', [maniple]);
  // no more of three.js than npm needs to see that it is there
  mkdirSync(path.join(folder, 'three'));
  writeFileSync(path.join(folder, 'three/package.json'), JSON.stringify({ name: 'three', version: '0.187.0' }));
  install('game', [maniple, pack(path.join(folder, 'three'))]);
  useInstalled(page);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack(source: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: source, encoding: 'utf8' })) as [{ filename: string }];
  return path.join(folder, packed.filename);
}

/** Installs tarballs without a network: whatever else they needed would be missing. */
function install(name: string, tarballs: readonly string[]): string {
  const project = path.join(folder, name);
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', ...tarballs], { cwd: project });
  const lock = readFileSync(path.join(project, 'node_modules/.package-lock.json'), 'utf8');
  const installed = Object.keys((JSON.parse(lock) as { packages: object }).packages);
  const packages = installed.filter((each) => each !== 'node_modules/three');
  const bytes = packages.reduce((total, each) => total + sizeOnDisk(path.join(project, each)), 0);
  console.log(`${name}: ${packages.length} package, ${(bytes / 2 ** 20).toFixed(2)} of ${LIMIT.bytes / 2 ** 20} MiB`);
  if (packages.length > LIMIT.packages) fail(`${name} installs ${packages.join(', ')}: bundle or make optional`);
  if (bytes > LIMIT.bytes) fail(`${name} takes ${bytes} bytes on disk; the limit is ${LIMIT.bytes}`);
  return project;
}

function sizeOnDisk(file: string): number {
  const stat = statSync(file);
  if (!stat.isDirectory()) return Math.ceil(stat.size / BLOCK) * BLOCK;
  return readdirSync(file).reduce((total, name) => total + sizeOnDisk(path.join(file, name)), BLOCK);
}

/** Everything but `maniple/three`, which needs three.js and its types. */
function useInstalled(project: string): void {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { exports: object };
  const entries = Object.keys(exports).filter((name) => name !== './package.json' && name !== './three');
  const names = entries.map((name) => name.replace(/^\./, 'maniple'));
  run(project, ['--input-type=module', '--eval', names.map((name) => `await import('${name}');`).join('\n')]);
  writeFileSync(path.join(project, 'a.jpg'), encode({ width: 8, height: 8, data: Buffer.alloc(256, 255) }).data);
  const decode = "(await import('maniple/render')).decodeImage(await (await import('fs/promises')).readFile('a.jpg'))";
  run(project, ['--input-type=module', '--eval', `if ((await ${decode}).data.length !== 256) process.exit(1);`]);
  const maniple = path.join(project, 'node_modules/maniple');
  run(project, [path.join(maniple, 'dist/cli/main.js'), 'inspect', path.join(maniple, 'characters/raider.glb')]);
  const types = names.map((name, i) => `export type * as entry${i} from '${name}';`);
  writeFileSync(path.join(project, 'types.ts'), types.join('\n'));
  const options = ['--strict', '--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];
  const libraries = ['--lib', 'es2023,esnext.float16,dom', '--types', '', '--skipLibCheck', 'false'];
  run(project, [path.join(root, 'node_modules/typescript/bin/tsc'), ...options, ...libraries, 'types.ts']);
  console.log(`${names.length} entries load there and compile, a JPEG decodes, and the command runs`);
}

function run(project: string, args: readonly string[]): void {
  try {
    execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  } catch (thrown) {
    fail(`node ${args.join(' ')} fails where only maniple is installed:\n${(thrown as { stdout: string }).stdout}`);
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
