// Memory that moves between size classes, worked out by hand: class 0 has slots of 64 vertices, class 1 of 128; two copies each.
import { describe, expect, test } from 'vitest';
import { HandCrowd, sizedPlace, UNIT_ROWS } from '../../../test/support/cull-hand.ts';
import { SLOT_UNIT } from '../layout.ts';
import { MOVE_FRAMES, REBALANCES, REBALANCES_FINER } from './layout.ts';

const BEHIND = [0, 0, 50] as const;
/** Units of a slot of either class, as {@link HandCrowd} counts them. */
const [SMALL, LARGE] = [8, 16];

/**
 * Four small characters and four large ones. Memory: eight small slots in two extents of four, and two large ones, an extent each. The
 * last slots of `rings` are for those that wait.
 */
function crowd(rebalances = REBALANCES): HandCrowd {
  const types = [{ levels: [[0]] }, { levels: [[1]] }] as const;
  const made = new HandCrowd({ types, classes: [64, 128], ringCapacity: 16, characters: 8 });
  const { params, extents, kinds } = made.views;
  const rows = [
    { slot: 1, unitCount: 4 * SMALL, slotClass: 0, homeClass: 0 },
    { slot: 1 + 4 * SMALL, unitCount: 4 * SMALL, slotClass: 0, homeClass: 0 },
    { slot: 1 + 8 * SMALL, unitCount: LARGE, slotClass: 1, homeClass: 1 },
    { slot: 1 + 8 * SMALL + LARGE, unitCount: LARGE, slotClass: 1, homeClass: 1 },
  ];
  const ratio = UNIT_ROWS / SLOT_UNIT;
  rows.forEach(({ slot, unitCount, ...row }, e) =>
    extents.assign(e, { ...row, slot: 1 + ratio * (slot - 1), unitCount: ratio * unitCount }),
  );
  params.assign(0, { rebalances, extentCount: rows.length, parkFirst: 24, parkCapacity: 8 });
  // rings of sixteen words each would not leave room for them
  kinds.classes.set(1, 'ringFirst', 12);
  for (const c of [0, 1]) kinds.classes.set(c, 'ringCapacity', 12);
  made.grant(
    0,
    [0, 1, 2, 3, 4, 5, 6, 7].map((k) => k * SMALL),
  );
  made.grant(1, [8 * SMALL, 8 * SMALL + LARGE]);
  return made;
}

const held = (made: HandCrowd, i: number) => made.held(i)?.slotClass;
const free = (made: HandCrowd) => [0, 1].map((c) => made.views.classes.get(c, 'count'));
const classesOf = (made: HandCrowd) => [0, 1, 2, 3].map((e) => made.views.extents.get(e, 'slotClass'));

/** @param small How many of the small ones are seen, @param large and of the large ones. */
function populate(made: HandCrowd, small: number, large: number): void {
  for (let i = 0; i < 8; i++) {
    const isSeen = i < 4 ? i < small : i - 4 < large;
    made.come(i, i < 4 ? 0 : 1, isSeen ? sizedPlace(100) : BEHIND);
  }
}

describe('memory that moves', () => {
  test('goes at once to a class that lacks it, by extents that are free', () => {
    const made = crowd();
    populate(made, 0, 4);
    made.frame();
    // the last two find no slot, and are counted for their class
    expect([4, 5, 6, 7].map((i) => held(made, i))).toEqual([1, 1, undefined, undefined]);
    expect([made.views.classes.get(1, 'lacking'), made.views.classes.get(1, 'unmet')]).toEqual([2, 2]);
    made.frame();
    expect([4, 5, 6, 7].map((i) => held(made, i))).toEqual([1, 1, 1, 1]);
    // four small slots have become two large ones
    expect(classesOf(made)).toEqual([1, 0, 1, 1]);
    expect(free(made)).toEqual([4, 0]);
    expect(made.views.classes.get(1, 'lacking')).toBe(0);
  });

  test('waits for characters that get other slots', () => {
    const made = crowd();
    populate(made, 1, 4);
    made.frame();
    // the small one is in the first extent
    expect(made.views.slots.get(0, 'slot')).toBe(1);
    made.frame();
    const { moves, slots } = made.views;
    expect([moves.get(0, 'extentCount'), moves.get(0, 'slotCount'), moves.get(0, 'parkedCount')]).toEqual([1, 4, 3]);
    // it has a slot of the second extent, and is posed in it at once
    expect(slots.get(0, 'slot')).toBe(1 + (4 * SMALL * UNIT_ROWS) / SLOT_UNIT);
    expect(made.row(0, 'currentVertexOffset')).toBe(made.row(0, 'previousVertexOffset'));
    expect(held(made, 6)).toBeUndefined();
    made.frame();
    expect([4, 5, 6, 7].map((i) => held(made, i))).toEqual([1, 1, 1, 1]);
    expect([classesOf(made), free(made)]).toEqual([
      [1, 0, 1, 1],
      [3, 0],
    ]);
    expect(moves.get(0, 'extentCount')).toBe(0);
  });

  test('stays where its class has none to spare', () => {
    const made = crowd();
    populate(made, 4, 4);
    made.frame();
    // four are free: an extent of them, as long as an eighth of eight stays
    made.frame();
    made.frame();
    expect(classesOf(made)).toEqual([1, 0, 1, 1]);
    const whole = crowd(0);
    populate(whole, 0, 4);
    for (let frame = 0; frame < 9; frame++) whole.frame();
    expect([classesOf(whole), held(whole, 7)]).toEqual([[0, 0, 1, 1], undefined]);
  });

  test('of what is some type’s coarsest stays, where all that live have one', () => {
    const made = crowd(REBALANCES | REBALANCES_FINER);
    for (const c of [0, 1]) made.views.kinds.classes.set(c, 'isCoarsest', 1);
    populate(made, 0, 4);
    for (let frame = 0; frame < 9; frame++) made.frame();
    expect(classesOf(made)).toEqual([0, 0, 1, 1]);
  });

  test('goes back where its class needs it, or holders stay', () => {
    const made = crowd();
    populate(made, 1, 4);
    made.frame();
    made.frame();
    // as if a small one had asked in vain
    made.views.classes.set(0, 'unmet', 1);
    made.frame();
    expect(made.views.moves.get(0, 'extentCount')).toBe(0);
    expect(classesOf(made)).toEqual([0, 0, 1, 1]);
    expect(free(made)).toEqual([7, 0]);
    // one that never ends
    const stuck = crowd();
    populate(stuck, 1, 4);
    stuck.frame();
    stuck.frame();
    stuck.views.moves.set(0, 'slotCount', 99);
    for (let frame = 0; frame < MOVE_FRAMES; frame++) stuck.frame();
    expect([stuck.views.moves.get(0, 'parkedCount'), free(stuck)[0]]).toEqual([4, 3]);
    stuck.frame();
    expect([stuck.views.moves.get(0, 'extentCount'), free(stuck)[0]]).toEqual([0, 7]);
  });
});
