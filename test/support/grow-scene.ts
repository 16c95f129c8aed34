import { expect } from 'vitest';
import type { CharacterEvent, Crowd } from '../../src/index.ts';
import { saveSnapshot, recordInputs, replayInputs } from '../../src/state/index.ts';
import { full } from './setup.ts';
import {
  CAST,
  contents,
  fighter,
  follower,
  idsOf,
  mote,
  randomFrame,
  rover,
  shown,
  stateCrowd,
} from './state-scene.ts';
import { updateAndWait } from './update-and-wait.ts';

function heardBy(crowd: Crowd): string[] {
  const heard: string[] = [];
  crowd.on('event', ({ frame, character, name }: CharacterEvent) => heard.push(`${frame} ${character} ${name}`));
  return heard;
}

/** Software adapters take their time: fewer frames in the short run. */
function framesOf(device: GPUDevice | undefined, frames: number): number {
  return device && !full ? Math.ceil(frames / 2) - 1 : frames;
}

/** A crowd that grows again and again beside one that was as large from the begin; its log, replayed, grows as well. */
export async function checkGrowth(device: GPUDevice | undefined, seed: number): Promise<void> {
  const twin = stateCrowd(device, { capacity: 4000 });
  const every = framesOf(device, 15);
  const crowd = stateCrowd(device, { keep: { intervalSeconds: 2 } });
  const log = recordInputs(crowd);
  const [heard, expected] = [heardBy(crowd), heardBy(twin)];
  const army = [crowd, twin].map((each) => each.spawn(fighter, { count: 3 }));
  for (let i = 0; i < 4 * every; i++) {
    if (i % every === 4) crowd.grow(crowd.capacity * 2 + 3);
    for (const each of [crowd, twin]) await randomFrame(each, 1000 * seed + i, i > 4 * every - 3 ? true : undefined);
    if (i === 4) expect((await crowd.readControllers(idsOf(crowd, fighter))).length).toBe(idsOf(twin, fighter).length);
  }
  expect(crowd.ids).toEqual(twin.ids);
  expect(contents(await saveSnapshot(crowd))).toEqual(contents(await saveSnapshot(twin)));
  expect(await shown(crowd)).toEqual(await shown(twin));
  for (const each of [crowd, twin]) for (let i = 0; i < 3; i++) await updateAndWait(each, { dt: 0 });
  expect(heard).toEqual(expected);
  // groups of before are of it still
  for (const group of army) group.parameter('speed').fill(4);
  const again = stateCrowd(device);
  await replayInputs(again, log.since());
  expect(again.capacity).toBe(crowd.capacity);
  expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
  for (const each of [crowd, twin, again]) each.destroy();
}

/**
 * Characters come to a crowd and leave it, beside one that had them from the begin. On a GPU who needs most of the kernels is
 * there from the begin: software adapters compile for seconds.
 */
export async function checkCast(device: GPUDevice | undefined, seed: number): Promise<void> {
  const [early, late] = device ? [rover, follower] : [follower, rover];
  const some = [early, mote];
  const twin = stateCrowd(device, { characters: [early, mote, fighter, late] });
  const crowd = stateCrowd(device, { characters: some });
  const log = recordInputs(crowd);
  const both = async (from: number, to: number, cast = some) => {
    for (let i = from; i < to; i++) {
      for (const each of [crowd, twin]) await randomFrame(each, 1000 * seed + i, i === to - 1 ? true : undefined, cast);
    }
    expect(crowd.ids).toEqual(twin.ids);
    expect(await shown(crowd)).toEqual(await shown(twin));
  };
  const n = framesOf(device, 20);
  await both(0, n);
  crowd.addCharacter(fighter);
  await both(n, 2 * n, [early, mote, fighter]);
  crowd.addCharacter(late);
  await both(2 * n, 3 * n, [...CAST]);
  expect(contents(await saveSnapshot(crowd))).toEqual(contents(await saveSnapshot(twin)));
  for (const each of [crowd, twin]) each.despawn(idsOf(each, mote));
  crowd.removeCharacter(mote);
  await both(3 * n, 4 * n, [early, fighter, late]);
  crowd.addCharacter(mote);
  await both(4 * n, 5 * n, [...CAST]);
  // the numbers of types are others, states are not
  const places = await Promise.all([crowd, twin].map((each) => each.readTransforms(each.ids)));
  expect(JSON.stringify(places[0])).toEqual(JSON.stringify(places[1]));
  const again = stateCrowd(device, { characters: some });
  await replayInputs(again, log.since(), { characters: [...CAST] });
  expect(contents(await saveSnapshot(again))).toEqual(contents(await saveSnapshot(crowd)));
  for (const each of [crowd, twin, again]) each.destroy();
}
