// Characters that carry something, as they come and go.
import { expect, test } from 'vitest';
import { addSockets } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { Carriers } from '../../src/three/attached.ts';
import { coded, largeActor, smallActor } from '../support/crowd-truth.ts';

const archer = addSockets(smallActor().character, [4]);
const horse = largeActor().character;
const newCrowd = () => createCrowd(undefined, { characters: [archer, horse], capacity: 16, backend: 'cpu' });

test('of a list end with them', () => {
  const crowd = newCrowd();
  const [a, b] = crowd.spawn(archer, { count: 2 }).ids;
  const carriers = new Carriers(crowd, [a!, b!, a!], 4, {});
  expect([...carriers.held.keys()]).toEqual([a, b]);
  expect(crowd.attachmentCount).toBe(2);
  expect(carriers.follow()).toBe(false);
  crowd.spawn(archer);
  expect(carriers.follow()).toBe(true);
  expect(carriers.held.size).toBe(2);
  crowd.despawn(a!);
  expect(carriers.follow()).toBe(true);
  expect([[...carriers.held.keys()], carriers.isOver]).toEqual([[b], false]);
  carriers.held.get(b!)!.detach();
  expect(carriers.follow()).toBe(true);
  expect(carriers.isOver).toBe(true);
  expect(() => new Carriers(crowd, [a!], 4, {})).toThrow(coded('CROWD_BAD_ID'));
});

test('of a group are the living ones, and a detached thing stays detached', () => {
  const crowd = newCrowd();
  const group = crowd.spawn(archer, { count: 3 });
  group.despawn([0]);
  const carriers = new Carriers(crowd, group, 4, { offset: { position: [0, 1, 0] } });
  const [second, third] = group.ids;
  expect([...carriers.held.keys()]).toEqual([second, third]);
  carriers.held.get(second!)!.detach();
  crowd.spawn(archer); // takes the first one's row
  expect(carriers.follow()).toBe(true);
  expect([...carriers.held.keys()]).toEqual([third]);
  group.despawn();
  carriers.follow();
  expect([carriers.held.size, carriers.isOver, crowd.attachmentCount]).toEqual([0, false, 0]);
  expect(() => new Carriers(newCrowd(), group, 4, {})).toThrow(coded('CROWD_BAD_ARGUMENT'));
});

test('that a function chooses are asked once each, in whatever row they live', () => {
  const crowd = newCrowd();
  const asked: number[] = [];
  const [a] = crowd.spawn(archer).ids;
  crowd.spawn(horse);
  const carriers = new Carriers(
    crowd,
    (id, character) => {
      asked.push(id);
      return character === archer;
    },
    4,
    {},
  );
  expect([...carriers.held.keys()]).toEqual([a]);
  crowd.despawn(a!);
  const [b] = crowd.spawn(archer).ids;
  expect(b! % 2 ** 24).toBe(a! % 2 ** 24);
  carriers.follow();
  expect([...carriers.held.keys()]).toEqual([b]);
  expect(carriers.held.get(b!)!.row).toBe(b! % 2 ** 24);
  crowd.spawn(archer, { count: 5 });
  carriers.follow();
  expect(carriers.held.size).toBe(6);
  expect(new Set(asked).size).toBe(asked.length);
  carriers.detach();
  expect(crowd.attachmentCount).toBe(0);
});

test('without the socket are reported once', () => {
  const crowd = newCrowd();
  const carriers = new Carriers(crowd, () => true, 4, {});
  crowd.spawn(archer);
  crowd.spawn(horse);
  expect(() => carriers.follow()).toThrow(coded('SOCKET_NOT_FOUND'));
  crowd.spawn(archer);
  carriers.follow();
  expect(carriers.held.size).toBe(1);
  expect(() => new Carriers(crowd, 3 as never, 4, {})).toThrow(/CROWD_BAD_ARGUMENT.*Got 3; expected a list of ids/);
});
