// Groups, which know the living alone: by whatever way the others went.
import { describe, expect, test } from 'vitest';
import type { Crowd, CharacterGroup } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { soldier } from '../support/soldiers.ts';

const plain = smallActor().character;
const fighter = soldier();

function newCrowd(): Crowd {
  return createCrowd(undefined, { characters: [plain, fighter], capacity: 16, backend: 'cpu', maxClips: 2 });
}

/** Ways in which the characters at indices 1 and 2 of five go. */
const DEPARTURES: Record<string, (crowd: Crowd, group: CharacterGroup) => void> = {
  'through the crowd': (crowd, group) => crowd.despawn([group.id(1), group.id(2)]),
  'through the group': (_, group) => group.despawn([2, 1]),
  'through another group': (crowd, group) => crowd.group([group.id(2), group.id(1)]).despawn(),
  'one by one': (crowd, group) => [2, 1].forEach((index) => crowd.despawn(group.id(index))),
  'and others live in their rows': (crowd, group) => {
    group.despawn([1, 2]);
    crowd.spawn(group.character, { count: 2 });
  },
};

describe.each(Object.entries(DEPARTURES))('a group of which two have gone %s', (_, go) => {
  test('counts and lists those that live; indices stay', () => {
    const crowd = newCrowd();
    const group = crowd.spawn(fighter, { count: 5 });
    const before = group.ids;
    expect(group.ids).toBe(before);
    go(crowd, group);
    expect([group.count, group.size]).toEqual([3, 5]);
    expect(group.ids).toEqual([before[0], before[3], before[4]]);
    expect(group.ids).toBe(group.ids);
    expect([0, 3, 4].map((index) => group.id(index))).toEqual(group.ids);
    expect([0, 1, 2, 3, 4].map((index) => group.isAlive(index))).toEqual([true, false, false, true, true]);
    expect(before.map((id) => group.indexOf(id))).toEqual([0, -1, -1, 3, 4]);
    expect(group.indexOf(crowd.spawn(fighter).id(0))).toBe(-1);
    crowd.despawn(group.ids);
    expect([group.count, group.size, group.ids]).toEqual([0, 5, []]);
    crowd.destroy();
  });

  test('passes calls to living characters only, and ignores ids of despawned ones', () => {
    const crowd = newCrowd();
    const group = crowd.spawn(fighter, { count: 5 });
    const speed = group.parameter('speed');
    const values = speed.values;
    go(crowd, group);
    // all of it
    group.trigger('attack');
    group.resetTrigger('attack');
    group.playState('Walk');
    group.crossFade('Idle');
    group.setTint([1, 0, 0, 1]);
    group.hide();
    expect(group.ids.map((id) => crowd.isHidden(id))).toEqual([true, true, true]);
    group.show([4]);
    expect(group.ids.map((id) => crowd.isHidden(id))).toEqual([true, true, false]);
    speed.fill(2);
    expect([0, 3, 4].map((index) => speed.get(index))).toEqual([2, 2, 2]);
    // the values of an index stay its own
    expect(values).toHaveLength(5);
    values.set([10, 11, 12, 13, 14]);
    speed.changed();
    expect([0, 3, 4].map((index) => speed.get(index))).toEqual([10, 13, 14]);
    expect(group.parameter('speed').values).toEqual(Float32Array.of(10, 0, 0, 13, 14));
    const called: number[] = [];
    group.setTransform((index, at) => at.position.set(called.push(index), 0, 0));
    group.teleport((index) => called.push(index), [3]);
    expect(called).toEqual([0, 3, 4, 3]);
    // one that has gone, and one that there never was
    const calls: ((index: number) => unknown)[] = [
      (index) => group.id(index),
      (index) => group.trigger('attack', [0, index]),
      (index) => group.setTint([1, 1, 1, 1], [index]),
      (index) => group.hide([index]),
      (index) => group.show([index]),
      (index) => group.despawn([0, index]),
      (index) => group.teleport(() => 1, [index]),
      (index) => speed.set(index, 1),
      (index) => speed.get(index),
    ];
    for (const call of calls) {
      for (const index of [1, 2]) expect(() => call(index)).toThrow(coded('CROWD_BAD_ID'));
      for (const index of [5, -1, 0.5, NaN]) expect(() => call(index)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    }
    expect(() => group.isAlive(5)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(group.count).toBe(3);
    crowd.destroy();
  });

  test('plays clips on those that live', () => {
    const crowd = newCrowd();
    const group = crowd.spawn(plain, { count: 5 });
    go(crowd, group);
    group.play(0, { fade: 0.1 });
    group.hideParts('node 0');
    const called: number[] = [];
    group.setClips((index) => (called.push(index), [{ clip: 1 }]));
    expect(called).toEqual([0, 3, 4]);
    expect(() => group.play(0, {}, [0, 1])).toThrow(coded('CROWD_BAD_ID'));
    crowd.destroy();
  });
});

test('a group of a removed type is empty', () => {
  const crowd = newCrowd();
  const group = crowd.spawn(plain, { count: 2 });
  expect(() => crowd.removeCharacter(plain)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  group.despawn();
  crowd.removeCharacter(plain);
  expect([group.count, group.size, group.ids]).toEqual([0, 2, []]);
  group.hide();
  expect(() => group.id(0)).toThrow(coded('CROWD_BAD_ID'));
  crowd.destroy();
});

test('a character that is despawned during the calls is not called any more', () => {
  const crowd = newCrowd();
  const group = crowd.spawn(fighter, { count: 3 });
  const called: number[] = [];
  group.setTransform((index) => {
    called.push(index);
    if (index === 0) group.despawn([1]);
  });
  expect(called).toEqual([0, 2]);
  crowd.destroy();
});
