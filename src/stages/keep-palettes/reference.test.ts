import { expect, test } from 'vitest';
import { View } from '../../layout/index.ts';
import { ROW_NONE, VisibleCharacter } from '../layout.ts';
import { planKeeps } from './plan.ts';
import { keepPalettes } from './reference.ts';

test('palettes of posed characters, and rows that are kept, go to their slots', () => {
  const visible = new View(VisibleCharacter, 4);
  visible.assign(0, { geometryRow: 7, paletteRow: 2, currentVertexOffset: 2 });
  visible.assign(1, { geometryRow: 7, paletteRow: ROW_NONE, currentVertexOffset: 8 });
  visible.assign(2, { geometryRow: 9, paletteRow: 0, currentVertexOffset: 8 });
  visible.assign(3, { geometryRow: 7, paletteRow: 0, currentVertexOffset: 8 });
  const palettes = Float32Array.from({ length: 16 }, (_, i) => i);
  const kept = new Float32Array(4 * 6).fill(-1);
  const keptLevels = new Map([[7, { rowCount: 2, provided: false }]]);
  keepPalettes({ visible, visibleCount: 3, keptLevels, palettes, kept: new Uint32Array(kept.buffer) });
  const none = [-1, -1, -1, -1];
  const expected = [...none, 8, 9, 10, 11, 12, 13, 14, 15, ...none, ...none, ...none];
  expect([...kept]).toEqual(expected);
});

test('a dispatch has room for 256 runs', () => {
  const plans = planKeeps(Array.from({ length: 300 }, (_, bin) => ({ bin, rowCount: 3 + bin })));
  expect(plans.map(({ bins }) => bins.length)).toEqual([256, 44]);
  expect(plans[1]!.bins[0]).toEqual({ bin: 256, charactersPerGroup: 1, groupsPerSet: 1, byteOffset: 16 });
  expect(new Uint32Array(plans[1]!.ranges)[4 + 1]).toBe(3 + 256);
  expect(planKeeps([])).toEqual([]);
});
