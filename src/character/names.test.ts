import { PropertyBinding } from 'three';
import { describe, expect, test } from 'vitest';
import { findJoint, listedByNearness, nameIndex, threeName } from './names.ts';

const SPELLINGS = ['hand.r', 'Bip01 L Hand', 'mixamorig:Hips', 'a/b', '[x]', 'tab\tname', 'plain', ''];

describe('names', () => {
  test('three.js writes them the same way', () => {
    for (const name of SPELLINGS) expect(threeName(name)).toBe(PropertyBinding.sanitizeNodeName(name));
  });

  test('are found in either spelling, wherever they come from', () => {
    const inFile = SPELLINGS.map((name) => ({ name }));
    const inThree = SPELLINGS.map(threeName);
    SPELLINGS.forEach((name, index) => {
      for (const list of [inFile, inThree]) {
        expect(nameIndex(list, name)).toBe(index);
        expect(nameIndex(list, threeName(name))).toBe(index);
      }
    });
    expect(nameIndex(inFile, 'hands')).toBe(-1);
  });

  test('the exact spelling wins, and none is guessed where several are written alike', () => {
    expect(nameIndex(['a.b', 'ab', 'ab'], 'ab')).toBe(1);
    expect(nameIndex(['a.b', 'a:b'], 'ab')).toBe(-1);
    expect(nameIndex(['a.b', 'a.b'], 'ab')).toBe(0);
  });

  test('the nearest are listed first, at most twelve', () => {
    const names = ['spine', 'handslot.l', 'handslot.r', 'hand', ...Array.from({ length: 40 }, (_, i) => `bone ${i}`)];
    expect(listedByNearness(names, 'handslot_R')).toMatch(/^handslot\.r, handslot\.l, hand, .*…$/);
    expect(listedByNearness(names, 'handslot_R').split(', ')).toHaveLength(13);
    expect(listedByNearness([{ name: 'mixamorig:RightHand' }, { name: 'Hips' }], 'RightHand')).toMatch(/^mixamorig/);
    const far = Array.from({ length: 2000 }, (_, i) => `${'x'.repeat(1e5)}${i}`);
    expect(listedByNearness(far, 'y'.repeat(1e6)).length).toBeLessThan(12 * 84);
  });

  test('a joint that there is not is refused with those that were meant', () => {
    const knight = { name: 'knight', joints: [{ name: 'root' }, { name: 'handslot.r' }] };
    expect(findJoint(knight, 'handslotr')).toBe(1);
    expect(() => findJoint(knight, 'handslot.right')).toThrow(
      'CROWD_BAD_ARGUMENT at knight: There is no joint "handslot.right". The nearest of its 2 joints: handslot.r, root.',
    );
    expect(() => findJoint(knight, 2)).toThrow('There is no joint 2. Its joints are 0 to 1.');
  });
});
