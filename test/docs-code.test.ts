import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { docBlocks, entries, inDocuments, writeProject } from './support/doc-blocks.ts';

const root = path.resolve(import.meta.dirname, '..');
const work = path.join(root, 'out/docs-code');

/** What the compiler reads of an entry: where the package has just been built its declarations, which takes less time. */
const typesOf = (source: string) =>
  path.join(root, process.env.MANIPLE_CLI ? source.replace('src/', 'dist/').replace('.ts', '.d.ts') : source);

test('code in the README and the guide passes the compiler', async () => {
  const blocks = docBlocks();
  expect(blocks.length).toBeGreaterThan(30);
  writeProject(work, blocks, {
    extends: '../../tsconfig.json',
    compilerOptions: {
      paths: Object.fromEntries(entries.map(([name, file]) => [name, [typesOf(file)]])),
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    include: ['*.ts', '../../src/**/*.d.ts'],
  });
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const told = await promisify(execFile)(process.execPath, [tsc, '-p', work, '--pretty', 'false']).then(
    () => '',
    (thrown: { stdout: string }) => thrown.stdout,
  );
  expect(inDocuments(told, blocks)).toBe('');
});
