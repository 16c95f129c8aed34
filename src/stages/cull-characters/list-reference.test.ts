import { describe, expect, test } from 'vitest';
import { AHEAD, HandCrowd, MOTION_ROWS, sizedPlace, type HandType } from '../../../test/support/cull-hand.ts';
import { ROW_NONE, VISIBLE_NEW, VISIBLE_POSED, VISIBLE_WHOLE } from '../layout.ts';

const UNSEEN = [0, 0, 50];
/** Two levels, the coarser one good for 50 pixels; three rows to a palette. */
const SOLDIER: HandType = { levels: [[1], [0, 50]], paletteStride: 3 };
/** One level, five rows. */
const HORSE: HandType = { levels: [[1]], paletteStride: 5 };
const [FINE, COARSE] = [sizedPlace(200), sizedPlace(20)];

const recordOf = ({ views: { bins } }: HandCrowd, bin: number) =>
  (['first', 'count', 'served', 'firstPosed', 'firstPaletteRow'] as const).map((field) => bins.get(bin, field));

describe('the visible list', () => {
  test('runs by page and level, posed characters before kept ones; by index in each', () => {
    const crowd = new HandCrowd({
      types: [SOLDIER, HORSE],
      characters: 8,
      pages: 2,
      rateSizes: [100, 0, 0],
    });
    const come = (i: number, type: number, place: number[]) => crowd.come(i, type, place);
    // whoever comes first gets what is granted first
    crowd.grant(0, [0, 8]);
    crowd.grant(0, [0, 8], 1);
    crowd.grant(1, [100]);
    crowd.grant(1, [100, 112], 1);
    for (const i of [7, 1, 2, 4]) come(i, 0, COARSE);
    come(5, 0, FINE);
    come(3, 1, COARSE);
    come(6, 1, COARSE);
    // without a slot
    come(0, 1, COARSE);
    crowd.frame();
    // all are posed: page 0, level 1: 1 and 2; page 0, level 0: 5; page 1, level 1: 4 and 7; page 1, level 2: 0 and 3
    expect(crowd.listed).toEqual([5, 1, 2, 4, 7, 0, 3]);
    const record = (bin: number) => recordOf(crowd, bin);
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(record)).toEqual([
      [0, 1, 1, 0, 0],
      [1, 0, 0, 1, 3],
      [1, 2, 2, 1, 3],
      [3, 0, 0, 3, 9],
      [3, 0, 0, 3, 9],
      [3, 0, 0, 3, 9],
      [3, 0, 0, 3, 9],
      [3, 0, 0, 3, 9],
      [3, 2, 2, 3, 9],
      [5, 0, 0, 5, 15],
      [5, 2, 2, 5, 15],
      [7, 0, 0, 7, 25],
    ]);
    // 6 is seen, but not drawn
    expect([record(12), record(13)]).toEqual([
      [0, 1, 0, 0, 0],
      [0, 7, 7, 7, 7],
    ]);
    // below 100 pixels every 2nd frame: 5 always, of the others those of even index in frame 2
    crowd.frame();
    expect(crowd.listed).toEqual([5, 2, 1, 4, 7, 0, 3]);
    expect([2, 3, 8, 9, 10, 11, 13].map(record)).toEqual([
      [1, 1, 1, 1, 3],
      [2, 1, 0, 2, 6],
      [3, 1, 1, 2, 6],
      [4, 1, 0, 3, 9],
      [5, 1, 1, 3, 9],
      [6, 1, 0, 4, 14],
      [0, 7, 7, 4, 4],
    ]);
  });

  test('has all that later stages need of a character', () => {
    const crowd = new HandCrowd({ types: [HORSE, SOLDIER], characters: 3 });
    crowd.come(0, 0, FINE);
    crowd.come(2, 1, COARSE);
    crowd.views.residents.set(2, 'parts', [7, 9]);
    crowd.look(AHEAD, { ...AHEAD, detail: 0.5 });
    crowd.grant(1, [4]);
    crowd.grant(0, [40]);
    crowd.frame();
    crowd.frame();
    const fields = [
      'character',
      'typeRow',
      'geometryRow',
      'paletteRow',
      'motionRow',
      'views',
      'attributeWord',
      'detail',
    ] as const;
    expect(fields.map((field) => crowd.row(2, field))).toEqual([
      2,
      101,
      202,
      5,
      MOTION_ROWS,
      3,
      2 * (640 + 2 * 64),
      1 | VISIBLE_POSED,
    ]);
    expect(crowd.row(2, 'parts')).toEqual([7, 9]);
    // unit 40 of 16 vertices, copies of 64
    expect([crowd.row(2, 'currentVertexOffset'), crowd.row(2, 'previousVertexOffset')]).toEqual([640, 704]);
    expect([0, 2].map((i) => crowd.views.slots.get(i, 'visibleRow'))).toEqual([0, 1]);
  });

  test('has the new characters, and how often each is posed', () => {
    const crowd = new HandCrowd({ types: [SOLDIER], characters: 1, rateSizes: [40, 10, 0] });
    crowd.come(0, 0, COARSE);
    crowd.grant(0, [0]);
    const details = [1, 2, 3].map((frame) => (crowd.frame(frame), crowd.row(0, 'detail')));
    const [level, rate] = [1, 1 << 8];
    expect(details).toEqual([level | rate | VISIBLE_POSED | VISIBLE_NEW, level | rate | VISIBLE_POSED, level | rate]);
    expect([crowd.row(0, 'motionRow'), crowd.row(0, 'paletteRow')]).toEqual([ROW_NONE, ROW_NONE]);
  });
});

