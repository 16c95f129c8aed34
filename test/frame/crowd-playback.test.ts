// What plays on a crowd's characters, on the CPU backend, against the float64 evaluator.
import { describe, expect, test } from 'vitest';
import type { CharacterId, Crowd, PlayOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded, largeActor, offPose, smallActor } from '../support/crowd-truth.ts';
import type { Actor, TrueMotion } from '../support/crowd-truth.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

/** Shares of a character's size. */
const EXACT = 1e-6;

const small = smallActor();
const large = largeActor();

/** Clips 0 and 1 repeat, clip 2 does not. */
const duration = ({ character }: Actor, clip: number) => character.clips[clip]!.duration;

function newCrowd(motions = 4): Crowd {
  const characters = [small.character, large.character];
  return createCrowd(undefined, { characters, capacity: 16, maxClips: motions, skinned: 'exact', backend: 'cpu' });
}

const wrapped = (time: number, period: number) => ((time % period) + period) % period;

describe('a clip', () => {
  const repeating = duration(small, 0);
  test.each<[PlayOptions, number]>([
    [{}, 0.5],
    [{ time: 0.3 }, 0.8],
    [{ phase: 0.25 }, 0.25 * repeating + 0.5],
    [{ phase: 2.25 }, 0.25 * repeating + 0.5],
    [{ phase: 0.9, time: 0.3 }, 0.8], // seconds win
    [{ time: -0.2 }, 0.3],
    [{ time: 100 }, 100.5],
    [{ speed: 2 }, 1],
    [{ speed: 0, time: 0.4 }, 0.4],
    [{ speed: -1, time: 0.2 }, -0.3],
    [{ speed: -1.5 }, -0.75],
  ])('that repeats, played with %o, is at %f s after half a second', async (options, time) => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character);
    group.play('clip 0', options);
    for (const dt of [0.2, 0, 0.3]) await updateAndWait(crowd, { dt });
    expect(await offPose(crowd, small, group.id(0), { clip: 0, time: wrapped(time, repeating) })).toBeLessThan(EXACT);
  });

  const once = duration(large, 2);
  test.each<[PlayOptions, number]>([
    [{}, once],
    [{ time: 0.1, speed: 0.5 }, 0.35],
    [{ time: 0.3, speed: -0.5 }, 0.05],
    [{ time: 0.3, speed: -1 }, 0],
    [{ phase: 1, speed: 0 }, once],
    [{ phase: 7, speed: 0 }, once],
    [{ phase: -1, speed: 0 }, 0],
    [{ loops: true }, wrapped(0.5, once)],
  ])('that plays once, played with %o, is at %f s after half a second', async (options, time) => {
    const crowd = newCrowd();
    const group = crowd.spawn(large.character);
    group.play('clip 2', options);
    for (const dt of [0.2, 0.3]) await updateAndWait(crowd, { dt });
    expect(await offPose(crowd, large, group.id(0), { clip: 2, time })).toBeLessThan(EXACT);
  });

  test('holds its last pose forever when it does not repeat', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character);
    group.play(0, { loops: false });
    for (const dt of [1, 10, 1000]) {
      await updateAndWait(crowd, { dt });
      expect(await offPose(crowd, small, group.id(0), { clip: 0, time: repeating })).toBeLessThan(EXACT);
    }
  });

  test('begins when it is played, at the next frame’s time', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character);
    await updateAndWait(crowd, { dt: 0.7 });
    expect(await offPose(crowd, small, group.id(0))).toBeLessThan(EXACT);
    group.play(1);
    await updateAndWait(crowd, { dt: 0 });
    expect(await offPose(crowd, small, group.id(0), { clip: 1, time: 0 })).toBeLessThan(EXACT);
    await updateAndWait(crowd, { dt: 0.25 });
    expect(await offPose(crowd, small, group.id(0), { clip: 1, time: 0.25 })).toBeLessThan(EXACT);
  });

  test('plays on any of several types, and on some of a group', async () => {
    const crowd = newCrowd();
    const [few, many] = [crowd.spawn(small.character, { count: 3 }), crowd.spawn(large.character, { count: 2 })];
    crowd.play([...few.ids, ...many.ids], 'clip 1');
    few.play(0, { time: 0.2 }, [2, 0]);
    few.play(2, {}, []);
    await updateAndWait(crowd, { dt: 0.1 });
    for (const i of [0, 2]) expect(await offPose(crowd, small, few.id(i), { clip: 0, time: 0.3 })).toBeLessThan(EXACT);
    expect(await offPose(crowd, small, few.id(1), { clip: 1, time: 0.1 })).toBeLessThan(EXACT);
    for (const id of many.ids) expect(await offPose(crowd, large, id, { clip: 1, time: 0.1 })).toBeLessThan(EXACT);
    expect(() => few.play(0, {}, [3])).toThrow(coded('CROWD_BAD_ARGUMENT'));
  });
});

