import { describe, expect, test } from 'vitest';
import { HandCrowd, sizedPlace, type HandType } from '../../../test/support/cull-hand.ts';
import { SLOT_UNIT } from '../layout.ts';

const UNSEEN = [0, 0, 50];
/** One level, of the smallest class. */
const PLAIN: HandType = { levels: [[0]] };
/** Level 0 needs slots of class 2; level 1, good for 100 pixels, of class 1; level 2, good for 50, of class 0. */
const LEVELLED: HandType = { levels: [[2], [1, 100], [0, 50]] };
const [FINE, MIDDLE, COARSE] = [sizedPlace(200), sizedPlace(80), sizedPlace(20)];

const unitsOf = (crowd: HandCrowd, count: number) => Array.from({ length: count }, (_, i) => crowd.held(i)?.unit);

describe('slots that the host hands out', () => {
  test('follow those that are free, class by class, in portions', () => {
    const crowd = new HandCrowd({ types: [PLAIN], characters: 1 });
    crowd.grant(0, [0, 8]);
    crowd.grant(2, [100]);
    crowd.grant(0, [16]);
    crowd.frame();
    expect([0, 1, 2].map((c) => crowd.free(c))).toEqual([[0, 8, 16], [], [100]]);
    crowd.frame();
    crowd.grant(0, [24, 32]);
    crowd.frame();
    expect([0, 1, 2].map((c) => crowd.free(c))).toEqual([[0, 8, 16, 24, 32], [], [100]]);
  });

  test('are taken by characters that appear in the same frame', () => {
    const crowd = new HandCrowd({ types: [PLAIN], characters: 2 });
    crowd.come(0);
    crowd.come(1);
    crowd.grant(0, [0, 8]);
    crowd.frame();
    expect(unitsOf(crowd, 2)).toEqual([0, 8]);
    expect(crowd.free(0)).toEqual([]);
    expect(crowd.views.classes.get(0, 'wanted')).toBe(2);
  });
});

