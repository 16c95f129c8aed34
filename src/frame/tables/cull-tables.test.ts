import { describe, expect, test } from 'vitest';
import type { ManipleError } from '../../errors.ts';
import { checkKinds, cullKinds, pageLimitOf, ringWords, slotClasses } from './cull-tables.ts';
import type { Character } from '../../character/character.ts';
import { LOADER_PROVIDER_SHIFT } from '../../character/format/geometry-layout.ts';
import type { CrowdLevel, CrowdType } from './crowd-types.ts';

/** Types of levels of so many vertices and, the finest apart, so large an error. */
function typesOf(...all: readonly (readonly number[])[]): CrowdType[] {
  let firstLevel = 0;
  return all.map((counts, index) => {
    const levels = counts.map((vertexCount, l): CrowdLevel => {
      const posing = { skeletonRow: 10 * index, laneCount: 10, skeleton: undefined };
      const places = { geometryRow: 500 + firstLevel + l, firstIndex: 0, ...posing };
      const skinTraits = { tangents: false, nonUniform: false, unmoved: false, parts: false };
      return { ...places, vertexCount, error: 0.01 * l, batchRuns: [], primitives: [], skinTraits };
    });
    const type = {
      index,
      character: { name: `type ${index}`, reach: { center: [0, 1, 0], radius: 1.5 }, clips: [] as Character['clips'] },
      typeRow: 10 * index,
      firstLevel,
      levels,
      paletteStride: 30,
    };
    firstLevel += levels.length;
    return type as unknown as CrowdType;
  });
}

const levels = (count: number) => Array.from({ length: count }, () => 100);

function issuesOf(types: readonly CrowdType[]): string[] {
  try {
    checkKinds(types);
    return [];
  } catch (thrown) {
    return (thrown as ManipleError).issues.map(({ code, path }) => `${code} ${path}`);
  }
}

describe('tables of cull-characters', () => {
  test('hold types, levels and size classes; a level is good for the size at which its error takes a pixel', () => {
    const types = typesOf([200, 100], [64]);
    const classes = slotClasses(types, 50, 10_000, { attributeWords: 0 });
    // 10,000 vertices hold 24 times two copies of 208, 44 of 112, and 50 are never needed of 64
    expect(classes).toMatchObject({ capacities: [64, 112, 208], limits: [50, 44, 24], copies: 2 });
    // and as many again that come from other classes; what waits stands behind them
    expect(classes.ringCapacities).toEqual([100, 88, 48]);
    expect(ringWords(classes)).toEqual({ words: 492, parkFirst: 236 });
    expect(slotClasses(typesOf([60]), 50, 10_000, { attributeWords: 0 })).toMatchObject({
      ringCapacities: [50],
      parkCapacity: 0,
      extentLimit: 0,
    });
    expect(slotClasses(types, 50, 10_000, { copies: 3, attributeWords: 0 }).limits).toEqual([50, 29, 16]);
    const kinds = cullKinds(types, classes, 2);
    expect(kinds.types.get(1, 'levelRow')).toBe(kinds.levelRow + 4);
    expect([0, 1].map((t) => kinds.types.get(t, 'levelCount'))).toEqual([2, 1]);
    expect([0, 1, 2].map((l) => kinds.levels.get(l, 'slotClass'))).toEqual([2, 1, 0]);
    // 3 metres across, off by 0.01: at 600 pixels that is 2 of them
    expect(kinds.levels.get(1, 'size')).toBeCloseTo(600, 3);
    expect([0, 1, 2].map((c) => kinds.classes.get(c, 'ringFirst'))).toEqual([0, 100, 188]);
  });

  test('hold boxes of clips, larger by what levels that lack joints are off', () => {
    const bounds = { min: [-1, 0, -0.5], max: [1, 2, 0.25] };
    const clips = [{ bounds }, {}, { bounds }] as unknown as Character['clips'];
    const [plain, fewer, provided, none] = typesOf([200, 100], [200, 100], [64], [64]).map((type) => {
      return { ...type, character: { ...type.character, clips } };
    }) as [CrowdType, CrowdType, CrowdType, CrowdType];
    const types: CrowdType[] = [
      plain,
      {
        ...fewer,
        levels: fewer.levels.map((level, l) => ({ ...level, skeleton: l ? new Uint32Array(1) : undefined })),
      },
      { ...provided, levels: provided.levels.map((level) => ({ ...level, batchRuns: [{ variant: 2 << LOADER_PROVIDER_SHIFT, firstBatch: 0, batchCount: 1 }] })) }, // prettier-ignore
      { ...none, character: { ...none.character, clips: [{}] as unknown as Character['clips'] } },
    ];
    const kinds = cullKinds(types, slotClasses(types, 50, 10_000, { attributeWords: 0 }), 2, 2);
    expect(kinds.boxRow).toBe(kinds.classRow + kinds.classes.count);
    expect([0, 1, 2, 3].map((t) => kinds.types.get(t, 'boxRow'))).toEqual([kinds.boxRow, kinds.boxRow + 6, 0, 0]);
    expect(kinds.boxes.count).toBe(6);
    // a ten-thousandth of the radius more, and three tenths of the error of level 1 of the second type
    [0, 0, 0.003].forEach((margin, row) => {
      if (row === 1) return expect(kinds.boxes.get(1, 'extent')[0]).toBeLessThan(0);
      const box = row === 0 ? 0 : 3;
      expect(kinds.boxes.get(box, 'center')).toEqual([0, 1, -0.125]);
      kinds.boxes
        .get(box, 'extent')
        .forEach((half, c) => expect(half).toBeCloseTo([1, 1, 0.375][c]! + margin + 1.5e-4, 6));
    });
    // providers that the crowd does not have move nothing
    expect(
      cullKinds(types, slotClasses(types, 50, 10_000, { attributeWords: 0 }), 2, 1).types.get(2, 'boxRow'),
    ).toBeGreaterThan(0);
  });

  test('eight levels of detail are allowed, not nine', () => {
    expect(issuesOf(typesOf(levels(8)))).toEqual([]);
    expect(issuesOf(typesOf(levels(9), levels(1), levels(12)))).toEqual(['CROWD_LIMIT type 0', 'CROWD_LIMIT type 2']);
  });

  test('as many levels together as one page has runs for', () => {
    const many = (count: number) => typesOf(...Array.from({ length: count }, () => levels(1)));
    expect(issuesOf(many(1023))).toEqual([]);
    expect(issuesOf(many(1024))).toEqual(['CROWD_LIMIT characters']);
    expect([1, 8, 9, 341, 512, 1023].map((count) => pageLimitOf(many(count)))).toEqual([255, 127, 113, 3, 1, 1]);
    // where fewer runs can be counted
    expect(pageLimitOf(many(8), 34)).toBe(2);
  });

  test('120 size classes are allowed', () => {
    const sizes = (count: number) =>
      typesOf(...Array.from({ length: count }, (_, c) => [0.99 * 2 ** (6 + (c >> 2)) * (1 + (c & 3) / 4)]));
    expect(issuesOf(sizes(120))).toEqual([]);
    expect(issuesOf(sizes(121))).toEqual(['CROWD_LIMIT characters']);
  });
});
