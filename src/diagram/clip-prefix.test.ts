import { expect, test } from 'vitest';
import { defineController } from '../controller/builder.ts';
import { clipPrefix } from './clip-prefix.ts';

const guid = 'a'.repeat(32);

test.each([
  ['Armature|', ['Armature|Walk', 'Armature|Run', 'Armature|Wave']],
  ['Hero_', ['Hero_Walk', 'Hero_Walk_Back', 'Hero_Run']],
  ['', ['Walk', 'Run', 'Wave']],
  ['', ['Hero_Walk', 'Hero_Run']],
  ['', ['A_Walk', 'A_Run', 'A_Wave']],
  ['', ['Soldier', 'Soldier_', 'Soldier_Run']],
  ['', [`${guid}:1`, `${guid}:2`, `${guid}:3`]],
  ['', ['Walking', 'Walking2', 'Walking3']],
])('%j begins %j', (prefix, [a, b, ...rest]) => {
  const children = rest.map((motion, at) => ({
    at,
    motion: { blend: '1d' as const, parameter: 'x', children: [{ at: 0, motion }] },
  }));
  const model = defineController({
    name: 'x',
    layers: [
      {
        name: 'Base',
        machine: {
          states: { A: { motion: a! }, B: { motion: { blend: '1d', parameter: 'x', children } } },
          machines: { Inner: { states: { C: { motion: b! } } } },
        },
      },
    ],
    parameters: { x: { type: 'float' } },
  } as never);
  expect(clipPrefix(model)).toBe(prefix);
});
