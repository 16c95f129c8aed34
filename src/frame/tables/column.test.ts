import { describe, expect, test } from 'vitest';
import { Resident, RESIDENT_NONE, Transform } from '../../stages/layout.ts';
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

  test('has rows of its blank value at first, and after they are cleared', () => {
    const column = new Column(Resident, 3, false, RESIDENT_NONE);
    const types = () => [0, 1, 2].map((row) => column.view.get(row, 'typeIndex'));
    expect(types()).toEqual([RESIDENT_NONE, RESIDENT_NONE, RESIDENT_NONE]);
    for (const row of [0, 1, 2]) column.view.assign(row, { typeIndex: row, tint: 7 });
    column.clear(1);
    expect(types()).toEqual([0, RESIDENT_NONE, 2]);
    expect(column.view.get(1, 'tint')).toBe(0);
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

  test('once it is exact, uploads only changed rows', () => {
    const column = new Column(Transform, 3000);
    const runs = () => column.takeChanges().map(({ byteOffset, bytes }) => [byteOffset / 32, bytes.length / 32]);
    column.changed(4);
    expect(runs()).toEqual([[3, 3]]);
    column.changed(4);
    column.becomeExact(); // of what it has been told before it knows no better
    column.changed(100);
    column.changed(102);
    expect(column.isChanged(5)).toBe(true);
    expect(column.isChanged(101)).toBe(false);
    expect(runs()).toEqual([
      [3, 3],
      [100, 1],
      [102, 1],
    ]);
    const grown = column.grown(9000);
    grown.changed(4);
    expect(grown.takeChanges().map(({ bytes }) => bytes.length / 32)).toEqual([1]);
  });
});
