import { describe, expect, test } from 'vitest';
import { formBattle } from './formation.ts';
import { PROPS, sceneryOf, type BattleScenery } from './scenery.ts';
import { SeededRandom } from '../math/seeded-random.ts';

const standing = ({ places }: BattleScenery) =>
  PROPS.flatMap((prop) => places[prop].map(({ position: [x, y, z], scale }) => ({ prop, x, y, z, scale })));

/** How far from its middle a thing reaches at scale 1, where it could be in a soldier's way. */
const REACH: Partial<Record<string, number>> = {
  tent: 2.6,
  palisade: 1.6,
  cart: 2.6,
  slab: 1.6,
  pine: 0.5,
  cypress: 1,
};

describe.each([1, 7, 60, 200, 1000, 20_000])('%i soldiers', (count) => {
  const scenery = sceneryOf({ count, seed: 3 });
  const things = standing(scenery);
  const soldiers = formBattle(count, new SeededRandom(3)).flat();

  test('have nothing in their way', () => {
    const [left, right] = [Math.min(...soldiers.map(({ x }) => x)), Math.max(...soldiers.map(({ x }) => x))];
    const [near, far] = [Math.min(...soldiers.map(({ z }) => z)), Math.max(...soldiers.map(({ z }) => z))];
    for (const { prop, x, z, scale } of things) {
      const distance = Math.hypot(Math.max(left - x, 0, x - right), Math.max(near - z, 0, z - far));
      expect(distance - (REACH[prop] ?? 0.4) * scale, `${prop} at ${x}, ${z}`).toBeGreaterThan(0);
    }
  });

  test('have a camp with a gate at their back, and all else around', () => {
    const rear = Math.min(...soldiers.map(({ z }) => z));
    const of = (prop: string) => things.filter((thing) => thing.prop === prop);
    for (const { z } of [...of('palisade'), ...of('tent'), ...of('vexillum')]) expect(z).toBeLessThan(rear - 2);
    for (const { x } of [...of('palisade'), ...of('tent')]) expect(Math.abs(x)).toBeGreaterThan(2.4);
    for (const prop of PROPS) expect(of(prop).length, prop).toBeGreaterThan(0);
    expect(things.length).toBeLessThan(60 + 30 * Math.sqrt(count));
    for (const { y } of things) expect(Math.abs(y)).toBeLessThan(0.2);
  });
});

test('the same seed strews the same, another one something else, and nothing before the camera', () => {
  expect(sceneryOf({ count: 50, seed: 2 })).toEqual(sceneryOf({ count: 50, seed: 2 }));
  expect(sceneryOf({ count: 50, seed: 2 })).not.toEqual(sceneryOf({ count: 50, seed: 4 }));
  const trees = standing(sceneryOf({ count: 50, seed: 2 })).filter(({ prop }) => prop === 'pine');
  const [{ x, z }] = trees as [(typeof trees)[number]];
  const moved = standing(sceneryOf({ count: 50, seed: 2, eye: [x, 2, z] }));
  for (const thing of moved.filter(({ prop }) => prop === 'pine' || prop === 'cypress')) {
    expect(Math.hypot(thing.x - x, thing.z - z)).toBeGreaterThan(6);
  }
});
