// Vertex memory of a crowd that grows, or takes on other types.
import { expect, test } from 'vitest';
import { slotClasses } from './cull-tables.ts';
import { type Page, VertexPages } from './vertex-pages.ts';
import type { CrowdType } from './crowd-types.ts';

const rowBudget = 2 ** 20;
const type = (index: number, vertexCount: number) => ({ index, levels: [{ vertexCount }] }) as unknown as CrowdType;

test('slots are assigned again in the existing pages, as long as those are not too many', () => {
  const held: Page[] = [];
  const [small, large] = [type(0, 60), type(1, 200)];
  const limits = { rowBudget, pageRows: 2048, pageCount: 9 };
  const pages = new VertexPages([small], slotClasses([small], 100, rowBudget, { attributeWords: 0 }), limits, {
    create: (page) => void held.push(page),
    remove: (page) => expect(held.pop()).toBe(page),
  });
  pages.count(small, 40);
  expect([pages.take().grants.length / 2, held.length]).toEqual([40, 3]);
  const before = [...held];

  const both = [
    { ...small, index: 1 },
    { ...large, index: 0 },
  ].sort((a, b) => a.index - b.index);
  const classes = slotClasses(both, 1000, rowBudget, { attributeWords: 0 });
  pages.resize(both, classes, limits);
  pages.count(both[1]!, 40);
  expect(pages.take()).toMatchObject({ reset: true, grants: { length: 2 * 40 } });
  expect(held).toEqual(before);
  pages.count(both[0]!, 3);
  expect(pages.take()).toMatchObject({ reset: false, grants: { length: 2 * 3 } });

  pages.resize(both, classes, { ...limits, pageRows: 2 ** 16, pageCount: 1 });
  pages.count(both[1]!, 40);
  pages.provide(); // somebody comes before a frame does
  expect(pages.take()).toMatchObject({ reset: true, grants: { length: 2 * 40 } });
  expect(held.map(({ index }) => index)).toEqual([0]);

  pages.resize(both, classes, limits);
  expect(pages.take()).toMatchObject({ reset: true, grants: { length: 0 } });
  expect(held).toEqual([]);
});
