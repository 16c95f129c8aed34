import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import * as reference from '../src/reference/index.ts';

const root = path.resolve(import.meta.dirname, '../src/stages');
const stages = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test.each(stages)('%s has a twin, which maniple/reference exports by the name of the stage', async (stage) => {
  const twins = (await import(path.join(root, stage, 'reference.ts'))) as Readonly<Record<string, unknown>>;
  const exported = Object.values(reference) as unknown[];
  const own = Object.values(twins).filter((value) => typeof value === 'function');
  expect(own.filter((twin) => exported.includes(twin)).length).toBeGreaterThan(0);
});
