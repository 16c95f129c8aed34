import { describe, expect, test } from 'vitest';
import { Transform } from '../stages/layout.ts';
import { Column } from './column.ts';

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