describe('characters that get a slot', () => {
  test('the largest first, by powers of two of pixels; then by index', () => {
    const crowd = new HandCrowd({ types: [PLAIN], characters: 6 });
    // 16 … 31 and 512 … 1,023 are one bucket each, so are all below 16, and all from 1,024 on
    [17, 600, 31, 1100, 3, 15].forEach((pixels, i) => crowd.come(i, 0, sizedPlace(pixels)));
    crowd.grant(0, [0, 8, 16, 24, 32]);
    crowd.frame();
    expect(unitsOf(crowd, 6)).toEqual([16, 8, 24, 0, 32, undefined]);
    expect(crowd.views.classes.get(0, 'wanted')).toBe(6);
    expect(crowd.listed).toEqual([0, 1, 2, 3, 4]);
  });

  test('a character with a slot frees it for a larger one, which has it in the next frame', () => {
    const crowd = new HandCrowd({ types: [PLAIN], characters: 2 });
    crowd.come(1);
    crowd.grant(0, [0]);
    crowd.frame();
    crowd.come(0, 0, FINE);
    crowd.frame();
    expect(unitsOf(crowd, 2)).toEqual([undefined, undefined]);
    crowd.frame();
    expect(unitsOf(crowd, 2)).toEqual([0, undefined]);
  });

  test('no character with a slot loses it to one of the same size', () => {
    const crowd = new HandCrowd({ types: [PLAIN], characters: 2 });
    crowd.come(1);
    crowd.grant(0, [0]);
    crowd.frame();
    crowd.come(0);
    crowd.frame();
    expect(unitsOf(crowd, 2)).toEqual([undefined, 0]);
  });

  test('without result: slots of finer levels are next, then of coarser ones', () => {
    const crowd = new HandCrowd({ types: [LEVELLED], characters: 4 });
    for (let i = 0; i < 4; i++) crowd.come(i, 0, MIDDLE);
    crowd.grant(2, [0]);
    crowd.grant(1, [64]);
    crowd.grant(0, [96]);
    crowd.frame();
    const held = [0, 1, 2, 3].map((i) => crowd.held(i));
    expect(held.map((slot) => slot && [slot.unit, slot.slotClass, slot.level])).toEqual([
      [64, 1, 1],
      // in the larger slot it is no finer than was wanted
      [0, 2, 1],
      [96, 0, 2],
      undefined,
    ]);
    expect([0, 1, 2].map((c) => crowd.views.classes.get(c, 'wanted'))).toEqual([0, 4, 0]);
    // in runs of levels: 0 never, then 1, then 2
    expect(crowd.listed).toEqual([0, 1, 2]);
    expect(crowd.views.bins.get(6, 'count')).toBe(1);
  });

  test('the nearest finer level is asked for before the finest', () => {
    const crowd = new HandCrowd({ types: [LEVELLED], characters: 3 });
    for (let i = 0; i < 3; i++) crowd.come(i, 0, COARSE);
    crowd.grant(2, [0]);
    crowd.grant(1, [64]);
    crowd.frame();
    expect([0, 1, 2].map((i) => crowd.held(i)?.slotClass)).toEqual([1, 2, undefined]);
    expect([0, 1].map((i) => crowd.held(i)!.level)).toEqual([2, 2]);
  });

  test('not those of other types, unless levels share a class', () => {
    const crowd = new HandCrowd({ types: [PLAIN, LEVELLED, { levels: [[2]] }], characters: 3 });
    [1, 0, 2].forEach((type, i) => crowd.come(i, type, COARSE));
    crowd.grant(0, [0, 8, 16]);
    crowd.frame();
    expect([0, 1].map((i) => crowd.held(i))).toMatchObject([
      { unit: 0, type: 1 },
      { unit: 8, type: 0 },
    ]);
    expect(crowd.held(2)).toBeUndefined();
  });

  test('a pose source: for its followers, and only it', () => {
    const crowd = new HandCrowd({ types: [LEVELLED], characters: 3 });
    [UNSEEN, FINE, COARSE].forEach((place, i) => crowd.come(i, 0, place));
    for (const i of [1, 2]) crowd.views.residents.set(i, 'leader', 0);
    crowd.grant(2, [0]);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 0, level: 0 });
    expect(crowd.decided(0)).toMatchObject({ views: 0, posed: true });
    expect(unitsOf(crowd, 3)).toEqual([0, undefined, undefined]);
  });
});