describe('explicit motions', () => {
  test.each<[string, (Omit<TrueMotion, 'weight'> & { weight: number })[]]>([
    [
      'two halves',
      [
        { clip: 0, time: 0.2, weight: 0.5 },
        { clip: 1, time: 0.4, weight: 0.5 },
      ],
    ],
    ['four', [0.1, 0.2, 0.3, 0.4].map((weight, i) => ({ clip: i % 3, time: 0.1 + 0.05 * i, weight }))],
    [
      'too much weight, divided by its sum',
      [
        { clip: 0, time: 0.2, weight: 3 },
        { clip: 1, time: 0.4, weight: 1 },
      ],
    ],
    [
      'too little, filled up by the rest pose',
      [
        { clip: 0, time: 0.2, weight: 0.3 },
        { clip: 1, time: 0.4, weight: 0.2 },
      ],
    ],
    [
      'one without weight',
      [
        { clip: 0, time: 0.2, weight: 1 },
        { clip: 1, time: 0.4, weight: 0 },
      ],
    ],
  ])('blend: %s', async (_, motions) => {
    for (const actor of [small, large]) {
      const crowd = newCrowd();
      const group = crowd.spawn(actor.character);
      group.setClips(() => motions.map((motion) => ({ ...motion, speed: 0 })));
      await updateAndWait(crowd, { dt: 0.3 });
      expect(await offPose(crowd, actor, group.id(0), ...motions)).toBeLessThan(EXACT);
    }
  });

  test('replace what played, character by character', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character, { count: 3 });
    group.play(1);
    group.setClips((i) =>
      i === 0
        ? []
        : [
            { clip: 0, time: 0.1 * i, weight: 0.75 },
            { clip: 1, weight: 0.25 },
          ],
    );
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await offPose(crowd, small, group.id(0))).toBeLessThan(EXACT);
    for (const i of [1, 2]) {
      const motions = [
        { clip: 0, time: 0.1 * i + 0.1, weight: 0.75 },
        { clip: 1, time: 0.1, weight: 0.25 },
      ];
      expect(await offPose(crowd, small, group.id(i), ...motions)).toBeLessThan(EXACT);
    }
  });

  test('run at up to the crowd’s limit, here 64', async () => {
    const crowd = newCrowd(64);
    const group = crowd.spawn(small.character);
    const motions = Array.from({ length: 64 }, (_, i) => ({ clip: i % 3, time: 0.01 * i, weight: 1 / 64 }));
    group.setClips(() => motions.map((motion) => ({ ...motion, speed: 0, loops: false })));
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await offPose(crowd, small, group.id(0), ...motions)).toBeLessThan(EXACT);
  });
});

describe('a crossfade', () => {
  test('mixes both clips, each running on, until only the new one is left', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character);
    group.play(0, { time: 0.1 });
    await updateAndWait(crowd, { dt: 0.1 });
    group.play(1, { fade: 0.4, time: 0.5, speed: 2 });
    const at = (t: number) => ({ clip: 1, time: 0.5 + 2 * t });
    let t = 0;
    for (const dt of [0, 0.1, 0.1, 0.1, 0.15, 0.1]) {
      await updateAndWait(crowd, { dt });
      t += dt;
      const weight = Math.min(1, t / 0.4);
      const motions = [
        { clip: 0, time: 0.2 + t, weight: 1 - weight },
        { ...at(t), weight },
      ];
      expect(await offPose(crowd, small, group.id(0), ...motions), `${t} s`).toBeLessThan(EXACT);
    }
  });

  test('fades from the rest pose where nothing played', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(large.character);
    group.play(0, { fade: 0.4, time: 0.2, speed: 0 });
    await updateAndWait(crowd, { dt: 0.1 });
    expect(await offPose(crowd, large, group.id(0), { clip: 0, time: 0.2, weight: 0.25 })).toBeLessThan(EXACT);
  });

  test('interrupts another from the weights that it had reached', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(large.character);
    const still = (time: number) => ({ time, speed: 0 });
    group.play(0, still(0.3));
    group.play(1, { ...still(0.2), fade: 0.4 });
    await updateAndWait(crowd, { dt: 0.1 });
    group.play(2, { ...still(0.1), fade: 0.2 });
    await updateAndWait(crowd, { dt: 0.1 });
    const motions = [
      { clip: 0, time: 0.3, weight: 0.375 },
      { clip: 1, time: 0.2, weight: 0.125 },
      { clip: 2, time: 0.1, weight: 0.5 },
    ];
    expect(await offPose(crowd, large, group.id(0), ...motions)).toBeLessThan(EXACT);
  });

  // Fading from a pose to the same pose shows nothing at all, unless weights do not sum to 1: then the rest pose comes
  // through. Interrupting fades as fast as this takes more places than some crowds have.
  test.each([1, 2, 4, 8])('keeps its weights at a sum of 1, with room for %i motions', async (motions) => {
    const crowd = newCrowd(motions);
    const group = crowd.spawn(small.character);
    const still = { time: 0.3, speed: 0 };
    group.play(0, still);
    for (let i = 0; i < 7; i++) {
      group.play(0, { ...still, fade: 0.4 });
      await updateAndWait(crowd, { dt: 0.1 });
      expect(await offPose(crowd, small, group.id(0), { clip: 0, time: 0.3 }), `fade ${i}`).toBeLessThan(EXACT);
    }
  });
});

