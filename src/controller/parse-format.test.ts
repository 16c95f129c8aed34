import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { noShared, shared } from '../../test/support/setup.ts';
import { importUnityController } from '../import/unity/controller.ts';
import { compileController } from './compile.ts';
import { controllerJson, formatJson, parseController } from './parse.ts';
import { CONTROLLER_LIMITS } from './parse-limits.ts';

const document = readFileSync(path.resolve(import.meta.dirname, '../../docs/controllers.md'), 'utf8');

test('JSON for people puts what fits into a line', () => {
  const long = 'x'.repeat(60);
  expect(formatJson({ a: [1, { b: true }], c: {}, d: [] })).toBe('{ "a": [1, { "b": true }], "c": {}, "d": [] }');
  expect(formatJson({ a: long, b: [long, null] })).toBe(
    `{\n  "a": "${long}",\n  "b": [\n    "${long}",\n    null\n  ]\n}`.replace(
      `[\n    "${long}",\n    null\n  ]`,
      `["${long}", null]`,
    ),
  );
  expect(formatJson([long, long])).toBe(`[\n  "${long}",\n  "${long}"\n]`);
});

describe('docs/controllers.md', () => {
  const [, example] = /```json\n([^]*?)```/.exec(document)!;

  test('its example is a controller that compiles without issues, except for its clips', () => {
    const soldier = parseController(example!);
    const { issues, machines, parameters } = compileController(soldier);
    expect(issues.map(({ code, path: place }) => `${code} ${place}`).sort()).toEqual(
      ['Breathe', 'Fall', 'Flinch', 'Idle', 'Run', 'Slash', 'Walk'].map(
        (clip) => `CONTROLLER_CLIP_MISSING clips/${clip}`,
      ),
    );
    expect(machines.map(({ states }) => states)).toEqual([['Move', 'Attack', 'Hit', 'Fall'], ['Breathe']]);
    expect(parameters.map(({ name }) => name)).toEqual(['speed', 'effort', 'attack', 'hit', 'dead']);
    expect(parseController(controllerJson(soldier))).toEqual(soldier);
  });

  test('it names every field of the schema, and every limit', () => {
    const schema = readFileSync(path.resolve(import.meta.dirname, '../../schemas/controller.schema.json'), 'utf8');
    const fields = new Set<string>();
    JSON.parse(schema, (key, value: unknown) => {
      if (key === 'properties') for (const name of Object.keys(value as object)) fields.add(name);
      return value;
    });
    expect(fields.size).toBeGreaterThan(60);
    expect([...fields].filter((name) => !new RegExp(`[\`"]${name.replace('$', '\\$')}\\b`).test(document))).toEqual([]);
    const [limits] = /## Limits[^]*/.exec(document)!;
    const { text, nesting: _, ...rest } = CONTROLLER_LIMITS;
    expect(text).toBe(16 * 2 ** 20);
    const missing = Object.entries(rest).filter(([, limit]) => !limits.includes(limit.toLocaleString('en')));
    expect(missing).toEqual([]);
  });
});

describe.skipIf(noShared())('controllers of Unity', () => {
  const folder = path.join(shared, 'unity');
  const files = noShared() ? [] : readdirSync(folder).filter((file) => file.endsWith('.controller'));

  test.each(files)('%s is written and read back', (file) => {
    const { controller } = importUnityController(readFileSync(path.join(folder, file), 'utf8'), { name: file });
    const { issues: _, ...rest } = controller;
    expect(parseController(controllerJson(controller))).toEqual(rest);
  });
});
