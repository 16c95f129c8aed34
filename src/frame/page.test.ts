import { describe, expect, test } from 'vitest';
import { Random } from '../../test/support/random.ts';
import { Column } from './column.ts';
import { Page } from './page.ts';
import type { CrowdType } from './types.ts';
import { MOTION_ROWS, Transform } from '../stages/layout.ts';

const typeOf = (index: number): CrowdType =>
  ({ index, typeRow: 100 * index, geometryRow: 7, paletteStride: 3, character: { vertexCount: 64 } }) as never;
const TYPES = [0, 1, 2].map(typeOf);
const MOTIONS = 4;

/** What has to hold of a page, whatever came and went. */
function expectSound(page: Page, living: ReadonlyMap<number, CrowdType>): void {
  expect(page.visibleCount).toBe(living.size);
  let row = 0;
  for (const { type, firstVisible, visibleCount } of page.runs) {
    expect(firstVisible).toBe(row);
    expect(visibleCount).toBeGreaterThan(0);
    for (; row < firstVisible + visibleCount; row++) {
      const { view } = page.visible;
      const character = view.get(row, 'character');
      expect(living.get(character)).toBe(type);
      expect(page.visibleIndex(character)).toBe(row);
      expect(view.get(row, 'typeRow')).toBe(type.typeRow);
      expect(view.get(row, 'slotOffset')).toBe(page.place(character)!.vertexOffset);
      expect(view.get(row, 'motionRow')).toBe(row * MOTIONS * MOTION_ROWS);
      expect(view.get(row, 'parts')[0]).toBe(page.parts(character)[0]);
    }
  }
  expect(row).toBe(living.size);
}

describe('the visible list of a page', () => {
  test.each([1, 2, 3, 4, 5])('keeps types together and rows true while characters come and go: seed %i', (seed) => {
    const random = new Random(seed);
    const page = new Page({ vertexCapacity: 128 * 40, paletteRowCapacity: 3 * 40, visibleCapacity: 40 }, MOTIONS);
    const living = new Map<number, CrowdType>();
    const shown = new Map<number, number>();
    for (let step = 0, next = 0; step < 400; step++) {
      if (random.chance(0.55) && living.size < 40) {
        const type = random.pick(TYPES);
        expect(page.add(type, next)).toBe(true);
        living.set(next++, type);
      } else if (living.size > 0) {
        const character = random.pick([...living.keys()]);
        if (random.chance(0.3)) {
          shown.set(character, random.integer(0, 7));
          page.setParts(character, [shown.get(character)!, 0]);
        } else {
          page.remove(character);
          living.delete(character);
          shown.delete(character);
        }
      }
      expectSound(page, living);
      for (const [character, parts] of shown) expect(page.parts(character)).toEqual([parts, 0]);
    }
  });

  test('changes one row for parts, and no run', () => {
    const page = new Page({ vertexCapacity: 2 ** 20, paletteRowCapacity: 2 ** 16, visibleCapacity: 4096 }, MOTIONS);
    for (let i = 0; i < 4096; i++) page.add(TYPES[i % 3]!, i);
    page.visible.takeChanges();
    const { version } = page;
    page.setParts(1234, [1, 2]);
    const bytes = page.visible.takeChanges().reduce((sum, change) => sum + change.bytes.length, 0);
    expect(bytes).toBeLessThanOrEqual(4 * page.visible.view.struct.size);
    expect(page.version).toBe(version);
    page.remove(1234); // its own run's last row, and one of each type behind it
    const after = page.visible.takeChanges().reduce((sum, change) => sum + change.bytes.length, 0);
    expect(after).toBeLessThanOrEqual(3 * 4 * page.visible.view.struct.size);
  });
});

describe('a column', () => {
  test('uploads what changed: far apart rows apart, in no more runs than blocks', () => {
    const column = new Column(Transform, 100_000);
    expect(column.takeChanges()).toEqual([]);
    column.changed(0);
    column.changed(99_999);
    const changes = column.takeChanges();
    expect(changes).toHaveLength(2);
    expect(changes.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(
      0.005 * column.view.words.byteLength,
    );
    const { byteOffset, bytes } = changes[1]!;
    expect(byteOffset + bytes.length).toBe(column.view.words.byteLength);
    for (let row = 0; row < 100_000; row += 150) column.changed(row);
    expect(column.takeChanges().length).toBeLessThanOrEqual(512);
    column.changed(10, 99_000);
    expect(column.takeChanges()).toHaveLength(1);
    expect(column.takeChanges()).toEqual([]);
  });

  test('changes as many bytes as it has', () => {
    const column = new Column(Transform, 5);
    column.changed(4);
    column.changed(1, 3);
    const runs = column.takeChanges().map(({ byteOffset, bytes }) => [byteOffset / 32, bytes.length / 32]);
    expect(runs).toEqual([
      [1, 2],
      [4, 1],
    ]);
  });
});