describe('characters that have a slot', () => {
  /** Character 0 holds a slot of a class, at the size that it was drawn at. */
  const holding = (slotClass: number, place: number[]) => {
    const crowd = new HandCrowd({ types: [LEVELLED, PLAIN, { levels: [[2]] }], characters: 3 });
    crowd.come(0, 0, place);
    crowd.grant(slotClass, [0]);
    crowd.frame();
    return crowd;
  };

  test('keeps it and its level while none of a finer one is free', () => {
    const crowd = holding(0, COARSE);
    crowd.move(0, FINE);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 0, slotClass: 0, level: 2 });
    expect(crowd.decided(0)).toMatchObject({ level: 2, posed: true, empty: false });
    expect(crowd.views.classes.get(2, 'wanted')).toBe(1);
    // what is finer than it has will do
    crowd.grant(1, [64]);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 64, slotClass: 1, level: 1 });
    expect(crowd.decided(0)).toMatchObject({ level: 1, posed: true, empty: true });
    expect(crowd.free(0)).toEqual([0]);
    // a slot that is as coarse as its own is none to it
    crowd.grant(1, [128]);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 64, slotClass: 1, level: 1 });
  });

  test('takes a smaller one only if there is one', () => {
    const crowd = holding(2, FINE);
    crowd.move(0, COARSE);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 0, slotClass: 2, level: 2 });
    expect(crowd.views.classes.get(0, 'wanted')).toBe(0);
    // one of class 1 is no reason to move
    crowd.grant(1, [64]);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 0, slotClass: 2, level: 2 });
    crowd.grant(0, [96]);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 96, slotClass: 0, level: 2 });
    expect([0, 1, 2].map((c) => crowd.free(c))).toEqual([[], [64], [0]]);
  });

  test('a character that requests a smaller slot, which another one gets, keeps its own', () => {
    const crowd = holding(2, FINE);
    crowd.move(0, COARSE);
    // larger, so it is served first
    crowd.come(1, 1, FINE);
    crowd.grant(0, [96]);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 0, slotClass: 2, level: 2 });
    expect(crowd.held(1)).toMatchObject({ unit: 96 });
  });

  test('gives it back when no view sees it; others can have it in the next frame', () => {
    const crowd = holding(0, COARSE);
    crowd.move(0, UNSEEN);
    crowd.come(1, 1);
    crowd.frame();
    expect(unitsOf(crowd, 2)).toEqual([undefined, undefined]);
    expect(crowd.free(0)).toEqual([0]);
    crowd.frame();
    expect(unitsOf(crowd, 2)).toEqual([undefined, 0]);
    expect(crowd.free(0)).toEqual([]);
  });

  test('gives it back when it dies', () => {
    const crowd = holding(0, COARSE);
    crowd.leave(0);
    crowd.frame();
    expect(crowd.held(0)).toBeUndefined();
    expect(crowd.views.slots.words.subarray(0, 2)).toEqual(new Uint32Array(2));
    expect(crowd.free(0)).toEqual([0]);
  });

  test('gives it back when it follows another', () => {
    const crowd = holding(0, COARSE);
    crowd.come(1, 0, COARSE);
    crowd.views.residents.set(0, 'leader', 1);
    crowd.frame();
    expect(crowd.free(0)).toEqual([0]);
    crowd.frame();
    expect(unitsOf(crowd, 2)).toEqual([undefined, 0]);
  });

  test('the next character of its row has it, if it is large enough, without its contents', () => {
    const crowd = holding(0, COARSE);
    crowd.come(0, 1);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 0, type: 1, level: 0, copy: 0, previous: 0 });
    expect(crowd.decided(0)).toMatchObject({ posed: true, empty: true });
  });

  test('the next character of its row, which needs a larger one, frees it', () => {
    const crowd = holding(0, COARSE);
    crowd.come(0, 2);
    crowd.frame();
    expect(crowd.held(0)).toBeUndefined();
    expect(crowd.free(0)).toEqual([0]);
    crowd.grant(2, [160]);
    crowd.frame();
    expect(crowd.held(0)).toMatchObject({ unit: 160, type: 2 });
  });
});

describe('slots that are free', () => {
  test('are taken in the order in which they came, round and round', () => {
    const crowd = new HandCrowd({ types: [PLAIN], characters: 3, ringCapacity: 3 });
    crowd.grant(0, [0, 8, 16]);
    crowd.come(1);
    crowd.come(2);
    crowd.frame();
    expect([unitsOf(crowd, 3), crowd.free(0)]).toEqual([[undefined, 0, 8], [16]]);
    crowd.leave(1);
    crowd.leave(2);
    crowd.frame();
    expect(crowd.free(0)).toEqual([16, 0, 8]);
    expect(Array.from(crowd.views.rings.subarray(0, 3), (slot) => ((slot - 1) * SLOT_UNIT) / 64)).toEqual([0, 2, 4]);
    crowd.come(0);
    crowd.come(2);
    crowd.frame();
    expect([unitsOf(crowd, 3), crowd.free(0)]).toEqual([[16, undefined, 0], [8]]);
    crowd.leave(2);
    crowd.frame();
    expect(crowd.free(0)).toEqual([8, 0]);
    expect(crowd.views.classes.get(0, 'head')).toBe(1);
  });

  test('those of one frame come back by index', () => {
    const crowd = new HandCrowd({ types: [PLAIN], characters: 4 });
    [3, 1, 0, 2].forEach((i) => {
      crowd.come(i);
      crowd.grant(0, [8 * i]);
      crowd.frame();
    });
    for (const i of [3, 0, 2]) crowd.leave(i);
    crowd.frame();
    expect(crowd.free(0)).toEqual([0, 16, 24]);
  });
});
