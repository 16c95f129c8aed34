import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readTables } from '../../demo/files/explain.ts';
import { ISSUE_CODES } from '../../src/errors.ts';

describe('cards of issues', () => {
  test('have a word on every code, without markup', () => {
    const tables = readTables(readFileSync(fileURLToPath(new URL('../../docs/errors.md', import.meta.url)), 'utf8'));
    expect(ISSUE_CODES.filter((code) => !tables.has(code))).toEqual([]);
    expect(tables.get('GLTF_LIMIT')?.what).toMatch(/^Simplify the model, or raise limits$/);
    expect([...tables.values()].filter(({ when, what }) => `${when}${what}`.includes('`'))).toEqual([]);
  });
});