describe('room for few poses', () => {
  /** Three soldiers, who came one by one, and slots for all. */
  const crowdOf = (room: { poseCapacity?: number; paletteCapacity?: number }) => {
    const crowd = new HandCrowd({ types: [SOLDIER, HORSE], characters: 4, ...room });
    crowd.grant(0, [0, 8, 16, 24]);
    crowd.grant(1, [100]);
    return crowd;
  };
  const posed = (crowd: HandCrowd) => crowd.listed.filter((i) => (crowd.row(i, 'detail') & VISIBLE_POSED) !== 0);

  test('a character without a slot, and without an earlier one, is not drawn', () => {
    const crowd = crowdOf({ poseCapacity: 1 });
    for (const i of [0, 1]) crowd.come(i, 0, COARSE);
    for (const frame of [1, 2]) {
      crowd.frame(frame);
      expect(crowd.listed).toEqual([0, 1]);
      expect(posed(crowd)).toEqual([0]);
      expect([0, 1].map((i) => crowd.row(i, 'views'))).toEqual([1, 0]);
      expect([crowd.row(1, 'motionRow'), crowd.row(1, 'paletteRow')]).toEqual([ROW_NONE, ROW_NONE]);
      expect(recordOf(crowd, 2)).toEqual([0, 2, 1, 0, 0]);
      expect(recordOf(crowd, 5)).toEqual([2, 0, 0, 2, 6]);
      // one of two who were due
      expect(recordOf(crowd, 7)).toEqual([0, 2, 2, 1, 2]);
    }
  });

  test('they take turns, and keep their vertices in between', () => {
    const crowd = crowdOf({ poseCapacity: 1 });
    crowd.come(1, 0, COARSE);
    crowd.frame();
    expect(crowd.row(1, 'currentVertexOffset')).toBe(64);
    crowd.come(0, 0, COARSE);
    const seen = [2, 3, 4, 5].map((frame) => {
      crowd.frame(frame);
      return [posed(crowd), crowd.row(1, 'currentVertexOffset'), crowd.row(1, 'previousVertexOffset')];
    });
    // who has just come is first; from then on two are listed, so that each is posed in every second frame
    expect(seen).toEqual([
      [[0], 64, 64],
      [[1], 0, 64],
      [[0], 0, 0],
      [[1], 64, 0],
    ]);
  });

  test('palettes count by their rows', () => {
    // a horse takes five rows: two of three soldiers, and it finds none behind them
    const crowd = crowdOf({ paletteCapacity: 8 });
    for (const i of [0, 1, 2]) crowd.come(i, 0, COARSE);
    crowd.come(3, 1, FINE);
    crowd.frame();
    expect(posed(crowd)).toEqual([0, 1]);
    expect([0, 1].map((i) => crowd.row(i, 'paletteRow'))).toEqual([0, 3]);
    // three of three rows asked for, which is more than there are, so that none are left
    expect([2, 4, 7].map((bin) => recordOf(crowd, bin))).toEqual([
      [0, 3, 2, 0, 0],
      [3, 1, 0, 3, 9],
      [0, 4, 4, 2, 4],
    ]);
  });

  test('it belongs to no character without one', () => {
    const crowd = crowdOf({ paletteCapacity: 2 });
    crowd.come(0, 0, COARSE);
    crowd.come(3, 1, FINE);
    crowd.frame();
    expect([posed(crowd), crowd.row(0, 'views'), crowd.row(3, 'views')]).toEqual([[], 0, 0]);
  });
});

