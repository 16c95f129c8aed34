import { describe, expect, test } from 'vitest';
import { AHEAD, BEHIND, HandCrowd, sizedPlace, type HandType } from '../../../test/support/cull-hand.ts';
import { writeViews, type CrowdView } from '../../frame/tables/crowd-view.ts';
import { View } from '../../layout/index.ts';
import { clipFromWorld, orthographic } from '../../render/camera.ts';
import { decideCharacters } from './decide-reference.ts';
import { ASKED_RATE_SHIFT, CullParams } from './layout.ts';
import { viewPlanes } from './frustum-planes.ts';

const POINT: HandType = { radius: 0, levels: [[0]] };

/** One character of a type at a place, decided once. */
function decide(type: HandType, position: readonly number[], ...views: CrowdView[]): HandCrowd {
  const crowd = new HandCrowd({ types: [type], characters: 1 });
  crowd.come(0, 0, position);
  crowd.look(...views);
  decideCharacters(crowd.views);
  return crowd;
}

const viewsOf = (...args: Parameters<typeof decide>) => decide(...args).decided(0).views;
const sizeOf = (...args: Parameters<typeof decide>) => decide(...args).views.decisions.get(0, 'size');

describe('planes of a view', () => {
  const planesOf = (matrix: ArrayLike<number>) =>
    Array.from({ length: 6 }, (_, p) => Array.from(viewPlanes(matrix).subarray(4 * p, 4 * p + 4)));

  test('face inward, with unit normals; infinity has no plane', () => {
    const matrix = clipFromWorld({ eye: [0, 0, 0], target: [0, 0, -1], fovY: Math.PI / 2, near: 0.5 }, 1);
    const s = Math.SQRT1_2;
    const expected = [
      [s, 0, -s, 0],
      [-s, 0, -s, 0],
      [0, s, -s, 0],
      [0, -s, -s, 0],
      // depth is reversed: 0 ≤ z holds everywhere, z ≤ w from the near plane on
      [0, 0, 0, 1],
      [0, 0, -1, -0.5],
    ];
    planesOf(matrix).forEach((plane, p) => plane.forEach((value, c) => expect(value).toBeCloseTo(expected[p]![c]!, 6)));
  });

  test('of a box are its sides', () => {
    const box = { left: -3, right: 5, bottom: -1, top: 2, near: 0, far: 10 };
    const expected = [
      [1, 0, 0, 3],
      [-1, 0, 0, 5],
      [0, 1, 0, 1],
      [0, -1, 0, 2],
      [0, 0, -1, 0],
      [0, 0, 1, 10],
    ];
    planesOf(orthographic(box)).forEach((plane, p) =>
      plane.forEach((value, c) => expect(value).toBeCloseTo(expected[p]![c]!, 5)),
    );
  });

  test('hold everything where they are farther than a float can say', () => {
    // z = x / 2⁶⁰ … and w = 2¹⁰⁰: x ≤ 2¹⁶⁰ is no bound
    const matrix = new Float32Array(16);
    matrix.set([2 ** -60], 2);
    matrix.set([2 ** 100], 15);
    expect(planesOf(matrix)[5]).toEqual([0, 0, 0, 1]);
  });
});