describe('what cannot be played is refused, and changes nothing', () => {
  const CLIPS = /CLIP_NOT_FOUND.*no clip "Gallop".*clip 0, clip 1, clip 2/;
  test.each<[string, (crowd: Crowd, id: CharacterId) => void, unknown]>([
    ['an unknown clip', (crowd, id) => crowd.play(id, 'Gallop'), CLIPS],
    ['an unknown clip, faded to', (crowd, id) => crowd.play(id, 'Gallop', { fade: 0.2 }), CLIPS],
    ['an index too large', (crowd, id) => crowd.play(id, 3), coded('CLIP_NOT_FOUND')],
    ['an index below 0', (crowd, id) => crowd.play(id, -1), coded('CLIP_NOT_FOUND')],
    ['half an index', (crowd, id) => crowd.play(id, 0.5), coded('CLIP_NOT_FOUND')],
    ['an invalid speed', (crowd, id) => crowd.play(id, 0, { speed: NaN }), coded('CROWD_BAD_ARGUMENT')],
    ['an endless speed', (crowd, id) => crowd.play(id, 0, { speed: Infinity }), coded('CROWD_BAD_ARGUMENT')],
    ['an invalid phase', (crowd, id) => crowd.play(id, 0, { phase: NaN }), coded('CROWD_BAD_ARGUMENT')],
    ['an invalid time', (crowd, id) => crowd.play(id, 0, { time: NaN }), coded('CROWD_BAD_ARGUMENT')],
    [
      'an invalid time, faded to',
      (crowd, id) => crowd.play(id, 0, { time: NaN, fade: 1 }),
      coded('CROWD_BAD_ARGUMENT'),
    ],
    ['an invalid fade', (crowd, id) => crowd.play(id, 0, { fade: NaN }), coded('CROWD_BAD_ARGUMENT')],
    ['an endless fade', (crowd, id) => crowd.play(id, 0, { fade: Infinity }), coded('CROWD_BAD_ARGUMENT')],
    ['an invalid weight', (crowd, id) => crowd.setClips(id, [{ clip: 0, weight: NaN }]), coded('CROWD_BAD_ARGUMENT')],
    ['a second motion unknown', (crowd, id) => crowd.setClips(id, [{ clip: 1 }, { clip: 'Gallop' }]), CLIPS],
    [
      'too many motions',
      (crowd, id) =>
        crowd.setClips(
          id,
          [0, 1, 2, 0, 1].map((clip) => ({ clip })),
        ),
      coded('CROWD_LIMIT'),
    ],
    ['a second character unknown', (crowd, id) => crowd.play([id, 4711], 1), coded('CROWD_BAD_ID')],
  ])('%s', async (_, call, refusal) => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character);
    group.play(0, { time: 0.1 });
    await updateAndWait(crowd, { dt: 0.1 });
    expect(() => call(crowd, group.id(0))).toThrow(refusal as RegExp);
    await updateAndWait(crowd, { dt: 0.2 });
    expect(await offPose(crowd, small, group.id(0), { clip: 0, time: 0.4 })).toBeLessThan(EXACT);
  });
});
