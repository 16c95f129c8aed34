// Builds the package into dist/ and proves it: publint on what would be published, and every entry loaded by plain Node.
// --unchecked: types are checked beside it.
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (file: string, args: readonly string[]): string =>
  execFileSync(file, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const bin = (name: string) => path.join(root, 'node_modules/.bin', name);

rmSync(path.join(root, 'dist'), { recursive: true, force: true });
try {
  run(bin('tsc'), ['-p', 'tsconfig.build.json', ...(process.argv.includes('--unchecked') ? ['--noCheck'] : [])]);
} catch (thrown) {
  console.error((thrown as { stdout: string }).stdout);
  process.exit(1);
}
const declarations = readdirSync(path.join(root, 'dist'), { recursive: true, encoding: 'utf8' });
for (const file of declarations.filter((name) => name.endsWith('.d.ts'))) {
  if (!readFileSync(path.join(root, 'dist', file), 'utf8').includes('@internal')) continue;
  console.error(`dist/${file} has internal declarations; tsconfig.build.json strips them.`);
  process.exit(1);
}
const { bin: command, exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  bin: { maniple: string };
  exports: Record<string, string | { default: string }>;
};
chmodSync(path.join(root, command.maniple), 0o755);
const entries = Object.keys(exports).filter((name) => name !== './package.json');
// the package names itself, so this goes through its exports as a user's import does
const imports = entries.map((name) => `await import(${JSON.stringify(name.replace(/^\./, 'maniple'))});`);
run('node', ['--input-type=module', '--eval', imports.join('\n')]);
run('node', [command.maniple, 'inspect', 'characters/raider.glb', '--json']);
console.log(`dist/: ${entries.length} entries and the command load`);
console.log(run(bin('publint'), ['--strict']).trim());
