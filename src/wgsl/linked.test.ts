import { expect, test } from 'vitest';
import { linked } from './linked.ts';

test('a variant has its declarations, its own and shared ones', () => {
  const own = ['enable f16;', 'o1', 'o2', 'o3'];
  const texts = linked(own, ['s0', 's1', 's2'], { base: ['0-1 3', ''], 'a+b': ['2', '0 2'], none: ['', '0-2'] });
  expect({ ...texts }).toEqual({
    base: 'enable f16;\no1\no3\n',
    'a+b': 'o2\ns0\ns2\n',
    none: 's0\ns1\ns2\n',
  });
});