describe('visible characters', () => {
  test('a sphere as long as it touches what a view sees', () => {
    // left of a right angle by 1/√2 of its distance: at (−11, 0, −10) the plane is 0.7071 away
    const at = (x: number, radius: number) => viewsOf({ ...POINT, radius }, [x, 0, -10], AHEAD);
    expect([at(0, 0), at(-11, 0.7), at(-11, 0.71), at(11, 0.7), at(11, 0.71)]).toEqual([1, 0, 1, 0, 1]);
    const ahead = (z: number, radius: number) => viewsOf({ ...POINT, radius }, [0, 0, z], AHEAD);
    // the near plane at z = −0.5; no far plane
    expect([ahead(-0.25, 0.2), ahead(-0.25, 0.3), ahead(-1e7, 0)]).toEqual([0, 1, 1]);
  });

  test('a bit per view; without bounds all views, and none without views', () => {
    expect(viewsOf(POINT, [0, 0, -10], AHEAD, BEHIND)).toBe(1);
    expect(viewsOf(POINT, [0, 0, 10], AHEAD, BEHIND)).toBe(2);
    expect(viewsOf({ ...POINT, radius: 200 }, [0, 0, 10], AHEAD, BEHIND)).toBe(3);
    expect(viewsOf({ ...POINT, radius: -1 }, [0, 100, 0], AHEAD, BEHIND)).toBe(3);
    expect(viewsOf({ ...POINT, radius: -1 }, [0, 100, 0])).toBe(0);
    expect(viewsOf(POINT, [0, 0, -10], ...Array.from({ length: 32 }, () => AHEAD))).toBe(0xffffffff);
  });

  test('only by views that may see it', () => {
    const crowd = new HandCrowd({ types: [POINT], characters: 1 });
    crowd.come(0);
    crowd.views.residents.set(0, 'views', 0b101);
    crowd.look(AHEAD, AHEAD, AHEAD, AHEAD);
    decideCharacters(crowd.views);
    expect(crowd.decided(0).views).toBe(0b101);
    crowd.views.params.set(0, 'seesAll', 1);
    crowd.views.residents.set(0, 'views', 0x80000001);
    decideCharacters(crowd.views);
    expect(crowd.decided(0).views).toBe(0x80000001);
  });

  test('no view for a row without a character', () => {
    const crowd = decide(POINT, [0, 0, -10], AHEAD);
    crowd.leave(0);
    decideCharacters(crowd.views);
    expect(crowd.decided(0)).toEqual({ views: 0, level: 0, rate: 0, posed: false, empty: false });
  });

  test('bounds move, turn and grow with their character', () => {
    // a unit ahead of it in its own space; it looks to the right and is twelve times as large
    const crowd = new HandCrowd({ types: [{ ...POINT, center: [0, 0, -1], radius: 1 }], characters: 1 });
    crowd.come(0, 0, [0, 0, 0]);
    crowd.views.transforms.assign(0, { scale: 12, rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2] });
    const margins: number[] = [];
    decideCharacters(crowd.views, (_, margin) => margins.push(margin));
    expect(crowd.decided(0).views).toBe(1);
    // 12 to the side, 12 round it: 12 / √2 beyond the plane to that side, which leaves 12 − 12 / √2 of 12
    expect(margins).toContainEqual(expect.closeTo((12 - 12 * Math.SQRT1_2) / 12, 6));
    // mirrored, the sphere is as large
    crowd.views.transforms.assign(0, { scale: -12 });
    decideCharacters(crowd.views);
    expect(crowd.decided(0).views).toBe(1);
  });

  test.each([
    ['a place that is no number', { position: [0, NaN, 0] }],
    ['an infinite one', { position: [0, 0, Infinity] }],
    ['one at the other end', { position: [-Infinity, 0, -10] }],
    ['one that is too far to be computed with', { position: [0, 2 ** 60, 0] }],
    ['an invalid rotation', { rotation: [NaN, 0, 0, 1] }],
    ['an invalid scale', { scale: NaN }],
    ['a sphere too large', { scale: 2 ** 61 }],
  ])('every view shows %s, as large as possible', (_, transform) => {
    const levels: HandType['levels'] = [[1], [0, 1000]];
    const crowd = decide({ radius: 1, center: [0.5, 0, 0], levels }, [0, 100, 0], AHEAD, BEHIND, AHEAD);
    expect(crowd.decided(0).views).toBe(0);
    crowd.views.transforms.assign(0, transform);
    decideCharacters(crowd.views);
    expect(crowd.decided(0)).toMatchObject({ views: 7, level: 0, rate: 0 });
    expect(crowd.views.decisions.get(0, 'size')).toBe(Math.fround(3e38));
  });
});

describe('how large', () => {
  const sphere: HandType = { radius: 1, levels: [[0]] };

  test('in perspective: its width over the depth of its near side', () => {
    expect(sizeOf(sphere, [0, 0, -11], AHEAD)).toBeCloseTo(20, 5);
    // depth counts, not distance
    expect(sizeOf(sphere, [7, 0, -11], AHEAD)).toBeCloseTo(20, 5);
    expect(sizeOf({ ...sphere, radius: 2 }, [0, 0, -12], AHEAD)).toBeCloseTo(40, 5);
    expect(sizeOf(sphere, [0, 0, -11], { ...AHEAD, height: 400, detail: 0.25 })).toBeCloseTo(10, 5);
    // from inside: a metre of depth is taken to be a micrometre at least
    expect(sizeOf(sphere, [0, 0, -0.6], AHEAD)).toBeCloseTo(2e8, -2);
    expect(sizeOf(sphere, [0, 100, 0], AHEAD)).toBe(0);
  });

  test('in a box: as large wherever it is', () => {
    const box = { left: -5, right: 5, bottom: -4, top: 4, near: 0, far: 100 };
    const view = { clipFromWorld: orthographic(box), height: 800 };
    // 800 pixels for 8 metres
    for (const z of [-1, -50, -100]) expect(sizeOf(sphere, [2, 1, z], view)).toBeCloseTo(200, 4);
  });

  test('the largest size in any view counts', () => {
    const [half, none] = [
      { ...AHEAD, detail: 0.5 },
      { ...BEHIND, detail: 100 },
    ];
    expect(sizeOf(sphere, [0, 0, -11], half, AHEAD, none)).toBeCloseTo(20, 5);
  });

  test('what a view is written as', () => {
    const params = new View(CullParams, 1);
    writeViews(params, [BEHIND, AHEAD]);
    const rows = (field: 'depths' | 'sizes') => {
      const first = CullParams.offsets[field] / 4;
      return Array.from({ length: 2 }, (_, v) =>
        Array.from(params.floats.subarray(first + 4 * v, first + 4 * v + 4), (x) => Math.round(x * 1e4) / 1e4 + 0),
      );
    };
    expect(params.get(0, 'viewCount')).toBe(2);
    expect(rows('depths')).toEqual([
      [0, 0, 1, 0],
      [0, 0, -1, 0],
    ]);
    expect(rows('sizes')).toEqual([
      [1, 100, 0, 0],
      [1, 100, 0, 0],
    ]);
  });
});

