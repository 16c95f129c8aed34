import { beforeAll, describe, expect, it } from 'vitest';
import type { ClipModel } from '../../src/character/model.ts';
import { dot, normalized } from '../../src/math/rotations.ts';
import { type Body, SIDES } from '../../src/retarget/body.ts';
import { momentsOf } from '../../src/retarget/moments.ts';
import { retargetHumanoid, type Retargeted } from '../../src/retarget/retarget-humanoid.ts';
import { hasTurn, noShared, sample } from '../support/setup.ts';
import { bendOf, footSlides, handsOf, percentile, timesOf, wrongKnee } from './measure.ts';
import { clipsLike, loadBody, SOURCES, TARGETS } from './skeletons.ts';

const OPTIONS = { mirror: false, fingers: true, feet: true } as const;

interface Case {
  readonly name: string;
  readonly source: Body;
  readonly clip: ClipModel;
}

describe.skipIf(noShared() || !hasTurn(0))('clips of other skeletons', () => {
  const cases: Case[] = [];
  beforeAll(async () => {
    for (const [name, file, pattern] of SOURCES) {
      const source = await loadBody(file);
      for (const clip of clipsLike(source.model, pattern)) cases.push({ name, source, clip });
    }
    expect(cases.length).toBeGreaterThanOrEqual(20);
  }, 60_000);

  it.each(sample(Object.entries(TARGETS), 8))(
    'on %s: feet stay, knees and elbows bend as they should',
    async (target, file) => {
      const body = await loadBody(file);
      const slides: number[] = [];
      for (const { name, source, clip } of cases) {
        if (name === target) continue;
        const done = retargetHumanoid(clip, source, body, OPTIONS);
        slides.push(...footSlides(body, done.clip, done.feet.contacts, done.feet.ground));
        expect(
          done.clip.tracks.every(({ values }) => values.every(Number.isFinite)),
          `${name} ${clip.name}`,
        ).toBe(true);
        expect(wrongKnee(body, done.clip), `knees of ${name} ${clip.name}`).toBeLessThan(0.02);
        expect(wrongElbows(source, clip, body, done), `elbows of ${name} ${clip.name}`).toBe(0);
      }
      expect(slides.length).toBeGreaterThan(500);
      expect(percentile(slides, 0.5)).toBeLessThan(0.01);
      expect(percentile(slides, 0.95)).toBeLessThan(0.03);
    },
    120_000,
  );

  it('there and back keep the hands within 1 cm', async () => {
    for (const [from, to] of [
      ['unreal', 'zombie'],
      ['unreal', 'legionary'],
      ['kaykit', 'cyberpunk'],
      ['cmu', 'unreal'],
      ['kaykit', 'robot'],
      ['legionary', 'pab'],
    ] as const) {
      // prettier-ignore
      const [a, b] = [await loadBody(TARGETS[from]!), await loadBody(TARGETS[to]!)];
      const clip = clipsLike(a.model, SOURCES.find(([name]) => name === from)![2])[0]!;
      const there = retargetHumanoid(clip, a, b, OPTIONS).clip;
      const back = retargetHumanoid(there, b, a, OPTIONS).clip;
      const seconds = timesOf(back);
      const [before, after] = [handsOf(a, clip, seconds), handsOf(a, back, seconds)];
      const far = before.map((at, i) => (1.8 / a.height) * Math.hypot(...at.map((v, c) => v - after[i]![c]!)));
      expect(Math.max(...far), `${from} → ${to}`).toBeLessThan(0.01);
    }
  }, 60_000);
});

/** Samples in which an elbow that bends by over 20° bends to another side than the source's. */
function wrongElbows(source: Body, clip: ClipModel, target: Body, { clip: made }: Retargeted): number {
  const seconds = timesOf(made);
  const [from, to] = [momentsOf(source, clip, seconds), momentsOf(target, made, seconds)];
  return from.reduce((count, moment, i) => {
    const wrong = SIDES.filter((side) => {
      const [a, b] = [bendOf(source, moment, side, 'Arm'), bendOf(target, to[i]!, side, 'Arm')];
      return a.bend > 0.35 && b.bend > 0.35 && dot(normalized(a.normal), normalized(b.normal)) < 0.5;
    });
    return count + wrong.length;
  }, 0);
}
