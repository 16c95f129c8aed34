import { expect } from 'vitest';
import type { CharacterEvent, Crowd } from '../../src/index.ts';
import { saveSnapshot, rebuildCrowd } from '../../src/state/index.ts';
import type { TestCrowdOptions } from './create-crowd.ts';
import { Random } from './random.ts';
import { full } from './setup.ts';
import { coded } from './crowd-truth.ts';
import { CAST, contents, doSomething, fighter, mote, randomFrame, shown, stateCrowd } from './state-scene.ts';
import { updateAndWait } from './update-and-wait.ts';

/** What listeners heard, frame by frame. */
function heardBy(crowd: Crowd): string[] {
  const heard: string[] = [];
  crowd.on('event', ({ frame, character, name, layer }: CharacterEvent) =>
    heard.push(`${frame} ${character} ${layer} ${name}`),
  );
  return heard;
}

/**
 * A crowd that is lost midway, and one that is not: behind the rebuild they are alike, and their listeners have heard the
 * same.
 */
export async function checkRebuild(
  options: Partial<TestCrowdOptions>,
  seed: number,
  {
    before,
    lose,
    after,
    compare,
  }: {
    before?: GPUDevice | undefined /** Called while a frame is under way. */;
    lose?: () => void;
    after?: GPUDevice | undefined;
    /** Called with both when they have been looked at. */
    compare?: (rebuilt: Crowd, twin: Crowd) => Promise<void>;
  },
): Promise<void> {
  const { characters: cast = CAST, poseSharing: sharing } = options;
  const crowd = stateCrowd(before, options);
  const twin = stateCrowd(after, { characters: cast, ...(sharing ? { poseSharing: sharing } : {}) });
  const [heard, expected] = [heardBy(crowd), heardBy(twin)];
  const frames = before && !full ? 30 : 60;
  for (let i = 0; i < frames; i++) {
    for (const each of [crowd, twin]) await randomFrame(each, 1000 * seed + i, undefined, cast);
  }
  const pending = [updateAndWait(crowd, { dt: 0.05 }), updateAndWait(crowd, { dt: 0.3 })];
  lose?.();
  const fates = await Promise.allSettled(pending);
  expect(fates.map(({ status }) => status)).toEqual(lose ? ['rejected', 'rejected'] : ['fulfilled', 'fulfilled']);
  for (const dt of [0.05, 0.3]) await updateAndWait(twin, { dt });
  // told to a crowd that nobody runs any more
  for (const each of [crowd, twin]) {
    const random = new Random(seed);
    for (let i = 0; i < 4; i++) doSomething(each, random, cast);
  }
  const { crowd: rebuilt, from, frames: again } = await rebuildCrowd(crowd, after);
  expect(from).toBe('snapshot');
  console.log(`seed ${seed}: ${again} frames of ${twin.frame} replayed, ${expected.length} events`);
  expect([rebuilt.frame, rebuilt.time, rebuilt.ids]).toEqual([twin.frame, twin.time, twin.ids]);
  expect(contents(await saveSnapshot(rebuilt))).toEqual(contents(await saveSnapshot(twin)));
  for (let i = 0; i < 20; i++) {
    for (const each of [rebuilt, twin]) await randomFrame(each, 1000 * seed + 70 + i, i > 17 ? true : undefined, cast);
  }
  for (const each of [rebuilt, twin]) for (let i = 0; i < 3; i++) await updateAndWait(each, { dt: 0 }); // events on their way
  expect(await shown(rebuilt)).toEqual(await shown(twin));
  await compare?.(rebuilt, twin);
  expect(heard).toEqual(expected);
  if (cast.includes(fighter)) expect(expected.length).toBeGreaterThan(0);
  expect(() => crowd.spawn(mote)).toThrow(coded('CROWD_DESTROYED'));
  rebuilt.destroy();
  twin.destroy();
}
