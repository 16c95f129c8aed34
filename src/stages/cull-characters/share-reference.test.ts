import { describe, expect, test } from 'vitest';
import { BEHIND, sizedPlace } from '../../../test/support/cull-hand.ts';
import { SharingCrowd } from '../../../test/support/sharing-crowd.ts';

// characters 0 … 3, then two clips of four phases each: rows 4 … 7 and 8 … 11
const [FAR, NEAR] = [sizedPlace(20), sizedPlace(200)];

describe('the pose that a character shows', () => {
  test('that of its part of its clip, if it is far; its own, if it is near', () => {
    const crowd = new SharingCrowd(4);
    crowd.come(0, 0, FAR);
    crowd.come(1, 0, FAR);
    crowd.come(2, 0, FAR);
    crowd.come(3, 0, NEAR);
    crowd.plays(0, { clip: 0, phase: 0 });
    crowd.plays(1, { clip: 0, phase: 0.2499 });
    crowd.plays(2, { clip: 1, phase: 0.9999 });
    crowd.plays(3, { clip: 1, phase: 0.5 });
    crowd.grant(0, [0, 8, 16, 24]);
    crowd.frame();
    expect(crowd.leaders).toEqual([4, 4, 11, 3]);
    // posed are two that are shared, and the near one
    expect(crowd.posed).toEqual([3, 4, 11]);
    // all that share row 4 show what it shows, and nothing of last frame's
    const offset = crowd.row(4, 'currentVertexOffset');
    for (const i of [0, 1]) {
      expect(crowd.row(i, 'currentVertexOffset')).toBe(offset);
      expect(crowd.row(i, 'previousVertexOffset')).toBe(offset);
    }
  });

  test('parts have their beginnings, and not their ends', () => {
    const crowd = new SharingCrowd(4);
    [0.25, 0.49999, 0.5, 0.75].forEach((phase, i) => {
      crowd.come(i, 0, FAR);
      crowd.plays(i, { clip: 1, phase });
    });
    crowd.frame();
    expect(crowd.leaders).toEqual([9, 9, 10, 11]);
  });

  test('its own, if it shows several clips, or is bound, or is modified, or is culled', () => {
    const crowd = new SharingCrowd(4);
    for (const i of [0, 1, 2, 3]) {
      crowd.come(i, 0, FAR);
      crowd.plays(i, { clip: 0, phase: 0.5 });
    }
    crowd.plays(0, { clip: 0, phase: 0.5, weight: 0.88 }, { clip: 1, phase: 0.5, weight: 0.12 });
    crowd.bind(1);
    crowd.modify(2);
    crowd.frame();
    expect(crowd.leaders).toEqual([0, 1, 2, 6]);
    // nine tenths are enough; what is missing to 1 is the rest pose
    crowd.plays(0, { clip: 1, phase: 0.1, weight: 0.05 }, { clip: 0, phase: 0.5, weight: 0.95 });
    crowd.plays(3, { clip: 0, phase: 0.5, weight: 0.85 });
    crowd.frame();
    expect(crowd.leaders).toEqual([6, 1, 2, 3]);
    crowd.look(BEHIND);
    crowd.frame();
    expect(crowd.leaders).toEqual([0, 1, 2, 3]);
  });

  test('a character with a pose source of the CPU keeps it', () => {
    const crowd = new SharingCrowd(4);
    crowd.come(0, 0, FAR);
    crowd.come(1, 0, FAR);
    crowd.plays(1, { clip: 0, phase: 0.5 });
    crowd.views.residents.set(1, 'leader', 0);
    crowd.bind(0);
    crowd.frame();
    expect(crowd.leaders.slice(0, 2)).toEqual([0, 0]);
  });

  test('shares later and stops sharing earlier', () => {
    const crowd = new SharingCrowd(4);
    crowd.come(0, 0, sizedPlace(45));
    crowd.plays(0, { clip: 0, phase: 0.5 });
    crowd.grant(0, [0, 8]);
    const leaderAt = (pixels: number) => {
      crowd.move(0, sizedPlace(pixels));
      crowd.frame();
      return crowd.leaders[0];
    };
    // below 50 pixels it may share; who does not yet, below 42.5
    expect([45, 43, 42, 45, 49.9, 50.1, 45].map(leaderAt)).toEqual([0, 0, 6, 6, 6, 0, 0]);
  });
});

describe('a shared pose', () => {
  test('is posed when it is first shown, and again when no character has shown it meanwhile', () => {
    const crowd = new SharingCrowd(4, { rateSizes: [0, 0, 0] });
    crowd.come(0, 0, FAR);
    crowd.grant(0, [0, 8, 16]);
    const posedAt = (phase: number) => {
      crowd.plays(0, { clip: 0, phase });
      crowd.frame();
      return crowd.posed;
    };
    expect([0.1, 0.2, 0.3, 0.3, 0.1].map(posedAt)).toEqual([[4], [], [5], [], [4]]);
  });

  test('frees its slot when no character shows it', () => {
    const crowd = new SharingCrowd(4);
    crowd.come(0, 0, FAR);
    crowd.plays(0, { clip: 0, phase: 0.5 });
    crowd.grant(0, [0, 8]);
    crowd.frame();
    expect(crowd.held(6)).toMatchObject({ unit: 0, type: 0 });
    expect(crowd.held(0)).toBeUndefined();
    crowd.leave(0);
    crowd.frame();
    expect(crowd.held(6)).toBeUndefined();
    expect(crowd.free(0)).toEqual([8, 0]);
  });

  test('starts and ends without motion: a character that changes, enters or leaves has both frames in one', () => {
    const crowd = new SharingCrowd(4);
    crowd.come(0, 0, FAR);
    crowd.grant(0, [0, 8, 16, 24]);
    const offsets = () => [crowd.row(0, 'currentVertexOffset'), crowd.row(0, 'previousVertexOffset')];
    const isStill = (phase: number, place: readonly number[]) => {
      crowd.move(0, place);
      crowd.plays(0, { clip: 0, phase });
      crowd.frame();
      const [current, previous] = offsets();
      return current === previous;
    };
    const frames: [number, readonly number[]][] = [[0.1, NEAR], [0.2, NEAR], [0.3, FAR], [0.4, FAR], [0.6, FAR], [0.7, NEAR], [0.8, NEAR]]; // prettier-ignore
    // posed anew in the second frame, and in the last: those have motion of their own
    expect(frames.map(([phase, place]) => isStill(phase, place))).toEqual([true, false, true, true, true, true, false]);
  });

  test('requests a slot as the largest character that shows it', () => {
    const crowd = new SharingCrowd(4);
    [20, 41, 30].forEach((pixels, i) => {
      crowd.come(i, 0, sizedPlace(pixels));
      crowd.plays(i, { clip: 0, phase: 0.5 });
    });
    crowd.frame();
    expect(crowd.views.decisions.get(6, 'size')).toBe(crowd.views.decisions.get(1, 'size'));
  });
});
