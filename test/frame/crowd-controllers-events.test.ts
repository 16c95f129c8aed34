// Events of clips, on the CPU backend, against what is worked out by hand.
import { describe, expect, test } from 'vitest';
import { checkEvents, checkLeavers, checkOverflow, checkRepeats, Parade } from '../support/event-cases.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

describe('events', () => {
  test('are reported once each, in order', () => checkEvents(undefined, 1));
  test('are reported in the order of frames that run without an await', () => checkEvents(undefined, 6));
  test('over the limit are counted', () => checkOverflow(undefined));
  test('that repeat too often in one step are counted', () => checkRepeats(undefined));
  test.each([[[0, 1, 2]], [[2, 0, 1]]])(
    'belong to the character that lived when they fired, frames in order %j',
    (order) => checkLeavers(undefined, order),
  );

  test('go to every listener until it is stopped, also after one that throws', async () => {
    const { crowd, spawn } = ((parade) => ({ crowd: parade.crowd, spawn: () => parade.spawn(1) }))(
      new Parade(undefined),
    );
    spawn();
    const told = [0, 0, 0];
    const count = () => void told[0]!++;
    const stops = [crowd.on('event', count), crowd.on('event', count)];
    const fail = crowd.on('event', () => {
      told[1]!++;
      throw new Error('a bug of the game');
    });
    crowd.on('event', () => void told[2]!++);
    await expect(updateAndWait(crowd, { dt: 0.5 })).rejects.toThrow('a bug of the game');
    expect(told).toEqual([4, 2, 2]); // two events
    stops[0]!();
    stops[0]!();
    fail();
    await updateAndWait(crowd, { dt: 0.5 });
    expect(told).toEqual([6, 2, 4]);
    stops[1]!();
    await updateAndWait(crowd, { dt: 0.5 });
    expect(told).toEqual([6, 2, 5]);
  });
});
