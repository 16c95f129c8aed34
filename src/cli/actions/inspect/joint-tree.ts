import type { CharacterJoint } from '../../../character/character.ts';

/** A line of a tree, not yet cut to any width. */
export interface TreeLine {
  /** The lines from its parent to it. */
  readonly branch: string;
  /** Joints that follow one another; none where the line only counts further children. */
  readonly names: readonly string[];
  /** Joints that have no line: all below this one, or further children of its parent. */
  readonly hidden: number;
}

/** Joints of one line. */
interface Chain {
  readonly joints: readonly number[];
  readonly children: readonly Chain[];
  /** Joints of it and of all below. */
  readonly count: number;
}

/** Columns of a branch: deeper ones keep their right end. */
const BRANCH_COLUMNS = 60;

/**
 * The skeleton as lines, parents before children. Where there are too many, those near the roots stay.
 * @param options Lines at most, and true where joints that are only children share their parent's line.
 */
export function treeLines(
  joints: readonly CharacterJoint[],
  { most, hasChains }: { readonly most: number; readonly hasChains: boolean },
): TreeLine[] {
  const roots = chainsOf(joints, hasChains);
  const childLimits = limitChildren(roots, most);
  const lines: TreeLine[] = [];
  const todo: (() => void)[] = [];
  const list = (children: readonly Chain[], limit: number, stem: string, isRoot: boolean): void => {
    const branchOf = (isLast: boolean) => (isRoot ? '' : `${stem}${isLast ? '└─ ' : '├─ '}`.slice(-BRANCH_COLUMNS));
    const hidden = children.slice(limit).reduce((sum, { count }) => sum + count, 0);
    if (hidden > 0) todo.push(() => lines.push({ branch: branchOf(true), names: [], hidden }));
    for (let i = limit - 1; i >= 0; i--) {
      const chain = children[i]!;
      const isLast = i === children.length - 1;
      const next = childLimits.get(chain) ?? 0;
      todo.push(() => {
        const names = chain.joints.map((joint) => joints[joint]!.name || `(joint ${joint})`);
        const isFolded = next === 0 && chain.children.length > 0;
        lines.push({ branch: branchOf(isLast), names, hidden: isFolded ? chain.count - chain.joints.length : 0 });
        if (!isFolded)
          list(chain.children, next, isRoot ? '' : `${stem}${isLast ? '   ' : '│  '}`.slice(-BRANCH_COLUMNS), false);
      });
    }
  };
  list(roots, Math.min(roots.length, most - 1), '', true);
  while (todo.length > 0) todo.pop()!();
  return lines;
}

/** How many children of each chain have a line: all or none, level by level, until there are `most` lines. */
function limitChildren(roots: readonly Chain[], most: number): Map<Chain, number> {
  let left = most - roots.length;
  const limits = new Map<Chain, number>();
  const queue = [...roots];
  for (const chain of queue) {
    const { children } = chain;
    if (children.length > left) continue;
    left -= children.length;
    limits.set(chain, children.length);
    for (const child of children) queue.push(child);
  }
  return limits;
}

/** Chains of the roots. Parents precede their children, so chains are made from the last joint to the first. */
function chainsOf(joints: readonly CharacterJoint[], hasChains: boolean): Chain[] {
  const below = joints.map((): number[] => []);
  joints.forEach(({ parentIndex }, joint) => below[parentIndex]?.push(joint));
  const made = new Map<number, Chain>();
  const onlyChild = (joint: number) => (hasChains && below[joint]?.length === 1 ? below[joint][0] : undefined);
  for (let first = joints.length - 1; first >= 0; first--) {
    if (onlyChild(joints[first]!.parentIndex) !== undefined) continue; // in the chain of its parent
    const chain = [first];
    for (let next = onlyChild(first); next !== undefined; next = onlyChild(next)) chain.push(next);
    const children = below[chain.at(-1)!]!.map((joint) => made.get(joint)!);
    const count = children.reduce((sum, child) => sum + child.count, chain.length);
    made.set(first, { joints: chain, children, count });
  }
  return joints.flatMap(({ parentIndex }, joint) => (parentIndex < 0 ? [made.get(joint)!] : []));
}
