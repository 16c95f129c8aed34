import { describe, expect, it } from 'vitest';
import type { CharacterJoint } from '../../../character/character.ts';
import { stopwatch } from '../../../../test/support/stopwatch.ts';
import { treeLines } from './joint-tree.ts';

/** Joints by name and parent, in order. */
const skeleton = (...parents: readonly (readonly [name: string, parent: number])[]): CharacterJoint[] =>
  parents.map(([name, parentIndex], nodeIndex) => ({ name, parentIndex, nodeIndex }));
const textOf = (joints: readonly CharacterJoint[], most: number, hasChains = true) =>
  treeLines(joints, { most, hasChains }).map(
    ({ branch, names, hidden }) => `${branch}${names.join('-')}${hidden > 0 ? ` +${hidden}` : ''}`,
  );

const body = skeleton(
  ['root', -1],
  ['hips', 0],
  ['spine', 1],
  ['thigh_l', 1],
  ['chest', 2],
  ['head', 4],
  ['arm', 4],
  ['shin_l', 3],
  ['hand', 6],
  ['Shield', -1],
);

describe('a tree of joints', () => {
  it('has a line for each chain, children below their parents', () => {
    expect(textOf(body, 32)).toEqual([
      'root-hips',
      '├─ spine-chest',
      '│  ├─ head',
      '│  └─ arm-hand',
      '└─ thigh_l-shin_l',
      'Shield',
    ]);
  });

  it('folds what is far from the roots where there are too many lines', () => {
    expect(textOf(body, 4)).toEqual(['root-hips', '├─ spine-chest +3', '└─ thigh_l-shin_l', 'Shield']);
    expect(textOf(body, 3)).toEqual(['root-hips +7', 'Shield']);
  });

  it('has a line for each joint where all are requested', () => {
    expect(textOf(body, Infinity, false)).toEqual([
      'root',
      '└─ hips',
      '   ├─ spine',
      '   │  └─ chest',
      '   │     ├─ head',
      '   │     └─ arm',
      '   │        └─ hand',
      '   └─ thigh_l',
      '      └─ shin_l',
      'Shield',
    ]);
  });

  it('counts roots that are too many', () => {
    const stones = skeleton(...Array.from({ length: 100 }, (_, i) => [`stone${i}`, -1] as const));
    expect(textOf(stones, 5)).toEqual(['stone0', 'stone1', 'stone2', 'stone3', ' +96']);
  });

  it('stays short for any skeleton, in bounded time', () => {
    const count = 4096;
    const parents: readonly ((joint: number) => number)[] = [
      (joint) => joint - 1,
      (joint) => (joint === 0 ? -1 : 0),
      (joint) => ((joint + 1) >> 1) - 1,
      () => -1,
    ];
    for (const parentOf of parents) {
      const joints = skeleton(...Array.from({ length: count }, (_, joint) => [`${joint}`, parentOf(joint)] as const));
      const elapsed = stopwatch();
      const lines = treeLines(joints, { most: 32, hasChains: true });
      expect(lines.length).toBeLessThanOrEqual(32);
      const listed = lines.reduce((sum, { names, hidden }) => sum + names.length + hidden, 0);
      expect(listed).toBe(count);
      expect(treeLines(joints, { most: Infinity, hasChains: false })).toHaveLength(count);
      expect(elapsed()).toBeLessThan(2000);
    }
  });
});
