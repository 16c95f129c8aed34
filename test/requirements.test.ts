// docs/requirements.md has every row that was asked for, each with commands that run something.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { trackedFiles } from './support/tracked-files.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const tests = trackedFiles().filter((file) => file.endsWith('.test.ts'));
const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);

/** How many rows each article has. */
const ROWS = { C: 7, V: 8, A: 8, G: 12 };

const rows = Array.from(
  read('docs/requirements.md').matchAll(/^\| ([A-Z]\d+) .*\| (.*) \|$/gm),
  ([, name, command]) => ({
    name: name!,
    commands: Array.from(command!.matchAll(/`([^`]+)`/g), ([, each]) => each!),
  }),
);

test('every row is there once, in order', () => {
  const asked = Object.entries(ROWS).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
  );
  expect(rows.map(({ name }) => name)).toEqual(asked);
});

test.each(rows)('$name names commands that there are', ({ commands }) => {
  expect(commands).not.toEqual([]);
  expect(commands.flatMap(missing)).toEqual([]);
});

/** Filters of Vitest that no test's path begins with, scripts of npm that there are not, and other commands. */
function missing(command: string): string[] {
  const [, filters] = /^npx vitest run (.+)$/.exec(command) ?? [];
  if (filters) return filters.split(' ').filter((filter) => !tests.some((file) => file.startsWith(filter)));
  const [, script] = /^npm run ([\w:]+)$/.exec(command) ?? [];
  return script && scripts.includes(script) ? [] : [command];
}
