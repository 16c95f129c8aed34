import { describe, expect, test } from 'vitest';
import { AHEAD, HandCrowd, type HandOptions, type HandType } from '../../../test/support/cull-hand.ts';
import { playHeld, type HeldClip } from '../../../test/support/played-crowd.ts';
import { SharingCrowd } from '../../../test/support/sharing-crowd.ts';
import { clipFromWorld } from '../../render/camera.ts';
import { RESIDENT_CARRIES } from '../layout.ts';

/**
 * AHEAD's right plane is x = −z: at a depth of 4 a sphere of radius 1 is outside from x = 4 + √2 = 5.414 on, the cube of clip 0
 * from 4 + ½ + ½ = 5 on, the pole of clip 1 from 4 + 0.1 + 0.1 = 4.2 on. Clip 2 has no box.
 */
const CUBE = [[0, 0, 0], [0.5, 0.5, 0.5]] as const; // prettier-ignore
const POLE = [[0, 0, 0], [0.1, 0.9, 0.1]] as const; // prettier-ignore
const BODY: HandType = { levels: [[0]], clips: [CUBE, POLE, undefined] };
const Z_QUARTER = [0, 0, Math.SQRT1_2, Math.SQRT1_2];

function crowdAt(x: number, options: Partial<HandOptions> = {}): HandCrowd {
  const crowd = new HandCrowd({ types: [BODY], characters: 3, ...options });
  crowd.views.params.assign(0, { tightens: 1 });
  crowd.grant(0, [0, 8, 16]);
  crowd.come(0, 0, [x, 0, -4]);
  return crowd;
}

/** What sees character 0 at a place, while something plays. */
function seen(x: number, plays: readonly HeldClip[], ready: (crowd: HandCrowd) => void = () => undefined): number {
  const crowd = crowdAt(x);
  playHeld(crowd.played, 0, plays);
  ready(crowd);
  crowd.frame();
  return crowd.decided(0).views;
}

const place =
  (scale: number, rotation: readonly number[] = [0, 0, 0, 1]) =>
  (crowd: HandCrowd) =>
    crowd.views.transforms.assign(0, { scale, rotation });

describe('the box of the only clip that plays', () => {
  test('decides whether it is in a view; without a box its sphere does', () => {
    expect([4.9, 5.1].map((x) => seen(x, [{ clip: 0 }]))).toEqual([1, 0]);
    expect([4.1, 4.3].map((x) => seen(x, [{ clip: 1 }]))).toEqual([1, 0]);
    expect([5.3, 5.5].map((x) => seen(x, [{ clip: 2 }]))).toEqual([1, 0]);
  });

  test('is turned, moved and scaled with its character', () => {
    // the pole lies along x: 0.9 + 0.1
    expect([4.9, 5.1].map((x) => seen(x, [{ clip: 1 }], place(1, Z_QUARTER)))).toEqual([1, 0]);
    // twice as large: 4 + 1 + 1
    expect([5.9, 6.1].map((x) => seen(x, [{ clip: 0 }], place(2)))).toEqual([1, 0]);
    expect([5.9, 6.1].map((x) => seen(x, [{ clip: 0 }], place(-2)))).toEqual([1, 0]);
    const crowdWith = (scale: number, x: number) => {
      const type: HandType = {
        levels: [[0]],
        clips: [
          [
            [0.4, 0, 0],
            [0.1, 0.1, 0.1],
          ],
        ],
      };
      const crowd = crowdAt(x, { types: [type] });
      playHeld(crowd.played, 0, [{ clip: 0 }]);
      place(scale)(crowd);
      crowd.frame();
      return crowd.decided(0).views;
    };
    // it stands 0.4 to the right; with a scale of −1, to the left
    expect([3.7, 3.9].map((x) => crowdWith(1, x))).toEqual([1, 0]);
    expect([4.5, 4.7].map((x) => crowdWith(-1, x))).toEqual([1, 0]);
  });

  test('is each view’s own matter', () => {
    const wide = {
      clipFromWorld: clipFromWorld({ eye: [0, 0, 0], target: [0, 0, -1], fovY: 2.2, near: 0.5 }, 1),
      height: 200,
    };
    expect(seen(5.1, [{ clip: 0 }], (crowd) => crowd.look(AHEAD, wide, AHEAD))).toBe(0b010);
  });

  test('counts at the views’ edges only: a character with a sphere wholly inside stays', () => {
    const type: HandType = {
      levels: [[0]],
      clips: [
        [
          [9, 0, 0],
          [0.1, 0.1, 0.1],
        ],
      ],
    };
    const viewsAt = (x: number) => {
      const crowd = crowdAt(x, { types: [type] });
      playHeld(crowd.played, 0, [{ clip: 0 }]);
      crowd.frame();
      return crowd.decided(0).views;
    };
    // from x = 4 − √2 = 2.586 on a part of the sphere is outside
    expect([2.5, 2.7].map(viewsAt)).toEqual([1, 0]);
  });

  test('leaves level, rate and size as they are', () => {
    const [kept, gone] = [4.9, 5.1].map((x) => {
      const crowd = crowdAt(x);
      playHeld(crowd.played, 0, [{ clip: 0 }]);
      crowd.frame();
      return crowd.views.decisions.get(0, 'size');
    });
    // as near, and straight ahead that is 2 · 100 / (4 − 1)
    expect(kept).toBeCloseTo(200 / 3, 4);
    expect(gone).toBe(kept);
  });
});

