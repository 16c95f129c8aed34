import { readFileSync } from 'node:fs';
import type { HumanBone } from '../../src/character/humanoid.ts';
import type { CharacterModel, JointModel } from '../../src/character/model.ts';

/** Skeletons from lists of names, and truth tables: which joint is which bone. */

const REST = { rotation: [0, 0, 0, 1], scale: [1, 1, 1] } as const;

export type Joints = Pick<CharacterModel, 'joints' | 'name'>;

/** Joints of a tree: one name per line, indented by its depth; `name x y z` gives an offset to the parent. */
export function jointsOfTree(text: string, name = 'rig'): Joints {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const open: number[] = [];
  const joints = lines.map((line, index): JointModel => {
    const depth = (line.length - line.trimStart().length) / 2;
    const [, own, ...at] = /^\s*(.*?)(?:\s+(-?[\d.]+) (-?[\d.]+) (-?[\d.]+))?$/.exec(line)!;
    open.length = depth;
    const parentIndex = open.at(-1) ?? -1;
    open.push(index);
    const translation =
      at[0] === undefined ? ([0, 0, 0] as const) : ([Number(at[0]), Number(at[1]), Number(at[2])] as const);
    return { name: own!, parentIndex, nodeIndex: index, translation, ...REST };
  });
  return { name, joints };
}

/** The hierarchy of a BVH file, without its motion. */
export function jointsOfBvh(file: string): Joints {
  const tree: string[] = [];
  let depth = 0;
  let isEnd = false;
  for (const line of readFileSync(file, 'utf8').split('MOTION')[0]!.split('\n')) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === 'End') isEnd = true;
    else if (word === 'ROOT' || word === 'JOINT') tree.push(`${'  '.repeat(depth)}${rest.join(' ')}`);
    else if (word === 'OFFSET' && !isEnd)
      tree[tree.length - 1] += ` ${rest.map((v) => Number(v).toFixed(4)).join(' ')}`;
    else if (word === '{') depth++;
    else if (word === '}') {
      depth--;
      isEnd = false;
    }
  }
  return jointsOfTree(tree.join('\n'));
}

/** A truth table: names of joints by bone. `*` in a name stands for the side's mark. */
export interface Truth {
  readonly marks: readonly [left: string, right: string];
  /** `hips:pelvis spine:spine_01 …`, with commas for names with spaces. */
  readonly middle: string;
  /** `UpperLeg:thigh_* LowerLeg:calf_* …` */
  readonly sided: string;
}

export function truthOf({ marks, middle, sided }: Truth): Partial<Record<HumanBone, string>> {
  const pairs = (text: string) =>
    text.split(text.includes(',') ? /,\s*/ : /\s+/).map((pair) => pair.split(/:(.*)/s) as [string, string]);
  const sides = (['left', 'right'] as const).flatMap((side, s) =>
    sided === '' ? [] : pairs(sided).map(([bone, name]) => [`${side}${bone}`, name.replaceAll('*', marks[s]!)]),
  );
  return Object.fromEntries([...pairs(middle), ...sides]) as Partial<Record<HumanBone, string>>;
}

/** Fingers of a hand by a pattern: `#` is the finger, `%` the number of the joint, `*` the side. */
export function fingerTruth(pattern: string, names: readonly string[], first = 1, digits = 1): string {
  const bones = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'];
  return names
    .flatMap((name, f) => {
      const joints = f === 0 ? ['Metacarpal', 'Proximal', 'Distal'] : ['Proximal', 'Intermediate', 'Distal'];
      return joints.map((joint, j) => {
        const number = String(first + j).padStart(digits, '0');
        return `${bones[f]}${joint}:${pattern.replace('#', name).replace('%', number)}`;
      });
    })
    .join(pattern.includes(' ') ? ', ' : ' ');
}