describe('how fine', () => {
  /** Level 1 is good for 100 pixels, level 2 for 50. */
  const type: HandType = { radius: 1, levels: [[2], [1, 100], [0, 50]] };
  const at = (pixels: number) => decide(type, sizedPlace(pixels), AHEAD).decided(0).level;

  test('the coarsest level that is good enough', () => {
    expect([1000, 101, 99, 51, 49, 1].map(at)).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test('a level that was drawn in the last frame is left late for a coarser one, at once for a finer one', () => {
    /** Drawn at one size, then at another. */
    const after = (before: number, pixels: number, frame = 2) => {
      const crowd = new HandCrowd({ types: [type], characters: 1 });
      crowd.grant(2, [0]);
      crowd.come(0, 0, sizedPlace(before));
      crowd.frame(1);
      crowd.move(0, sizedPlace(pixels));
      crowd.frame(frame);
      return crowd.decided(0).level;
    };
    // 0.85 of 100, and of 50
    expect([99, 86, 84, 43, 42].map((pixels) => after(200, pixels))).toEqual([0, 0, 1, 1, 2]);
    expect([49, 43, 42].map((pixels) => after(80, pixels))).toEqual([1, 1, 2]);
    expect([51, 101].map((pixels) => after(20, pixels))).toEqual([1, 0]);
    // a frame later there is no past
    expect(after(200, 99, 3)).toBe(1);
  });

  test('the finest without views, and for types without bounds', () => {
    const crowd = decide(type, sizedPlace(1), AHEAD);
    crowd.views.params.set(0, 'seesAll', 1);
    decideCharacters(crowd.views);
    expect(crowd.decided(0).level).toBe(0);
    expect(decide({ ...type, radius: -1 }, [0, 0, -500], AHEAD).decided(0).level).toBe(0);
  });
});

describe('how often', () => {
  test('every 2nd, 4th, 8th frame below three sizes', () => {
    const rateAt = (pixels: number) => {
      const crowd = new HandCrowd({ types: [{ levels: [[0]] }], characters: 1, rateSizes: [40, 20, 10] });
      crowd.come(0, 0, sizedPlace(pixels));
      decideCharacters(crowd.views);
      return crowd.decided(0).rate;
    };
    expect([500, 40.1, 39.9, 20.1, 19.9, 10.1, 9.9, 0.1].map(rateAt)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
  });
});

describe('followers', () => {
  test('ask the pose source for what they need themselves', () => {
    const levels: HandType['levels'] = [[2], [1, 100], [0, 50]];
    const crowd = new HandCrowd({ types: [{ levels }], characters: 5, rateSizes: [40, 20, 10] });
    const places = [[0, 0, 50], sizedPlace(60), sizedPlace(15), sizedPlace(300), [0, 0, 20]];
    places.forEach((place, i) => crowd.come(i, 0, place));
    for (const i of [1, 2, 4]) crowd.views.residents.set(i, 'leader', 0);
    decideCharacters(crowd.views);
    // 60 pixels: level 1, every frame; 15: level 2, every 4th; who is not seen asks for nothing
    const bits = (level: number, rate: number) => (1 << level) | (1 << (ASKED_RATE_SHIFT + rate));
    expect([0, 1, 2, 3, 4].map((i) => crowd.views.decisions.get(i, 'asked'))).toEqual([
      bits(1, 0) | bits(2, 2),
      0,
      0,
      0,
      0,
    ]);
    expect(crowd.decided(0).views).toBe(0);
  });
});
