import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ISSUE_CODES } from '../src/errors.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Rows of the document's tables: cells without their padding. */
const rows = readFileSync(path.join(root, 'docs/errors.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, code, severity, when, advice]) => ({ code, severity, when, advice }));

test('docs/errors.md lists every code once, in the order of ISSUE_CODES', () => {
  expect(rows.map(({ code }) => code)).toEqual([...ISSUE_CODES]);
});

test('docs/errors.md says of every code when it comes and what to do', () => {
  expect(rows.filter((row) => Object.values(row).some((cell) => !cell))).toEqual([]);
});

test('every code is raised somewhere', () => {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|gen)\.ts$/.test(file) && file !== 'errors.ts')
    .map((file) => readFileSync(path.join(root, 'src', file), 'utf8'))
    .join('\n');
  expect(ISSUE_CODES.filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
});
