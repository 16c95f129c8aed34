// Vectors, rotations and colours of three.js where crowds take their own.
import { Color, Euler, type EulerOrder, Quaternion, Vector3 } from 'three';
import { expect, test } from 'vitest';
import { addSockets, type CharacterTransform } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { offsetMatrix } from '../../src/crowd/attachments.ts';
import { jointRecord } from '../../src/crowd/rows/modifiers.ts';
import { tintWord } from '../../src/crowd/tint.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const position = new Vector3(1, 2, 3);
const euler = new Euler(0.3, -1.1, 2, 'ZXY');
const quaternion = new Quaternion().setFromEuler(euler);

const character = addSockets(smallActor().character, [4]);
const newCrowd = () =>
  createCrowd(undefined, { characters: [character], capacity: 2, backend: 'cpu', maxModifiers: 2 });

const numbers = ({ position: p, rotation: r, scale }: CharacterTransform) => [p.x, p.y, p.z, r.x, r.y, r.z, r.w, scale];

test('places', async () => {
  const crowd = newCrowd();
  const expected = [...position.toArray(), ...quaternion.toArray(), 2];
  const ways: ((at: CharacterTransform) => void)[] = [
    (at) => {
      at.position = position;
      at.rotation = quaternion;
      at.scale = new Vector3(2, 2, 2);
    },
    (at) => {
      at.position.copy(position);
      at.rotation.copy(euler);
      at.scale = 2;
    },
    (at) => {
      at.position = [1, 2, 3];
      at.rotation = [quaternion.x, quaternion.y, quaternion.z, quaternion.w];
      at.scale = [2, 2, 2];
    },
  ];
  for (const place of ways) {
    const [id] = crowd.spawn(character, { place: (_, at) => place(at) }).ids;
    const [at] = await crowd.readTransforms([id!]);
    numbers(at!).forEach((number, i) => expect(number).toBeCloseTo(expected[i]!, 6));
    crowd.despawn(id!);
  }
  const refused = (place: (at: CharacterTransform) => void) => () =>
    crowd.spawn(character, { place: (_, at) => place(at) });
  expect(refused((at) => (at.scale = new Vector3(1, 2, 1)))).toThrow(/CROWD_BAD_ARGUMENT.*\[1, 2, 1\].*one number/);
  expect(refused((at) => (at.position = undefined as never))).toThrow(coded('CROWD_BAD_ARGUMENT'));
  expect(refused((at) => (at.position = { x: 1, y: 2 } as never))).toThrow(coded('CROWD_BAD_ARGUMENT'));
  // what three's own rotation takes are angles
  expect(refused((at) => at.rotation.set(0, 1, 0, undefined as never))).toThrow(/place.*setYaw\(angle\)/);
  expect(crowd.count).toBe(0);
  crowd.destroy();
});

test('Euler angles of every order', () => {
  for (const order of ['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'] as EulerOrder[]) {
    const angles = new Euler(0.4, 1.2, -0.7, order);
    const ours = offsetMatrix({ rotation: angles });
    const theirs = offsetMatrix({ rotation: new Quaternion().setFromEuler(angles) });
    ours.forEach((number, i) => expect(number, order).toBeCloseTo(theirs[i]!, 6));
  }
  expect(() => offsetMatrix({ rotation: { x: 0, y: 0, z: 0, order: 'XYX' } })).toThrow(coded('CROWD_BAD_ARGUMENT'));
});

test('offsets, modifiers, places to look at, origins', () => {
  const offset = { position, rotation: quaternion, scale: new Vector3(1, 2, 3) };
  const listed = { position: [1, 2, 3], rotation: quaternion.toArray(), scale: [1, 2, 3] } as const;
  expect(offsetMatrix(offset)).toEqual(offsetMatrix(listed as never));
  const record = jointRecord({ rotation: quaternion, translation: position }, 'hand');
  expect(record).toEqual(jointRecord({ rotation: quaternion.toArray() as never, translation: [1, 2, 3] }, 'hand'));
  const crowd = newCrowd();
  const [id] = crowd.spawn(character).ids;
  crowd.attach(id!, 4, { offset }).setOffset({ rotation: euler });
  const words = () => internalsOf(crowd).host.modifiers.column.view.words.slice();
  crowd.lookAt(id!, 4, { target: [3, 4, 5], forward: [0, 1, 0] });
  const expected = words();
  crowd.clearModifiers(id!);
  crowd.lookAt(id!, 4, { target: new Vector3(3, 4, 5), forward: new Vector3(0, 1, 0) });
  expect(words()).toEqual(expected);
  expect(crowd.moveOrigin(position)).toEqual([1, 2, 3]);
  crowd.destroy();
});

test('colours', () => {
  for (const bits of [0, 0xffffff, 0xff8800, 0x123456, 0x0a0b0c]) {
    const color = new Color(bits);
    const expected = tintWord([color.r, color.g, color.b, 1]);
    const hex = `#${color.getHexString()}`;
    for (const tint of [color, bits, hex, hex.toUpperCase()]) expect(tintWord(tint)).toBe(expected);
  }
  expect(tintWord('#f80')).toBe(tintWord(0xff8800));
  expect(tintWord([1, 0.5, 0])).toBe(tintWord([1, 0.5, 0, 1]));
  expect(tintWord(new Color('orange'))).toBe(tintWord(0xffa500));
  for (const wrong of [
    -1,
    0x1000000,
    1.5,
    NaN,
    'orange',
    '#ff88',
    '',
    null,
    undefined,
    {},
    new Color(2, 0, 0),
    [1, 0],
  ]) {
    expect(() => tintWord(wrong as never), JSON.stringify(wrong)).toThrow(
      /CROWD_BAD_ARGUMENT at tint: Got .*new Color/s,
    );
  }
});
