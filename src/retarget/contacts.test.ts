import { describe, expect, it } from 'vitest';
import type { Vector3 } from '../math/rotations.ts';
import { contactsOf, treadmillVelocity } from './contacts.ts';

const SECONDS = 1 / 30;
/** Steps of a foot: half a second on the ground, half a second in the air, with a velocity of the body. */
function steps(phase: number, ground: number): Vector3[] {
  return Array.from({ length: 61 }, (_, i) => {
    const time = i * SECONDS + phase;
    const cycle = time % 1;
    const isDown = cycle < 0.5;
    const step = Math.floor(time) + (isDown ? 0 : (cycle - 0.5) * 2);
    return [0, isDown ? 0 : 0.3 * Math.sin((cycle - 0.5) * 2 * Math.PI), step - phase + ground * i * SECONDS];
  });
}

describe('planted feet', () => {
  it('are low and slow', () => {
    const contacts = contactsOf({ ball: steps(0, 0) }, SECONDS, [0, 0, 0]);
    contacts.forEach(({ first }, i) => expect(Math.abs(first - 30 * i)).toBeLessThanOrEqual(1));
    expect(contacts.length).toBeGreaterThanOrEqual(2);
    for (const { first, last } of contacts.slice(0, 2)) expect(last - first).toBeGreaterThan(12);
  });

  it('of a walk in place move with the ground', () => {
    const feet = [{ ball: steps(0, -1) }, { ball: steps(0.5, -1) }];
    const ground = treadmillVelocity(feet, SECONDS);
    expect(ground[2]).toBeCloseTo(-1, 5);
    expect(contactsOf(feet[0]!, SECONDS, ground).length).toBeGreaterThanOrEqual(2);
    expect(contactsOf(feet[0]!, SECONDS, [0, 0, 0])).toEqual([]);
  });

  it('of a walk over the ground have no moving ground', () => {
    expect(treadmillVelocity([{ ball: steps(0, 0) }, { ball: steps(0.5, 0) }], SECONDS)).toEqual([0, 0, 0]);
  });

  it('need some time, and survive a sample of noise', () => {
    const still = (count: number): Vector3[] => Array.from({ length: count }, () => [0, 0, 0]);
    const up: Vector3 = [0, 1, 0];
    expect(contactsOf({ ball: [up, up, [0, 0, 0], up, up] }, SECONDS, [0, 0, 0])).toEqual([]);
    expect(contactsOf({ ball: [...still(10), [0, 0.1, 0], ...still(10)] }, SECONDS / 2, [0, 0, 0])).toEqual([
      { first: 0, last: 20 },
    ]);
  });
});
