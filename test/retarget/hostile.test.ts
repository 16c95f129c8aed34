// Skeletons, maps and clips that no tool writes: a coded error or finite poses, in bounded time.
import { describe, expect, test } from 'vitest';
import type { CharacterModel, ClipModel } from '../../src/character/model.ts';
import { ManipleError } from '../../src/errors.ts';
import { bindClips, findHumanoid } from '../../src/import/index.ts';
import { full, runSeed } from '../support/setup.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { Hostile } from './hostile-models.ts';

const TIME_LIMIT_MS = 5_000;

/** Where values are not those of a track that can be packed. */
function broken({ tracks }: ClipModel, { joints }: CharacterModel): string[] {
  return tracks.flatMap(({ path, targetIndex, values }) => {
    const place = `${path} of joint ${targetIndex}`;
    if (!joints[targetIndex]) return [`${place}: no such joint`];
    if (!values.every(Number.isFinite)) return [`${place}: not finite`];
    if (path !== 'rotation') return [];
    for (let at = 0; at < values.length; at += 4) {
      const length = Math.hypot(values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!);
      if (Math.abs(length - 1) > 1e-3) return [`${place}: length ${length}`];
    }
    return [];
  });
}

describe('hostile skeletons, maps and clips', () => {
  const rounds = full ? 5_000 : 400;

  test(`give coded errors or finite poses, ${rounds} times`, () => {
    const outcomes = new Map<string, number>();
    const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    for (let round = 0; round < rounds; round++) {
      const hostile = new Hostile(runSeed + round);
      const [source, target] = [hostile.model('source'), hostile.model('target')];
      const options = { mirror: hostile.random.next() < 0.3, feet: hostile.random.next() < 0.8 };
      const humanoid = hostile.random.next() < 0.3 ? hostile.map(target.joints.length) : undefined;
      const elapsed = stopwatch();
      try {
        const { confidence } = findHumanoid(target);
        expect(confidence >= 0 && confidence <= 1, `round ${round}: ${confidence}`).toBe(true);
        const { clips, reports } = bindClips(target, [source], { ...options, humanoid });
        expect(broken(clips[0]!, target), `round ${round}`).toEqual([]);
        expect(Number.isFinite(reports[0]!.error), `round ${round}`).toBe(true);
        count(reports[0]!.method);
      } catch (thrown) {
        if (!(thrown instanceof ManipleError)) throw new Error(`seed ${runSeed + round}`, { cause: thrown });
        expect(thrown.code, `round ${round}`).not.toBe('INTERNAL');
        count(thrown.code);
      }
      expect(elapsed(), `round ${round}`).toBeLessThan(TIME_LIMIT_MS);
    }
    // all ways are taken
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['humanoid', 'joints', 'direct', 'HUMANOID_INVALID', 'HUMANOID_NOT_FOUND'])); // prettier-ignore
  }, 120_000);
});
