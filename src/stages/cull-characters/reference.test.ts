// Whole frames, one after the other: which copy is written, who is posed, and what counts as last frame's.
import { describe, expect, test } from 'vitest';
import { HandCrowd, sizedPlace, type HandOptions } from '../../../test/support/cull-hand.ts';

const UNSEEN = [0, 0, 50];

/** Characters of one level, all of whom have slots, of 64 vertices and their copies at 8 units from each other. */
function crowdOf(characters: number, options: Partial<HandOptions> = {}): HandCrowd {
  const crowd = new HandCrowd({ types: [{ levels: [[0], [0, 10]] }], characters, ...options });
  crowd.grant(
    0,
    Array.from({ length: characters }, (_, i) => 8 * i),
  );
  for (let i = 0; i < characters; i++) crowd.come(i);
  return crowd;
}

const copiesOf = (crowd: HandCrowd, i = 0) => [crowd.held(i)!.copy, crowd.held(i)!.previous];
const offsetsOf = (crowd: HandCrowd, i = 0) => [
  crowd.row(i, 'currentVertexOffset'),
  crowd.row(i, 'previousVertexOffset'),
];

describe('copies', () => {
  test('are turned in every frame; in the first one there is no other', () => {
    const crowd = crowdOf(2);
    crowd.frame();
    expect([copiesOf(crowd), offsetsOf(crowd), offsetsOf(crowd, 1)]).toEqual([
      [1, 1],
      [64, 64],
      [192, 192],
    ]);
    expect(crowd.decided(0)).toMatchObject({ posed: true, empty: true });
    crowd.frame();
    expect([copiesOf(crowd), offsetsOf(crowd), offsetsOf(crowd, 1)]).toEqual([
      [0, 1],
      [0, 64],
      [128, 192],
    ]);
    expect(crowd.decided(0)).toMatchObject({ posed: true, empty: false });
    crowd.frame();
    expect([copiesOf(crowd), offsetsOf(crowd)]).toEqual([
      [1, 0],
      [64, 0],
    ]);
  });

  test.each<[string, (crowd: HandCrowd) => void]>([
    ['a frame in between', (crowd) => crowd.frame(4)],
    ['was told to forget its past', (crowd) => (crowd.views.residents.set(0, 'freshFrame', 3), crowd.frame())],
    ['changed its level', (crowd) => (crowd.move(0, sizedPlace(5)), crowd.frame())],
    ['was not seen in between', (crowd) => (crowd.move(0, UNSEEN), crowd.frame(3), crowd.come(0), crowd.frame(4))],
  ])('a character that had %s has no other', (_, happens) => {
    const crowd = crowdOf(1);
    crowd.frame();
    crowd.frame();
    happens(crowd);
    // both stand in one copy; which one does not matter
    if (crowd.held(0)) expect(copiesOf(crowd)[0]).toBe(copiesOf(crowd)[1]);
    else crowd.frame();
    const [current, previous] = offsetsOf(crowd);
    expect(current).toBe(previous);
    expect(crowd.decided(0)).toMatchObject({ posed: true, empty: true });
    // from then on it goes on
    crowd.frame();
    expect(copiesOf(crowd)[0]).not.toBe(copiesOf(crowd)[1]);
  });

  test('a reset of the history lasts one frame', () => {
    const crowd = crowdOf(1);
    crowd.frame();
    crowd.views.residents.set(0, 'freshFrame', 2);
    const empty = [2, 3].map((frame) => (crowd.frame(frame), crowd.decided(0).empty));
    expect(empty).toEqual([true, false]);
  });
});

describe('rates', () => {
  test('every character is posed at first, then in turns by index; in between the copy stays, and is the last frame’s', () => {
    // 20 pixels: below two of the three sizes, every 4th frame
    const crowd = crowdOf(5, { rateSizes: [40, 21, 10] });
    const posedIn = (frame: number) => {
      crowd.frame(frame);
      return [0, 1, 2, 3, 4].filter((i) => crowd.decided(i).posed);
    };
    expect(posedIn(1)).toEqual([0, 1, 2, 3, 4]);
    expect(copiesOf(crowd)).toEqual([1, 1]);
    expect([2, 3].map(posedIn)).toEqual([[2], [1]]);
    expect(copiesOf(crowd)).toEqual([1, 1]);
    expect(posedIn(4)).toEqual([0, 4]);
    expect(copiesOf(crowd)).toEqual([0, 1]);
    expect(posedIn(5)).toEqual([3]);
    expect([copiesOf(crowd), offsetsOf(crowd)]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect([6, 7, 8].map(posedIn)).toEqual([[2], [1], [0, 4]]);
  });

  test('a character that gets closer is posed in every frame, at once', () => {
    const crowd = crowdOf(1, { rateSizes: [40, 21, 10] });
    crowd.frame();
    crowd.frame();
    expect(crowd.decided(0).posed).toBe(false);
    crowd.move(0, sizedPlace(50));
    expect([3, 4, 5].map((frame) => (crowd.frame(frame), crowd.decided(0).posed))).toEqual([true, true, true]);
  });

  test('are those of the follower that needs most', () => {
    const crowd = crowdOf(3, { rateSizes: [40, 21, 10] });
    crowd.views.residents.set(1, 'leader', 0);
    crowd.move(1, sizedPlace(30));
    crowd.frame(1);
    // 30 pixels: every 2nd frame
    expect([2, 3, 4, 5].map((frame) => (crowd.frame(frame), crowd.decided(0).posed))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(crowd.decided(0).rate).toBe(1);
  });
});

describe('a frame', () => {
  test('without characters lists none', () => {
    const crowd = new HandCrowd({ types: [{ levels: [[0]] }], characters: 2 });
    crowd.frame();
    expect(crowd.listed).toEqual([]);
    expect(Array.from(crowd.views.bins.words).every((word) => word === 0)).toBe(true);
  });

  test('without views, and the one after it, is like the first', () => {
    const crowd = crowdOf(2);
    crowd.frame(1);
    crowd.frame(5);
    expect([0, 1].map((i) => crowd.decided(i))).toMatchObject([{ empty: true }, { empty: true }]);
    expect(offsetsOf(crowd, 1)[0]).toBe(offsetsOf(crowd, 1)[1]);
  });

  test('every living character, without views', () => {
    const crowd = crowdOf(3, { rateSizes: [40, 21, 10] });
    crowd.move(1, UNSEEN);
    crowd.leave(2);
    crowd.look();
    crowd.views.params.set(0, 'seesAll', 1);
    for (const frame of [1, 2, 3]) {
      crowd.frame(frame);
      expect(crowd.listed).toEqual([0, 1]);
      expect(crowd.decided(1)).toMatchObject({ views: 0xffffffff, level: 0, rate: 0, posed: true });
    }
  });
});
