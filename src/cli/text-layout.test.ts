import { describe, expect, it } from 'vitest';
import { columnsOf, cutMiddle, tableLines, wrap } from './text-layout.ts';

describe('text for terminals', () => {
  it('is as wide as the terminal, or as COLUMNS says', () => {
    const known = process.env.COLUMNS;
    try {
      process.env.COLUMNS = '72';
      expect(columnsOf({ isTTY: true, columns: 120 })).toBe(120);
      expect(columnsOf({})).toBe(72);
      delete process.env.COLUMNS;
      expect(columnsOf({})).toBe(Infinity);
    } finally {
      if (known !== undefined) process.env.COLUMNS = known;
    }
  });

  it('loses its middle where it is too long', () => {
    expect(cutMiddle('Walk', 4)).toBe('Walk');
    expect(cutMiddle('Armature|Walk_Forward', 11)).toBe('Armat…rward');
    expect(cutMiddle('Walking', 2)).toBe('W…');
    expect(cutMiddle('Walking', 1)).toBe('…');
  });

  it('breaks at spaces and is indented like its first line', () => {
    expect(wrap('feet  ', 'at y = 0 m, around the origin', 20)).toEqual([
      'feet  at y = 0 m,',
      '      around the',
      '      origin',
    ]);
    expect(wrap('', 'Donaudampfschiff fährt', 10)).toEqual(['Donaudampfschiff', 'fährt']);
  });
});

describe('a table', () => {
  const rows = [
    ['clip', 'keys', 'form', 'seconds'],
    ['Walk', 12, 'cubic', '0.50'],
    ['Armature|Run_Forward', 1234, 'linear', '10.25'],
  ];

  it('has numbers to the right', () => {
    expect(tableLines(rows)).toEqual([
      'clip                  keys  form    seconds',
      'Walk                    12  cubic      0.50',
      'Armature|Run_Forward  1234  linear    10.25',
    ]);
  });

  it('leaves out spare columns where it is too wide, then cuts names', () => {
    expect(tableLines(rows, { columns: 42, spare: [1, 2] })[0]).toBe('clip                  form    seconds');
    expect(tableLines(rows, { columns: 28, spare: [1, 2] })).toEqual([
      'clip                 seconds',
      'Walk                    0.50',
      'Armature|…n_Forward    10.25',
    ]);
  });
});
