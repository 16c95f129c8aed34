import { describe, expect, test } from 'vitest';
import { packCharacter } from '../../character/pack/index.ts';
import { soldierModel } from '../../../test/support/soldiers.ts';
import { SHARES_NONE } from '../../stages/cull-characters/layout.ts';
import { firstSharedRow, planSharing } from './sharing.ts';
import { joinTables } from './crowd-types.ts';

const plain = packCharacter(soldierModel());
/** Its mesh goes through the second provider of a crowd. */
const waving = packCharacter(soldierModel(), { providers: () => 2 });
const { types } = joinTables([plain, waving, plain], { serialPoses: false, layers: false });
const rules = { below: 50, phases: 4, weight: 0.9 };

describe('rows of shared poses', () => {
  test('one for each part of each clip of each type, after the characters', () => {
    const sharing = planSharing(types, rules, 0);
    expect(sharing).toEqual({ ...rules, firstOf: [0, 12, 24], countOf: [12, 12, 12], count: 36 });
    expect([0, 1, 2].map((type) => firstSharedRow({ capacity: 136, sharing }, type))).toEqual([100, 112, 124]);
  });

  test('none for types with vertices that a provider may move by the clock', () => {
    const sharing = planSharing(types, rules, 2);
    expect(sharing).toEqual({ ...rules, firstOf: [0, 12, 12], countOf: [12, 0, 12], count: 24 });
    expect([0, 1, 2].map((type) => firstSharedRow({ capacity: 124, sharing }, type))).toEqual([100, SHARES_NONE, 112]);
    // a crowd without it does not run it
    expect(planSharing(types, rules, 1).count).toBe(36);
  });

  test('no character shares by default', () => {
    expect(firstSharedRow({ capacity: 100, sharing: undefined }, 0)).toBe(SHARES_NONE);
  });
});
