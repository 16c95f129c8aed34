import { describe, expect, test } from 'vitest';
import { slotClasses } from './cull-tables.ts';
import type { CrowdType } from './crowd-types.ts';
import { VertexPages } from './vertex-pages.ts';

/** Comes one by one, each of 64 vertices, so 128 with both copies; sizes of the pages that there are then. */
function spawnOneByOne(capacity: number, pageCount: number, pageRows = 2 ** 26) {
  const type = { index: 0, levels: [{ vertexCount: 64 }] } as unknown as CrowdType;
  const rowBudget = 2 ** 30;
  const limits = { rowBudget, pageRows, pageCount };
  const pages = new VertexPages([type], slotClasses([type], capacity, rowBudget, { attributeWords: 0 }), limits, {
    create: () => undefined,
    remove: () => undefined,
  });
  let granted = 0;
  let resets = 0;
  for (let i = 0; i < capacity; i++) {
    pages.count(type, 1);
    pages.provide();
    const { grants, reset } = pages.take();
    granted = (reset ? 0 : granted) + grants.length / 2;
    resets += Number(reset);
  }
  return { slots: pages.list.map(({ rowCapacity }) => rowCapacity / 128), granted, resets };
}

describe('pages of characters that come one by one', () => {
  test('double what there is', () => {
    expect(spawnOneByOne(1000, 255).slots).toEqual([16, 16, 32, 64, 128, 256, 488]);
  });

  test.each([1, 2, 3, 5])('%i at most: they hold a full crowd', (pageCount) => {
    const { slots, granted, resets } = spawnOneByOne(3000, pageCount);
    expect(slots.length).toBeLessThanOrEqual(pageCount);
    expect(granted).toBe(3000);
    expect(resets).toBe(0);
  });

  test('where pages hold less than a full crowd, they are filled, and no character loses a slot', () => {
    const { slots, granted, resets } = spawnOneByOne(3000, 3, 128 * 500);
    expect(slots.at(-1)).toBe(500);
    expect(slots.length).toBe(3);
    expect(granted).toBe(slots.reduce((sum, count) => sum + count, 0));
    expect(resets).toBe(0);
  });
});