describe('the sphere decides', () => {
  const all = (...plays: HeldClip[]) => seen(5.1, plays);

  test('where several clips show, or only a part of one', () => {
    expect(all()).toBe(1);
    expect(all({ clip: 0 }, { clip: 1, weight: 0.01 })).toBe(1);
    expect(all({ clip: 0, weight: 0.99 })).toBe(1);
    // what weighs nothing does not show; more than 1 is divided by itself
    expect(all({ clip: 0 }, { clip: 2, weight: 0 })).toBe(0);
    expect(all({ clip: 0, weight: 3 })).toBe(0);
    expect(all({ clip: 0, weight: 3 }, { clip: 2, weight: 0.5 })).toBe(1);
  });

  test('while a weight is on its way', () => {
    const at = (seconds: number, ...plays: HeldClip[]) =>
      seen(5.1, plays, ({ played }) =>
        played.clock.assign(0, { timeHigh: Math.floor(seconds), timeLow: (seconds % 1) * 2 ** 32 }),
      );
    const fading = { clip: 0, from: 0, weight: 1, fade: 2 };
    expect([0, 1.75, 2, 2.25].map((seconds) => at(seconds, fading))).toEqual([1, 1, 0, 0]);
    expect([1.75, 2].map((seconds) => at(seconds, { clip: 0 }, { clip: 1, from: 1, weight: 0, fade: 2 }))).toEqual([
      1, 0,
    ]);
    // from 1 to 1 is nowhere to go
    expect(at(1, { clip: 0, from: 1, weight: 1, fade: 2 })).toBe(0);
  });

  test.each<[string, (crowd: HandCrowd) => void]>([
    ['is modified', ({ played }) => played.modifiers.set(0, 'laneAndBits', 3)],
    ['carries something', ({ views }) => views.residents.set(0, 'bornFrame', (1 | RESIDENT_CARRIES) >>> 0)],
    ['is posed in turns', ({ views }) => views.params.assign(0, { rateSizes: [100, 0, 0, 0] })],
    ['may find no room to be posed', ({ views }) => views.params.assign(0, { tightens: 0 })],
    ['is where nothing can be computed', ({ views }) => views.transforms.set(0, 'position', [NaN, 0, 0])],
  ])('of a character that %s', (_, ready) => {
    expect(seen(5.1, [{ clip: 0 }])).toBe(0);
    expect(seen(5.1, [{ clip: 0 }], ready)).toBe(1);
  });

  test('of a follower; its pose source is posed for it, visible or not', () => {
    const crowd = crowdAt(5.1);
    crowd.come(1, 0, [5.1, 0, -4]);
    crowd.views.residents.set(1, 'leader', 0);
    for (const i of [0, 1]) playHeld(crowd.played, i, [{ clip: 0 }]);
    crowd.frame();
    expect(crowd.decided(0)).toMatchObject({ views: 0, posed: true });
    expect(crowd.decided(1).views).toBe(1);
    expect(crowd.listed).toEqual([0, 1]);
    expect([crowd.row(0, 'views'), crowd.row(1, 'views')]).toEqual([0, 1]);
  });
});

test('a culled character frees its slot, and shares no pose', () => {
  const crowd = crowdAt(4.9);
  playHeld(crowd.played, 0, [{ clip: 0 }]);
  crowd.frame();
  expect(crowd.listed).toEqual([0]);
  crowd.move(0, [5.1, 0, -4]);
  crowd.frame();
  expect([crowd.listed, crowd.held(0)]).toEqual([[], undefined]);
  // 100 times as far: one that shows a shared pose of a clip leaves by the box of that clip
  const sharing = new SharingCrowd(2, { types: [{ levels: [[0]], clips: [CUBE, POLE] }], rateSizes: [0, 0, 0] });
  sharing.views.params.assign(0, { tightens: 1 });
  sharing.grant(0, [0, 8]);
  sharing.come(0, 0, [20, 0, -20]);
  sharing.plays(0, { clip: 0, phase: 0 });
  const leaderAt = (x: number) => {
    sharing.move(0, [x, 0, -20]);
    sharing.frame();
    return [sharing.leaders[0], sharing.decided(0).views];
  };
  expect([20, 20.9, 21.1, 20.9].map(leaderAt)).toEqual([[2, 1], [2, 1], [0, 0], [2, 1]]); // prettier-ignore
});
