import { describe, expect, test } from 'vitest';
import { marcher, recruit, soldier } from '../../../test/support/soldiers.ts';
import { joinTables, type CrowdTables } from './crowd-types.ts';

const options = { serialPoses: false, layers: false };

describe('tables that take on characters', () => {
  const [a, b, c, d] = [soldier(), recruit(), marcher(), recruit()];

  /** Each type's words stand where it says. */
  function check({ types, rig, geometry, indices }: CrowdTables): void {
    for (const { character, typeRow, controllerRow, levels } of types) {
      const { geometryRow, firstIndex } = levels[0]!;
      const at = (words: Uint32Array, first: number, part: Uint32Array) => words.subarray(first, first + part.length);
      expect(at(rig.words, 4 * typeRow, character.rig)).toEqual(character.rig);
      expect(at(geometry, 4 * geometryRow, character.geometry)).toEqual(character.geometry);
      expect(at(indices, firstIndex, character.indices)).toEqual(character.indices);
      const { controller } = character;
      if (controller) expect(at(rig.words, 4 * controllerRow, controller.table)).toEqual(controller.table);
      else expect(controllerRow).toBe(-1);
    }
  }

  test('leave those that stay where they are, and fill the gaps of those that go', () => {
    const first = joinTables([a, b], options);
    check(first);
    const more = joinTables([a, b, c], options, first);
    check(more);
    expect(more.types.slice(0, 2)).toEqual(first.types);
    expect(more.types[0]).toBe(first.types[0]);
    const less = joinTables([a, c], options, more);
    check(less);
    expect(less.types[1]).toEqual({ ...more.types[2], index: 1, firstLevel: 1 });
    const again = joinTables([a, c, d], options, less);
    check(again);
    expect(again.types[2]!.typeRow).toBe(first.types[1]!.typeRow); // b's place
    expect(again.geometry.length).toBe(more.geometry.length);
    expect(joinTables([a, b, c], options).rig.words.length).toBe(again.rig.words.length);
  });
});