describe('followers', () => {
  /** 0 is not seen; 1 and 2 follow it. */
  const crowdOf = (poseCapacity = 10) => {
    const crowd = new HandCrowd({ types: [SOLDIER], characters: 4, poseCapacity });
    for (const i of [0, 1, 2]) crowd.come(i, 0, COARSE);
    crowd.move(0, UNSEEN);
    for (const i of [1, 2]) crowd.views.residents.set(i, 'leader', 0);
    crowd.grant(0, [0, 8]);
    return crowd;
  };
  const offsets = (crowd: HandCrowd, i: number) => [
    crowd.row(i, 'currentVertexOffset'),
    crowd.row(i, 'previousVertexOffset'),
  ];

  test('show the vertices of the pose source, which is posed for them when it is culled', () => {
    const crowd = crowdOf();
    crowd.frame();
    expect(crowd.listed).toEqual([0, 1, 2]);
    expect([0, 1, 2].map((i) => crowd.row(i, 'views'))).toEqual([0, 1, 1]);
    expect([0, 1, 2].map((i) => crowd.row(i, 'detail') & VISIBLE_POSED)).toEqual([VISIBLE_POSED, 0, 0]);
    expect([0, 1, 2].map((i) => offsets(crowd, i))).toEqual([
      [64, 64],
      [64, 64],
      [64, 64],
    ]);
    expect([1, 2].map((i) => crowd.row(i, 'paletteRow'))).toEqual([ROW_NONE, ROW_NONE]);
    crowd.frame();
    expect([0, 1, 2].map((i) => offsets(crowd, i))).toEqual([
      [0, 64],
      [0, 64],
      [0, 64],
    ]);
  });

  test.each<[string, (crowd: HandCrowd) => void]>([
    ['was not seen in the last frame', (crowd) => crowd.move(1, UNSEEN)],
    ['was told to forget its past', (crowd) => crowd.views.residents.set(1, 'freshFrame', 3)],
    ['followed nobody', (crowd) => crowd.views.residents.set(1, 'leader', 1)],
  ])('a character that %s has no history; others have', (_, happens) => {
    const crowd = crowdOf();
    crowd.frame(1);
    happens(crowd);
    crowd.frame(2);
    crowd.move(1, COARSE);
    crowd.views.residents.set(1, 'leader', 0);
    crowd.frame(3);
    const [current, last] = offsets(crowd, 2);
    expect(current).not.toBe(last);
    expect(offsets(crowd, 1)).toEqual([current, current]);
    crowd.frame(4);
    expect(offsets(crowd, 1)).toEqual([last, current]);
  });

  test('are not drawn where the pose source exceeds the limit and has no pose, and keep the pose that it keeps', () => {
    const crowd = crowdOf(0);
    crowd.frame();
    expect([0, 1, 2].map((i) => crowd.row(i, 'views'))).toEqual([0, 0, 0]);
    crowd.views.params.set(0, 'poseCapacity', 1);
    crowd.frame();
    const [kept] = offsets(crowd, 1);
    crowd.views.params.set(0, 'poseCapacity', 0);
    for (const frame of [3, 4]) {
      crowd.frame(frame);
      expect([1, 2].map((i) => [crowd.row(i, 'views'), ...offsets(crowd, i)])).toEqual([
        [1, kept, kept],
        [1, kept, kept],
      ]);
    }
  });

  describe('may show parts that the pose source hides', () => {
    /** 0 is seen and 1 follows it; each is posed in one frame of two, when the index and the frame are even together. */
    const hidingCrowd = () => {
      const crowd = new HandCrowd({ types: [SOLDIER], characters: 2, rateSizes: [40, 0, 0] });
      for (const i of [0, 1]) crowd.come(i, 0, COARSE);
      crowd.move(1, UNSEEN);
      crowd.views.residents.set(1, 'leader', 0);
      crowd.grant(0, [0, 8]);
      return crowd;
    };
    const lookOf = (crowd: HandCrowd, i: number) => {
      const detail = crowd.row(i, 'detail') as number;
      return [(detail & VISIBLE_POSED) !== 0, (detail & VISIBLE_WHOLE) !== 0, ...offsets(crowd, i)];
    };

    test('it is posed with all of them as soon as a follower is visible, and keeps its history', () => {
      const crowd = hidingCrowd();
      crowd.frame(1);
      crowd.frame(2);
      expect(lookOf(crowd, 0)).toEqual([true, false, 0, 64]);
      crowd.move(1, COARSE);
      crowd.frame(3);
      expect(lookOf(crowd, 0)).toEqual([true, true, 64, 0]);
      expect(offsets(crowd, 1)).toEqual([64, 64]);
      crowd.frame(4);
      expect(lookOf(crowd, 0)).toEqual([true, true, 0, 64]);
      crowd.frame(5);
      expect(lookOf(crowd, 0)).toEqual([false, true, 0, 0]);
      crowd.move(1, UNSEEN);
      crowd.frame(6);
      expect(lookOf(crowd, 0)).toEqual([true, false, 64, 0]);
    });

    test('followers wait while the pose limit is reached', () => {
      const crowd = hidingCrowd();
      crowd.frame(1);
      crowd.move(1, COARSE);
      for (const [frame, poseCapacity] of [
        [2, 0],
        [3, 0],
        [4, 1],
      ] as const) {
        crowd.views.params.set(0, 'poseCapacity', poseCapacity);
        crowd.frame(frame);
        expect([0, 1].map((i) => crowd.row(i, 'views'))).toEqual([1, poseCapacity]);
      }
    });
  });

  test('count as not drawn where the pose source has no slot', () => {
    const crowd = new HandCrowd({ types: [SOLDIER], characters: 3 });
    for (const i of [0, 1, 2]) crowd.come(i, 0, COARSE);
    for (const i of [1, 2]) crowd.views.residents.set(i, 'leader', 0);
    crowd.frame();
    expect(crowd.listed).toEqual([]);
    expect(recordOf(crowd, 4)).toEqual([0, 3, 0, 0, 0]);
  });
});
