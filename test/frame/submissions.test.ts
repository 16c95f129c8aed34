// How frames are submitted: update returns at once, workDone waits, and frames that are never submitted are refused.
import { expect, test } from 'vitest';
import { Submissions } from '../../src/device/submissions.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded } from '../support/crowd-truth.ts';
import { Parade } from '../support/parade.ts';
import { soldier } from '../support/soldiers.ts';

const fighter = soldier();
const newCrowd = () => createCrowd(undefined, { characters: [fighter], capacity: 4, backend: 'cpu' });

test('update returns nothing, and throws at once', () => {
  const crowd = newCrowd();
  expect(crowd.update({ dt: 0.1 })).toBeUndefined();
  expect(() => crowd.update({ dt: -1 })).toThrow(coded('CROWD_BAD_ARGUMENT'));
  crowd.destroy();
  expect(() => crowd.update({ dt: 0.1 })).toThrow(coded('CROWD_DESTROYED'));
});

test('workDone waits until events have been delivered, and rejects with what a listener throws', async () => {
  const parade = new Parade(undefined);
  const { crowd } = parade;
  parade.spawn(1);
  await crowd.workDone(); // nothing runs
  const heard: string[] = [];
  crowd.on('event', ({ name }) => heard.push(name));
  crowd.update({ dt: 0.5 });
  await crowd.workDone();
  expect(heard).toHaveLength(2);
  const stop = crowd.on('event', () => {
    throw new Error('a bug of the game');
  });
  crowd.update({ dt: 0.5 });
  crowd.update({ dt: 0.5 });
  await expect(crowd.workDone()).rejects.toThrow('a bug of the game');
  stop();
  await crowd.workDone(); // both frames have ended
  const before = heard.length;
  const encoded = crowd.encode(undefined, { dt: 0.5 });
  void encoded.submitted();
  await crowd.workDone();
  expect(heard.length).toBeGreaterThan(before);
});

test('what a listener throws is an error of the page where nobody waits', async () => {
  const parade = new Parade(undefined);
  parade.spawn(1);
  parade.crowd.on('event', () => {
    throw new Error('a bug of the game');
  });
  const known = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  try {
    const thrown = new Promise((resolve) => process.once('unhandledRejection', resolve));
    parade.crowd.update({ dt: 0.5 });
    expect(String(await thrown)).toContain('a bug of the game');
  } finally {
    for (const listener of known) process.on('unhandledRejection', listener);
  }
});

test('a frame beyond 16 that are not known to be submitted is refused, and changes nothing', async () => {
  const crowd = newCrowd();
  const frames = Array.from({ length: 16 }, () => crowd.encode(undefined, { dt: 0.1 }));
  const { time } = crowd;
  expect(() => crowd.encode(undefined, { dt: 0.1 })).toThrow(coded('CROWD_FRAME_OPEN'));
  expect(() => crowd.update({ dt: 0.1 })).toThrow(coded('CROWD_FRAME_OPEN'));
  expect([crowd.frame, crowd.time]).toEqual([16, time]);
  const first = frames[0]!.submitted();
  expect(frames[0]!.submitted()).toBe(first);
  crowd.encode(undefined, { dt: 0.1 });
  expect(() => crowd.encode(undefined, { dt: 0.1 })).toThrow(coded('CROWD_FRAME_OPEN'));
});

test('submissions count as open until they are submitted, once', async () => {
  const submissions = new Submissions();
  let ended = 0;
  const open = () => submissions.open(async () => void ended++);
  const all = Array.from({ length: 16 }, open);
  expect(() => submissions.expectFew()).toThrow(coded('CROWD_FRAME_OPEN'));
  await Promise.all([all[0]!(), all[0]!(), all[1]!()]);
  expect([submissions.openCount, ended]).toEqual([14, 2]);
  submissions.expectFew();
});
