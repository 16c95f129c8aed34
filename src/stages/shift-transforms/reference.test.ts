import { expect, test } from 'vitest';
import { View } from '../../layout/index.ts';
import { Transform } from '../layout.ts';
import { shiftTransforms } from './reference.ts';

test('places move against the origin, and round once per move', () => {
  const transforms = new View(Transform, 3);
  transforms.assign(0, { position: [1000.5, -2, 3], scale: 2, rotation: [0, 0, 0, 1] });
  transforms.assign(1, { position: [0.1, 0, 0] });
  transforms.assign(2, { position: [7, 7, 7] });
  const tenth = Math.fround(0.1);
  shiftTransforms(transforms, 2, [
    [1000, -2, 0.25],
    [-1e6, 0, 0],
  ]);
  expect(transforms.get(0, 'position')).toEqual([1000000.5, 0, 2.75]);
  expect(transforms.get(0, 'scale')).toBe(2);
  // what no place so far off can tell apart is gone
  expect(transforms.get(1, 'position')).toEqual([Math.fround(Math.fround(tenth - 1000) + 1e6), 2, -0.25]);
  expect(transforms.get(2, 'position')).toEqual([7, 7, 7]);
});
