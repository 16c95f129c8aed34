import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ISSUE_CODES } from '../src/errors.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Block comments, and comments from `//` to the end of a line; not the `//` of an address. */
const COMMENTS = /\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** Rows of the document's tables: cells without their padding. */
const rows = readFileSync(path.join(root, 'docs/errors.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, code, severity, when, advice]) => ({ code, severity, when, advice }));

test('docs/errors.md lists every code once, in the order of ISSUE_CODES', () => {
  expect(rows.map(({ code }) => code)).toEqual([...ISSUE_CODES]);
});

test('docs/errors.md explains when each code is reported and what to do', () => {
  expect(rows.filter((row) => Object.values(row).some((cell) => !cell))).toEqual([]);
});

/** What makes an issue of the code that is its first argument, and what names the code of an issue as it stands. */
const MAKERS = String.raw`(?:\b(?:fail|error|warning|warn|info|refuse|report|add)\(\s*|\[severity\]\(|\bcode: )`;

/** All of src without comments, tests and what is generated. */
const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.(test|gen)\.ts$/.test(file) && file !== 'errors.ts')
  .map((file) => readFileSync(path.join(root, 'src', file), 'utf8').replace(COMMENTS, ''))
  .join('\n');

test('every code is passed to what makes issues, somewhere', () => {
  expect(ISSUE_CODES.filter((code) => !new RegExp(`${MAKERS}'${code}'`).test(sources))).toEqual([]);
});

/** Names of Maniple's own, never a user's: constants, a section of baked files, a field of glTF. */
const OWN_NAMES = /^([A-Z_]+|kind|key)$/;

test('messages put values into quotes with `quoted`, which shortens them', () => {
  const byHand = Array.from(sources.matchAll(/[ (`]"\$\{([^}]*)\}"/g), ([, value]) => value!);
  expect(byHand.length).toBeGreaterThan(0);
  expect(byHand.filter((value) => !OWN_NAMES.test(value))).toEqual([]);
});
